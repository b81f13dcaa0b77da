/* cuda_fp8.h - 8-bit floats: e4m3, with 4 bits of exponent and no infinity,
 * and e5m2, the upper half of half precision.
 *
 * All conversions to them are rounded once, to nearest and ties to even.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C++" {

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* What is too large: infinity, which is NaN in e4m3, or the largest number. */
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* ---- to 8 bits ---- */

/* Numbers below the least normal one take their last place from an addition,
 * the others from the bits; either carries into the exponent where it must. */
__pycuda_both __nv_fp8_storage_t
__nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                      __nv_fp8_interpretation_t kind)
{
    const bool wide = kind == __NV_E5M2;
    const int dropped = wide ? 21 : 20;
    const unsigned int bias = (wide ? 112u : 120u) << 23;
    const float least = wide ? 0x1p-14f : 0x1p-6f;
    const float place = wide ? 0x1p7f : 0x1p14f;
    const unsigned int largest = wide ? 0x7bu : 0x7eu;
    const unsigned int above = wide ? 0x7cu : 0x7fu;

    unsigned int bits = __builtin_bit_cast(unsigned int, x);
    unsigned int sign = bits >> 24 & 0x80u;
    bits &= 0x7fffffffu;
    float size = __builtin_bit_cast(float, bits);
    unsigned int tie = (1u << (dropped - 1)) - 1u + (bits >> dropped & 1u);
    unsigned int normal = (bits - bias + tie) >> dropped;
    unsigned int small = __builtin_bit_cast(unsigned int, size + place) -
                         __builtin_bit_cast(unsigned int, place);
    unsigned int code = size < least ? small : normal;
    code = code <= largest              ? code
           : saturate == __NV_SATFINITE ? largest
                                        : above;
    return (__nv_fp8_storage_t)(x != x ? 0x7fu : sign | code);
}
__pycuda_both __nv_fp8_storage_t
__nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                       __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__pycuda_odd_float(x), saturate, kind);
}
__pycuda_both __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                        __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8((float)__half(x), saturate, kind);
}
__pycuda_both __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                            __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), saturate, kind);
}

/* Two: the first is the lower byte. */
#define __PYCUDA_TWO_TO_FP8(NAME, PAIR, ONE, X, Y)                            \
    __pycuda_both __nv_fp8x2_storage_t NAME(                                  \
        PAIR v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)   \
    {                                                                         \
        return (__nv_fp8x2_storage_t)(ONE(X, saturate, kind) |                \
                                      ONE(Y, saturate, kind) << 8);           \
    }
__PYCUDA_TWO_TO_FP8(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8,
                    v.x, v.y)
__PYCUDA_TWO_TO_FP8(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8,
                    v.x, v.y)
__PYCUDA_TWO_TO_FP8(__nv_cvt_halfraw2_to_fp8x2, __half2_raw,
                    __nv_cvt_halfraw_to_fp8, __half_raw{v.x}, __half_raw{v.y})
__PYCUDA_TWO_TO_FP8(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw,
                    __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{v.x},
                    __nv_bfloat16_raw{v.y})
#undef __PYCUDA_TWO_TO_FP8

/* ---- from 8 bits: half precision and so float hold them all ---- */

/* As half precision the bits of e4m3 would mean a 256th. */
__pycuda_both float
__pycuda_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    unsigned int sign = (x & 0x80u) << 8, size = x & 0x7fu;
    if (kind == __NV_E5M2) {
        return __pycuda_half_to_float((unsigned short)(x << 8));
    }
    float value =
        256.0f * __pycuda_half_to_float((unsigned short)(sign | size << 7));
    return size == 0x7fu ? __builtin_bit_cast(float, 0x7fffffffu) : value;
}
__pycuda_both __half_raw
__nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __half(__pycuda_fp8_to_float(x, kind));
}
__pycuda_both __half2_raw
__nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                           __nv_fp8_interpretation_t kind)
{
    return {
        __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
        __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x,
    };
}

#define __PYCUDA_FP8   __nv_fp8_e4m3
#define __PYCUDA_FP8X2 __nv_fp8x2_e4m3
#define __PYCUDA_FP8X4 __nv_fp8x4_e4m3
#define __PYCUDA_KIND  __NV_E4M3
#include "fp8/type.h"
#undef __PYCUDA_FP8
#undef __PYCUDA_FP8X2
#undef __PYCUDA_FP8X4
#undef __PYCUDA_KIND
#define __PYCUDA_FP8   __nv_fp8_e5m2
#define __PYCUDA_FP8X2 __nv_fp8x2_e5m2
#define __PYCUDA_FP8X4 __nv_fp8x4_e5m2
#define __PYCUDA_KIND  __NV_E5M2
#include "fp8/type.h"
#undef __PYCUDA_FP8
#undef __PYCUDA_FP8X2
#undef __PYCUDA_FP8X4
#undef __PYCUDA_KIND
}
