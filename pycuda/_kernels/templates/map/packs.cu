// As rows, $width neighbouring elements a thread, moved as one word each.
template <class T> struct alignas(sizeof(T) * $width) Pack {
    T at[$width];
};

struct Layout {
    long long size, blocks, shape[$ndim], strides[$operands][$ndim];
};

extern "C" __global__ void $name($parameters, const Layout layout)
{
    unsigned row = blockIdx.x / (unsigned)layout.blocks;
    unsigned part = blockIdx.x - row * (unsigned)layout.blocks;
    const long long first = ((long long)part * blockDim.x + threadIdx.x) *
                            $width;
    const long long length = layout.shape[$ndim - 1];
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
    if (first + $width <= length) {
$packs
        Pack<$out_type> out_pack;
#pragma unroll
        for (int k = 0; k < $width; k++) {
$pack_loads
            out_pack.at[k] = $result;
        }
        *reinterpret_cast<Pack<$out_type> *>(out_row + first) = out_pack;
    } else {
        for (long long j = first; j < length; j++) {
$loads
            *$out_element = $result;
        }
    }
}
