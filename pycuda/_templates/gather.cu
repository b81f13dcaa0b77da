// Moves elements, whatever their type, by index.
struct Item {
    $unit words[$count];
};

extern "C" __global__ void gather(Item *out, const Item *source,
                                  ${indices}long long offset,
                                  unsigned long long size)
{
    unsigned long long i =
        (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        out[$target] = source[$source + offset];
    }
}
