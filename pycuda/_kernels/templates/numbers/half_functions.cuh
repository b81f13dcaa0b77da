// Next representable numbers of float16.
//
// SPDX-License-Identifier: MIT

__device__ inline float number_half_after(float x, float y)
{
    if (x != x || y != y) {
        return x + y;
    }
    if (x == y) {
        return y;
    }
    unsigned short bits = __half_as_ushort(__float2half_rn(x));
    if (x == 0) {
        bits = y < 0 ? 0x8001 : 1;
    } else {
        bits = (x < y) == (x > 0) ? bits + 1 : bits - 1;
    }
    return __half2float(__ushort_as_half(bits));
}

__device__ inline float number_half_spacing(float x)
{
    if (x - x != 0) {
        return NAN;
    }
    const float size = fabsf(x);
    const float step = number_half_after(size, INFINITY) - size;
    return x < 0 ? -step : step;
}
