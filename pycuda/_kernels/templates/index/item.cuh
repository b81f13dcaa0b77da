// An element of any type, moved in words, and the record of an index that is
// out of range.
struct Item {
    $unit words[$count];
};

// Records an index that is out of range; only the first one is stored.
__device__ void note(unsigned long long *fault, long long axis,
                     long long index, long long length)
{
    if (atomicExch(fault, 1ull) == 0) {
        fault[1] = axis;
        fault[2] = index;
        fault[3] = length;
    }
}
