// The largest or smallest of eight numbers; NaN if one is.  A comparison finds
// NaN in two at once, so that this is half as much as eight that each look.
__device__ inline Value extreme_of(const Value *x)
{
    Value best[4];
    bool is_nan = false;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const Value a = x[2 * k], b = x[2 * k + 1];
        is_nan |= (a != a) | (b != b);
        best[k] = a $better b ? a : b;
    }
#pragma unroll
    for (int half = 2; half > 0; half /= 2) {
#pragma unroll
        for (int k = 0; k < half; k++) {
            best[k] = best[k] $better best[k + half] ? best[k] : best[k + half];
        }
    }
    return is_nan ? Value(NAN) : best[0];
}

