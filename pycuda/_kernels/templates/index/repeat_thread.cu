// Repeats each element of a contiguous row COPIES times; one block, which has
// one thread, per $each elements.
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
