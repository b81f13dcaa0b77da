// An element, whatever its type, and where a fault is noted.
struct Item {
    $unit words[$count];
};

// Notes an index that is out of range; the first one is kept.
__device__ void note(unsigned long long *fault, long long axis,
                     long long index, long long length)
{
    if (atomicExch(fault, 1ull) == 0) {
        fault[1] = axis;
        fault[2] = index;
        fault[3] = length;
    }
}
