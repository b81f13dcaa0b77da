// Picks elements of a packed row by index: what `move.cu` does for any key,
// for the most frequent one.  Each thread takes $each elements.
struct Item {
    $unit words[$count];
};

typedef $index Index;

// Its place in the row; one that is negative or too large is outside.
__device__ inline unsigned long long place_of(Index index, long long length)
{
    const long long place = (long long)index;
    const bool from_end = Index(-1) < Index(0) && place < 0;
    return (unsigned long long)(place + (from_end ? length : 0));
}

__device__ void note(unsigned long long *fault, long long index,
                     long long length)
{
    if (atomicExch(fault, 1ull) == 0) {
        fault[1] = $axis;
        fault[2] = index;
        fault[3] = length;
    }
}

extern "C" __global__ void take(Item *out, const Item *row,
                                const Index *indices,
                                unsigned long long *fault, long long length,
                                long long count)
{
    const long long first =
        ((long long)blockIdx.x * blockDim.x + threadIdx.x) * $each;
    const long long end = first + $each < count ? first + $each : count;
    const unsigned long long places = (unsigned long long)length;
    unsigned long long outside = 0;
    for (long long i = first; i < end; i++) {
        const unsigned long long place = place_of(indices[i], length);
        const bool inside = place < places;
        outside |= !inside;
        out[i] = row[inside ? place : 0];
    }
    for (long long i = first; outside && i < end; i++) {
        if (place_of(indices[i], length) >= places) {
            out[i] = Item{};
            note(fault, (long long)indices[i], length);
        }
    }
}
