// Gathers rows of a contiguous array by index, or scatters them: the second
// most frequent case of `move.cu`, which handles all keys. A row consists of
// `span` items. Each thread moves `each` rows within its block's `chunk` of
// items.
#include "index/item.cuh"

typedef $index Index;

extern "C" __global__ void $name($plain, $row, const Index *indices,
                                 unsigned long long *fault, long long length,
                                 long long count, long long span,
                                 long long each, long long chunk)
{
    const long long first =
        ((long long)blockIdx.x * blockDim.y + threadIdx.y) * each;
    const long long end = first + each < count ? first + each : count;
    const long long begin = (long long)blockIdx.y * chunk;
    const long long stop = begin + chunk < span ? begin + chunk : span;
    const unsigned long long places = (unsigned long long)length;
    for (long long i = first; i < end; i++) {
        unsigned long long position = (unsigned long long)indices[i];
        // An index from the end.
        if (Index(-1) < Index(0) && position >= places) {
            position += places;
        }
        const bool inside = position < places;
        if (!inside && begin == 0 && $lane == 0) {
            note(fault, $axis, (long long)indices[i], length);
        }
        $items
        for (long long k = begin + $lane; k < stop; k += $lanes) {
            $move
        }
    }
}
