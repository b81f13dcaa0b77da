// Next representable numbers of bfloat16.
//
// SPDX-License-Identifier: MIT

__device__ inline float number_bfloat16_after(float x, float y)
{
    if (x != x || y != y) {
        return x + y;
    }
    if (x == y) {
        return y;
    }
    Bfloat16 next = float_to_bfloat16(x);
    if (x == 0) {
        next.bits = y < 0 ? 0x8001 : 1;
    } else {
        next.bits += (x < y) == (x > 0) ? 1 : -1;
    }
    return bfloat16_to_float(next);
}

__device__ inline float number_bfloat16_spacing(float x)
{
    if (x - x != 0) {
        return NAN;
    }
    return number_bfloat16_after(x, copysignf(INFINITY, x)) - x;
}
