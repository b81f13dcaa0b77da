// Each element of a packed row COPIES times, one after the other; a block,
// which is one thread, for each $each elements.
enum { COPIES = $copies };

struct Item {
    $unit words[$count];
};

extern "C" __global__ void repeat(Item *out, const Item *row, long long size)
{
    const long long first = (long long)blockIdx.x * $each;
    const long long end = first + $each < size ? first + $each : size;
    for (long long i = first; i < end; i++) {
        const Item item = row[i];
        for (int k = 0; k < COPIES; k++) {
            out[i * COPIES + k] = item;
        }
    }
}
