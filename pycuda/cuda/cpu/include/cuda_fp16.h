/* cuda_fp16.h - half precision: 5 bits of exponent, 11 of significand.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Programs test for this macro and the next one to see whether the header was
 * included. */
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

extern "C++" {

__pycuda_both float
__pycuda_half_to_float(unsigned short bits)
{
    return (float)__builtin_bit_cast(_Float16, bits);
}
__pycuda_both unsigned short
__pycuda_half_from_float(float x)
{
    /* every NaN becomes 0x7fff */
    return x == x ? __builtin_bit_cast(unsigned short, (_Float16)x) : 0x7fff;
}

#define __PYCUDA_H    half
#define __PYCUDA_T    __half
#define __PYCUDA_T2   __half2
#define __PYCUDA_RAW  __half_raw
#define __PYCUDA_RAW2 __half2_raw
#include "half/type.h"
#include "half/convert.h"
#include "half/arithmetic.h"
#include "half/compare.h"
#include "half/functions.h"
#include "half/threads.h"
#undef __PYCUDA_H
#undef __PYCUDA_T
#undef __PYCUDA_T2
#undef __PYCUDA_RAW
#undef __PYCUDA_RAW2
typedef __half half, __nv_half, nv_half;
typedef __half2 half2, __nv_half2, nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

__pycuda_both half2
make_half2(half x, half y)
{
    return half2(x, y);
}
#define CUDART_INF_FP16     __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16     __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_ONE_FP16     __ushort_as_half((unsigned short)0x3c00u)
#define CUDART_ZERO_FP16    __ushort_as_half((unsigned short)0x0000u)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
}
