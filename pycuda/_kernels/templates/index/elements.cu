// Gathers elements of a contiguous row by index, or scatters them: the most
// frequent case of `move.cu`, which handles all keys. Each thread moves $each
// elements.
#include "index/item.cuh"

typedef $index Index;

extern "C" __global__ void $name($plain, $row, const Index *indices,
                                 unsigned long long *fault, long long length,
                                 long long count)
{
    const long long first =
        ((long long)blockIdx.x * blockDim.x + threadIdx.x) * $each;
    const long long end = first + $each < count ? first + $each : count;
    const unsigned long long places = (unsigned long long)length;
#pragma unroll $unroll
    for (long long i = first; i < end; i++) {
        unsigned long long position = (unsigned long long)indices[i];
        // Either a negative index or out of range; rare.
        if (position >= places) {
            if (Index(-1) < Index(0)) {
                position += places;
            }
            if (position >= places) {
                note(fault, $axis, (long long)indices[i], length);
                $outside
                continue;
            }
        }
        $move
    }
}
