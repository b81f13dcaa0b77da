// Row kernel in which each thread handles $width adjacent elements, moved as
// one word.
#include "map/pack.cuh"

#include "map/layout.cuh"

extern "C" __global__ void $name($parameters, const Layout layout)
{
#include "map/row_start.cuh"
    const long long first = ((long long)part * blockDim.x + threadIdx.x) *
                            $width;
    const long long length = layout.shape[$ndim - 1];
$rows
    if (first + $width <= length) {
#include "map/pack_result.cuh"
        store_word(out_row + first, out_pack);
    } else {
        for (long long j = first; j < length; j++) {
$loads
            *$out_element = $result;
        }
    }
}
