// One thread per element; each thread computes its indices.
#include "map/layout.cuh"

extern "C" __global__ void $name($parameters, const Layout layout)
{
    unsigned long long i =
        (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (unsigned long long)layout.size) {
        long long offset[$operands] = {};
        $index_type left = ($index_type)i;
#pragma unroll
        for (int axis = $ndim - 1; axis >= 0; axis--) {
            $index_type length = ($index_type)layout.shape[axis];
            $index_type rest = left / length;
            $index_type index = left - rest * length;
            for (int k = 0; k < $operands; k++) {
                offset[k] += (long long)index * layout.strides[k][axis];
            }
            left = rest;
        }
$rows
$loads
        *$out_element = $result;
    }
}
