/* e8m0.h - e8m0, a scale factor: the exponent of a power of two.
 *
 * Codes 0 to 254 are 2^-127 to 2^127, 255 is NaN. There is no sign and no
 * zero: conversions drop the sign, and numbers smaller than 2^-127 become
 * 2^-127.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Rounds up or down; with `finite`, numbers that are too large become 2^127,
 * not NaN. */
__pycuda_both __nv_fp8_storage_t
__pycuda_e8m0_round(float x, bool up, bool finite)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, x) & 0x7fffffffu;
    unsigned int exponent = bits >> 23, fraction = bits & 0x7fffffu;
    /* 2^-127 is a subnormal float. */
    unsigned int exact = exponent == 0 ? 0x400000u : 0u;
    unsigned int code = exponent + (up && fraction > exact ? 1u : 0u);
    code = code <= 254u ? code : finite ? 254u : 255u;
    return (__nv_fp8_storage_t)(x != x ? 255u : code);
}
__pycuda_both __nv_fp8_storage_t
__pycuda_e8m0_encode(float x)
{
    return __pycuda_e8m0_round(x, true, true);
}
__pycuda_both float
__pycuda_e8m0_decode(__nv_fp8_storage_t code)
{
    unsigned int bits = code == 0     ? 0x400000u
                        : code == 255 ? 0x7fffffffu
                                      : (unsigned int)code << 23;
    return __builtin_bit_cast(float, bits);
}
__pycuda_both bool
__pycuda_e8m0_is_zero(__nv_fp8_storage_t)
{
    return false;
}

/* Rounding modes other than toward zero and up fail an assertion for float and
 * double, as in CUDA's headers; for bfloat16 they mean toward zero. */
__pycuda_both __nv_fp8_storage_t
__nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                       cudaRoundMode rounding)
{
    assert(rounding == cudaRoundZero || rounding == cudaRoundPosInf);
    return __pycuda_e8m0_round(x, rounding == cudaRoundPosInf,
                               saturate == __NV_SATFINITE);
}
/* A finite double beyond the range of float is not infinite: it is rounded
 * down to 2^127. */
__pycuda_both __nv_fp8_storage_t
__nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                        cudaRoundMode rounding)
{
    bool huge = __builtin_fabs(x) < __builtin_inf() &&
                __builtin_fabs(x) > 0x1.fffffep127;
    return __nv_cvt_float_to_e8m0(huge ? 0x1.fffffep127f
                                       : __pycuda_odd_float(x),
                                  saturate, rounding);
}
__pycuda_both __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                             cudaRoundMode rounding)
{
    return __pycuda_e8m0_round((float)__nv_bfloat16(x),
                               rounding == cudaRoundPosInf,
                               saturate == __NV_SATFINITE);
}
#define __PYCUDA_FROM(NAME, PAIR, ONE, X, Y)                                  \
    __PYCUDA_PAIR_TO_NARROW(                                                  \
        NAME, __nv_fp8x2_storage_t, 8, PAIR, ONE, X, Y,                       \
        (__nv_saturation_t saturate, cudaRoundMode rounding),                 \
        (saturate, rounding))
__PYCUDA_FROM(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, v.x,
              v.y)
__PYCUDA_FROM(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0,
              v.x, v.y)
__PYCUDA_FROM(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw,
              __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw{v.x},
              __nv_bfloat16_raw{v.y})
#undef __PYCUDA_FROM

/* Exact. */
__pycuda_both __nv_bfloat16_raw
__nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    return __nv_bfloat16(__pycuda_e8m0_decode(x));
}
__pycuda_both __nv_bfloat162_raw
__nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    return {
        __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
        __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x,
    };
}

#define __PYCUDA_FORMAT e8m0
/* Integers do not saturate, since the range of e8m0 covers them. The
 * conversions to double and to float round to odd, so that the result equals a
 * single rounding to e8m0. */
#define __PYCUDA_INTEGER(x) __pycuda_odd_float(__pycuda_odd_double(x))
#define __PYCUDA_TO_BFLOAT162
#include "type.h"
