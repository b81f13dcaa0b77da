// Insertion positions of values in a sorted row. NaN follows all numbers. Each
// thread searches for EACH values.
typedef $type Value;
enum { EACH = $each };

template <class R>
__device__ inline bool real_before(R x, R y)
{
    const int left = !(x >= y), is_number = x == x;
    return left & is_number; // Without branches, none can be mispredicted.
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

__device__ inline bool goes_right(Value x, Value value)
{
    return $goes_right;
}

extern "C" __global__ void search(long long *out, const Value *row,
                                  unsigned long long length,
                                  const Value *values,
                                  unsigned long long count)
{
    const unsigned long long first =
        ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    if (first >= count) {
        return;
    }
    const int own = count - first < EACH ? (int)(count - first) : EACH;
    Value value[EACH];
    unsigned long long low[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        value[k] = values[first + (k < own ? k : 0)];
        low[k] = 0;
    }
    // All searches execute the same steps, so that their loads overlap.
    unsigned long long left = length;
    while (left > 1) {
        const unsigned long long half = left / 2;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const unsigned long long middle = low[k] + half - 1;
            const bool right = goes_right(row[middle], value[k]);
            low[k] += half & -(unsigned long long)right;
        }
        left -= half;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const unsigned long long middle = low[k];
        if (k < own) {
            const bool right = left && goes_right(row[middle], value[k]);
            out[first + k] = (long long)(middle + right);
        }
    }
}
