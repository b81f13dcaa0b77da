/* cuda_bf16.h - bfloat16: the upper half of a float.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Programs test for this macro and the next one to see whether the header was
 * included. */
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__
#include <cuda_fp16.h>

extern "C++" {

__pycuda_both float
__pycuda_bfloat16_to_float(unsigned short bits)
{
    return __builtin_bit_cast(float, (unsigned int)bits << 16);
}
__pycuda_both unsigned short
__pycuda_bfloat16_from_float(float x)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, x);
    /* every NaN becomes 0x7fff */
    return x == x ? (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16 : 0x7fff;
}

#define __PYCUDA_H    bfloat16
#define __PYCUDA_T    __nv_bfloat16
#define __PYCUDA_T2   __nv_bfloat162
#define __PYCUDA_RAW  __nv_bfloat16_raw
#define __PYCUDA_RAW2 __nv_bfloat162_raw
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
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__pycuda_both nv_bfloat162
make_bfloat162(nv_bfloat16 x, nv_bfloat16 y)
{
    return nv_bfloat162(x, y);
}
#define CUDART_INF_BF16     __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16     __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_ONE_BF16     __ushort_as_bfloat16((unsigned short)0x3f80u)
#define CUDART_ZERO_BF16    __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
}
