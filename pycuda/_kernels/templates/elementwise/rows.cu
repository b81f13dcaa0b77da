// A row of blocks for each row (all elements along the last axis).
#include "elementwise/layout.cuh"

extern "C" __global__ void $name($parameters, const pycuda_layout pycuda_all)
{
    unsigned pycuda_row = blockIdx.x / (unsigned)pycuda_all.blocks;
    const unsigned pycuda_part =
        blockIdx.x - pycuda_row * (unsigned)pycuda_all.blocks;
#include "elementwise/row_start.cuh"
    const long long pycuda_j =
        (long long)pycuda_part * blockDim.x + threadIdx.x;
    if (pycuda_j < pycuda_all.shape[$ndim - 1]) {
$elements
        {
            $operation
            ;
        }
    }
}
