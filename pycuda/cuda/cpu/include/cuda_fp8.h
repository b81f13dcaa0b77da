/* cuda_fp8.h - 8-bit floats: e4m3, e5m2 and e8m0. e4m3 has 4 bits of exponent
 * and no infinity, e5m2 is the upper half of half precision, and e8m0 is a
 * power of two.
 *
 * All conversions to e4m3 and e5m2 round once, to nearest, ties to even.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C++" {

/* Programs test for this macro and the next one to see whether the header was
 * included. */
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* Treatment of values that are too large: with __NV_NOSAT they become infinity
 * (NaN in e4m3), with __NV_SATFINITE the largest number. */
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#include "fp8/narrow.h"
#include "fp8/pairs.h"

/* ---- to 8 bits ---- */

__pycuda_both __nv_fp8_storage_t
__nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                      __nv_fp8_interpretation_t kind)
{
    const bool wide = kind == __NV_E5M2;
    const unsigned int largest = wide ? 0x7bu : 0x7eu;
    const unsigned int above = wide ? 0x7cu : 0x7fu;

    unsigned int sign = __builtin_bit_cast(unsigned int, x) >> 24 & 0x80u;
    unsigned int code =
        __pycuda_narrow_magnitude(x, wide ? 2 : 3, wide ? -14 : -6, true);
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

#define __PYCUDA_FROM(NAME, PAIR, ONE, X, Y)                                  \
    __PYCUDA_PAIR_TO_NARROW(                                                  \
        NAME, __nv_fp8x2_storage_t, 8, PAIR, ONE, X, Y,                       \
        (__nv_saturation_t saturate, __nv_fp8_interpretation_t kind),         \
        (saturate, kind))
__PYCUDA_FROM(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, v.x,
              v.y)
__PYCUDA_FROM(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, v.x,
              v.y)
__PYCUDA_FROM(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8,
              __half_raw{v.x}, __half_raw{v.y})
__PYCUDA_FROM(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw,
              __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{v.x},
              __nv_bfloat16_raw{v.y})
#undef __PYCUDA_FROM

/* ---- conversions from 8 bits, exact in half precision and float ---- */

__pycuda_both float
__pycuda_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    if (kind == __NV_E5M2) {
        return __pycuda_half_to_float((unsigned short)(x << 8));
    }
    float value = __pycuda_narrow_value(x, 8, 3, -6);
    return (x & 0x7fu) == 0x7fu ? __builtin_bit_cast(float, 0x7fffffffu)
                                : value;
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

/* ---- classes ---- */

#define __PYCUDA_FUNCTIONS(FORMAT, KIND)                                      \
    __pycuda_both __nv_fp8_storage_t __pycuda_##FORMAT##_encode(float x)      \
    {                                                                         \
        return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, KIND);                \
    }                                                                         \
    __pycuda_both float __pycuda_##FORMAT##_decode(__nv_fp8_storage_t x)      \
    {                                                                         \
        return __pycuda_fp8_to_float(x, KIND);                                \
    }                                                                         \
    __pycuda_both bool __pycuda_##FORMAT##_is_zero(__nv_fp8_storage_t x)      \
    {                                                                         \
        return (x & 0x7fu) == 0;                                              \
    }
__PYCUDA_FUNCTIONS(e4m3, __NV_E4M3)
__PYCUDA_FUNCTIONS(e5m2, __NV_E5M2)
#undef __PYCUDA_FUNCTIONS

#define __PYCUDA_STEM   __nv_fp8
#define __PYCUDA_WIDTH  8
#define __PYCUDA_FORMAT e4m3
#include "fp8/type.h"
#define __PYCUDA_FORMAT e5m2
#include "fp8/type.h"
#include "fp8/e8m0.h"
#undef __PYCUDA_STEM
#undef __PYCUDA_WIDTH
}
