// Each thread handles $width adjacent elements, moved as one word if alignment
// allows it.
#include "map/pack.cuh"

extern "C" __global__ void $name($parameters, unsigned long long size)
{
    unsigned long long first =
        ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) * $width;
    if (first + $width <= size) {
#include "map/pack_result.cuh"
        store_word(out + first, out_pack);
    } else {
        for (unsigned long long i = first; i < size; i++) {
$loads
            out[i] = $result;
        }
    }
}
