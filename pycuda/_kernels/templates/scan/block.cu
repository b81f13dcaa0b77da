// Each block scans a row, in tiles of as many elements as the block has
// threads.
extern "C" __global__ void scan_axis($out *out, const Stored *in,
                                     const Rows rows)
{
    __shared__ __align__(16) unsigned char memory[$block * sizeof(Value)];
    Value *shared = reinterpret_cast<Value *>(memory);
    const char *from =
        (const char *)in + offset_of<$ndim>(blockIdx.x, rows.shape, rows.in);
    char *to =
        (char *)out + offset_of<$ndim>(blockIdx.x, rows.shape, rows.out);
    Value carry = $neutral, lost = Value();
    for (long long base = 0; base < rows.length; base += $block) {
        const long long i = base + threadIdx.x;
        Value sum = $neutral;
        if (i < rows.length) {
            const Stored v = *(const Stored *)(from + i * rows.in_stride);
            sum = $map;
        }
        shared[threadIdx.x] = sum;
        __syncthreads();
        for (int step = 1; step < $block; step *= 2) {
            if (threadIdx.x >= step) {
                sum = combine(shared[threadIdx.x - step], sum);
            }
            __syncthreads();
            shared[threadIdx.x] = sum;
            __syncthreads();
        }
        const Value x = combine(settled(carry, lost), sum);
        if (i < rows.length) {
            *($out *)(to + i * rows.out_stride) = $finish;
        }
        keep(carry, lost, shared[$block - 1]);
        __syncthreads();
    }
}
