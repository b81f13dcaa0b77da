// Where values belong in a sorted row.  NaN comes after all numbers.
typedef $type Value;

template <class R>
__device__ inline bool real_before(R x, R y)
{
    return x < y || (y != y && x == x);
}

#if $is_complex
__device__ inline int nan_group(Value x)
{
    return 2 * (x.real() != x.real()) + (x.imag() != x.imag());
}
#endif

__device__ inline bool before(Value x, Value y)
{
    return $before;
}

extern "C" __global__ void search(long long *out, const Value *row,
                                  const long long *sorter,
                                  unsigned long long length,
                                  const Value *values,
                                  unsigned long long count)
{
    const unsigned long long i =
        (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Value value = values[i];
    unsigned long long low = 0, left = length;
    while (left > 0) {
        const unsigned long long half = left / 2, middle = low + half;
        const Value x = row[$sorter];
        const bool right = $goes_right;
        low = right ? middle + 1 : low;
        left = right ? left - half - 1 : half;
    }
    out[i] = (long long)low;
}
