// A row of blocks for each row: the innermost axis is along x, and the block's
// row index gives the other indices.
#include "map/layout.cuh"

extern "C" __global__ void $name($parameters, const Layout layout)
{
#include "map/row_start.cuh"
    long long j = (long long)part * blockDim.x + threadIdx.x;
$rows
    if (j < layout.shape[$ndim - 1]) {
$loads
        *$out_element = $result;
    }
}
