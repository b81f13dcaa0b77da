// Picks elements of a packed row by index, or puts them there: what `move.cu`
// does for any key, for the most frequent one.  Each thread takes $each
// elements.
struct Item {
    $unit words[$count];
};

typedef $index Index;

__device__ void note(unsigned long long *fault, long long index,
                     long long length)
{
    if (atomicExch(fault, 1ull) == 0) {
        fault[1] = $axis;
        fault[2] = index;
        fault[3] = length;
    }
}

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
        unsigned long long place = (unsigned long long)indices[i];
        if (place >= places) { // from the end, or outside: seldom
            if (Index(-1) < Index(0)) {
                place += places;
            }
            if (place >= places) {
                note(fault, (long long)indices[i], length);
                $outside
                continue;
            }
        }
        $move
    }
}
