/* cuda_fp6.h - 6-bit floats without infinity and NaN.
 *
 * The formats are e2m3, up to 7.5 in steps of at least an eighth, and e3m2, up
 * to 28.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <cuda_fp8.h>

extern "C++" {

#define __CUDA_FP6_H__
#define __CUDA_FP6_TYPES_EXIST__

/* One byte per number, which occupies its lower 6 bits. */
typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;

enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

__pycuda_both __nv_fp6_storage_t
__pycuda_fp6_encode(float x, __nv_fp6_interpretation_t kind, bool nearest)
{
    return kind == __NV_E2M3 ? __pycuda_narrow_finite(x, 6, 3, 0, nearest)
                             : __pycuda_narrow_finite(x, 6, 2, -2, nearest);
}
__pycuda_both float
__pycuda_fp6_decode(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind)
{
    return kind == __NV_E2M3 ? __pycuda_narrow_value(x, 6, 3, 0)
                             : __pycuda_narrow_value(x, 6, 2, -2);
}
#define __PYCUDA_FP    fp6
#define __PYCUDA_WIDTH 8
#include "fp8/convert.h"
#undef __PYCUDA_FP

#define __PYCUDA_FUNCTIONS(FORMAT, KIND)                                      \
    __pycuda_both __nv_fp6_storage_t __pycuda_##FORMAT##_encode(float x)      \
    {                                                                         \
        return __pycuda_fp6_encode(x, KIND, true);                            \
    }                                                                         \
    __pycuda_both float __pycuda_##FORMAT##_decode(__nv_fp6_storage_t x)      \
    {                                                                         \
        return __pycuda_fp6_decode(x, KIND);                                  \
    }                                                                         \
    __pycuda_both bool __pycuda_##FORMAT##_is_zero(__nv_fp6_storage_t x)      \
    {                                                                         \
        return (x & 0x1fu) == 0;                                              \
    }
__PYCUDA_FUNCTIONS(e2m3, __NV_E2M3)
__PYCUDA_FUNCTIONS(e3m2, __NV_E3M2)
#undef __PYCUDA_FUNCTIONS

#define __PYCUDA_STEM   __nv_fp6
#define __PYCUDA_FORMAT e2m3
#include "fp8/type.h"
#define __PYCUDA_FORMAT e3m2
#include "fp8/type.h"
#undef __PYCUDA_STEM
#undef __PYCUDA_WIDTH
}
