// The indices of flags that are set, given the running count of set flags.
extern "C" __global__ void compact(long long *out, const long long *ends,
                                   unsigned long long size)
{
    unsigned long long i =
        (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size && ends[i] != (i ? ends[i - 1] : 0)) {
        out[ends[i] - 1] = (long long)i;
    }
}
