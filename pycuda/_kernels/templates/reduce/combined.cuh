// Of N values, a power of two, as a tree.
template <int N> __device__ inline Value combined(Value *x)
{
#pragma unroll
    for (int half = N / 2; half > 0; half /= 2) {
#pragma unroll
        for (int k = 0; k < half; k++) {
            x[k] = combine(x[k], x[k + half]);
        }
    }
    return x[0];
}

