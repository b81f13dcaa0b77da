// Combines N values, a power of two, as a tree: one function per step, because
// nested loops are not always unrolled, and the values would then be in
// memory.
template <int N> __device__ inline Value combined(Value *x);

template <> __device__ inline Value combined<1>(Value *x)
{
    return x[0];
}

template <int N> __device__ inline Value combined(Value *x)
{
#pragma unroll
    for (int k = 0; k < N / 2; k++) {
        x[k] = combine(x[k], x[k + N / 2]);
    }
    return combined<N / 2>(x);
}

