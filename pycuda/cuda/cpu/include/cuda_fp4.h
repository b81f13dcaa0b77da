/* cuda_fp4.h - 4-bit floats, e2m1: 0, 0.5, 1, 1.5, 2, 3, 4 and 6, with a sign.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_fp6.h>

extern "C++" {

#define __CUDA_FP4_H__
#define __CUDA_FP4_TYPES_EXIST__

/* A single number occupies the lower half of a byte; vectors are packed. */
typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;

enum __nv_fp4_interpretation_t { __NV_E2M1 };

__pycuda_both __nv_fp4_storage_t
__pycuda_fp4_encode(float x, __nv_fp4_interpretation_t, bool nearest)
{
    return __pycuda_narrow_finite(x, 4, 1, 0, nearest);
}
__pycuda_both float
__pycuda_fp4_decode(__nv_fp4_storage_t x, __nv_fp4_interpretation_t)
{
    return __pycuda_narrow_value(x, 4, 1, 0);
}
#define __PYCUDA_FP    fp4
#define __PYCUDA_WIDTH 4
#include "fp8/convert.h"
#undef __PYCUDA_FP

__pycuda_both __nv_fp4_storage_t
__pycuda_e2m1_encode(float x)
{
    return __pycuda_fp4_encode(x, __NV_E2M1, true);
}
__pycuda_both float
__pycuda_e2m1_decode(__nv_fp4_storage_t x)
{
    return __pycuda_fp4_decode(x, __NV_E2M1);
}
__pycuda_both bool
__pycuda_e2m1_is_zero(__nv_fp4_storage_t x)
{
    return (x & 0x7u) == 0;
}

#define __PYCUDA_STEM   __nv_fp4
#define __PYCUDA_FORMAT e2m1
#include "fp8/type.h"
#undef __PYCUDA_STEM
#undef __PYCUDA_WIDTH
}
