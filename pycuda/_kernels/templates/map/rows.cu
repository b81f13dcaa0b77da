// A row of blocks for each row: the innermost axis runs along x, the block's
// row number gives the other indices.
struct Layout {
    long long size, blocks, shape[$ndim], strides[$operands][$ndim];
};

extern "C" __global__ void $name($parameters, const Layout layout)
{
    unsigned row = blockIdx.x / (unsigned)layout.blocks;
    unsigned part = blockIdx.x - row * (unsigned)layout.blocks;
    long long j = (long long)part * blockDim.x + threadIdx.x;
    long long offset[$operands] = {};
    for (int axis = $ndim - 2; axis >= 0; axis--) {
        unsigned length = (unsigned)layout.shape[axis];
        unsigned rest = row / length;
        unsigned index = row - rest * length;
        for (int k = 0; k < $operands; k++) {
            offset[k] += index * layout.strides[k][axis];
        }
        row = rest;
    }
$rows
    if (j < layout.shape[$ndim - 1]) {
$loads
        *$out_element = $result;
    }
}
