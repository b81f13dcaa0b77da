// bfloat16: the upper half of a float. A separate type, so that its arrays
// need no header of a toolkit; rounding is to nearest, ties to even.
//
// SPDX-License-Identifier: MIT

struct __align__(2) Bfloat16 {
    unsigned short bits;
};

__device__ inline float bfloat16_to_float(Bfloat16 x)
{
    return __uint_as_float((unsigned int)x.bits << 16);
}

__device__ inline Bfloat16 float_to_bfloat16(float x)
{
    const unsigned int bits = __float_as_uint(x);
    const unsigned int nan = (bits >> 16 & 0x8000u) | 0x7fc0u;
    const unsigned int rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    Bfloat16 narrow;

    narrow.bits = (unsigned short)(x != x ? nan : rounded >> 16);
    return narrow;
}
