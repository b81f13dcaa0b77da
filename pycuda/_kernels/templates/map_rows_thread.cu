// A block, which is one thread, for each part of a row of $part elements.
struct Layout {
    long long size, blocks, shape[$ndim], strides[$operands][$ndim];
};

extern "C" __global__ void $name($parameters, const Layout layout)
{
    unsigned row = blockIdx.x / (unsigned)layout.blocks;
    const unsigned part = blockIdx.x - row * (unsigned)layout.blocks;
    const long long length = layout.shape[$ndim - 1];
    const long long first = (long long)part * $part;
    const long long end = length - first < $part ? length : first + $part;
    long long offset[$operands] = {};
    for (int axis = $ndim - 2; axis >= 0; axis--) {
        const unsigned length = (unsigned)layout.shape[axis];
        const unsigned rest = row / length;
        const unsigned index = row - rest * length;
        for (int k = 0; k < $operands; k++) {
            offset[k] += index * layout.strides[k][axis];
        }
        row = rest;
    }
$rows
    for (long long j = first; j < end; j++) {
$loads
        *$out_element = $result;
    }
}
