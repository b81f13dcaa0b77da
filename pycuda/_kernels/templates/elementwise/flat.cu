// One thread per element, for short rows (all elements along the last axis).
#include "elementwise/layout.cuh"

extern "C" __global__ void $name($parameters, const pycuda_layout pycuda_all)
{
    const unsigned pycuda_flat = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned pycuda_length = (unsigned)pycuda_all.shape[$ndim - 1];
    unsigned pycuda_row = pycuda_flat / pycuda_length;
    const long long pycuda_j = pycuda_flat - pycuda_row * pycuda_length;
    if (pycuda_flat < (unsigned)pycuda_all.size) {
#include "elementwise/row_start.cuh"
$elements
        {
            $operation
            ;
        }
    }
}
