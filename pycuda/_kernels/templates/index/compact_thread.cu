// Positions of set flags, or the elements there, for threads that run
// sequentially, one per block of `part` flags: the first kernel counts the set
// flags of each block, the second moves the elements. Results are first
// collected in a buffer with a store for every flag, set or not, so that there
// is no branch to mispredict.
enum { CHUNK = 512 };

struct Item {
    $unit words[$count];
};

extern "C" __global__ void count(long long *counts,
                                 const unsigned char *flags, long long part,
                                 long long size)
{
    const long long first = (long long)blockIdx.x * part;
    const long long end = first + part < size ? first + part : size;
    unsigned sum = 0;
    for (long long i = first; i < end; i++) {
        sum += flags[i] != 0;
    }
    counts[blockIdx.x] = sum;
}

__device__ inline long long sum_before(const long long *counts)
{
    long long sum = 0;
    for (unsigned block = 0; block < blockIdx.x; block++) {
        sum += counts[block];
    }
    return sum;
}

extern "C" __global__ void compact(Item *out, const Item *items,
                                   const long long *counts,
                                   const unsigned char *flags, long long part,
                                   long long size)
{
    const long long begin = (long long)blockIdx.x * part;
    const long long end = begin + part < size ? begin + part : size;
    Item found[CHUNK];
    out += sum_before(counts);
    for (long long first = begin; first < end; first += CHUNK) {
        const int length = end - first < CHUNK ? (int)(end - first) : CHUNK;
        int at = 0;
        for (int i = 0; i < length; i++) {
            found[at] = $item;
            at += flags[first + i] != 0;
        }
        for (int i = 0; i < at; i++) {
            out[i] = found[i];
        }
        out += at;
    }
}
