/* type.h - __half or __nv_bfloat16, and pairs of them.
 *
 * Included once for each type, by cuda_fp16.h and cuda_bf16.h, which define
 * __PYCUDA_H (half, bfloat16), __PYCUDA_T and __PYCUDA_T2.
 *
 * SPDX-License-Identifier: MIT */

#include "join.h"
#define __PYCUDA_TO_FLOAT   __PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _to_float)
#define __PYCUDA_FROM_FLOAT __PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _from_float)

struct __align__(2) __PYCUDA_RAW {
    unsigned short x;
};
struct __align__(4) __PYCUDA_RAW2 {
    unsigned short x, y;
};

/* Converts a double to a float that rounds to the same 16-bit float as the
 * double: if the conversion is inexact, the float's last bit is odd. */
#ifndef __PYCUDA_ODD_FLOAT
#define __PYCUDA_ODD_FLOAT
__pycuda_both float
__pycuda_odd_float(double x)
{
    float near = (float)x;
    unsigned int bits = __builtin_bit_cast(unsigned int, near);
    if ((double)near == x || x != x || bits & 1u ||
        (bits & 0x7fffffffu) == 0x7f800000u) {
        return near;
    }
    bool away = (__builtin_fabs((double)near) > __builtin_fabs(x));
    if ((bits & 0x7fffffffu) == 0) {
        return __builtin_copysignf(0x1p-149f, (float)x);
    }
    return __builtin_bit_cast(float, away ? bits - 1u : bits + 1u);
}
/* Converts a 64-bit integer to a double that rounds to the same 16-bit float
 * as the integer. Shorter integers are exact in double. */
__pycuda_both double
__pycuda_odd_double(unsigned long value)
{
    bool lost = value >> 53 && value & 2047u;
    return (double)(lost ? (value & ~2047ul) | 2048u : value);
}
__pycuda_both double
__pycuda_odd_double(long value)
{
    return value < 0 ? -__pycuda_odd_double(0ul - (unsigned long)value)
                     : __pycuda_odd_double((unsigned long)value);
}
__pycuda_both double
__pycuda_odd_double(long long value)
{
    return __pycuda_odd_double((long)value);
}
__pycuda_both double
__pycuda_odd_double(unsigned long long value)
{
    return __pycuda_odd_double((unsigned long)value);
}
#define __PYCUDA_EXACT(TYPE)                                                  \
    __pycuda_both double __pycuda_odd_double(TYPE value)                      \
    {                                                                         \
        return (double)value;                                                 \
    }
__PYCUDA_EXACT(short)
__PYCUDA_EXACT(unsigned short)
__PYCUDA_EXACT(int)
__PYCUDA_EXACT(unsigned int)
__PYCUDA_EXACT(float)
#undef __PYCUDA_EXACT
#endif

struct __align__(2) __PYCUDA_T {
    unsigned short __x;

    __host__ __device__ __PYCUDA_T() = default;
    __host__ __device__ __PYCUDA_T(__PYCUDA_RAW raw) : __x(raw.x)
    {
    }
    __host__ __device__ __PYCUDA_T(float value)
        : __x(__PYCUDA_FROM_FLOAT(value))
    {
    }
    __host__ __device__ __PYCUDA_T(double value)
        : __x(__PYCUDA_FROM_FLOAT(__pycuda_odd_float(value)))
    {
    }
#define __PYCUDA_FROM(TYPE)                                                   \
    __host__ __device__ __PYCUDA_T(TYPE value)                                \
        : __x(__PYCUDA_FROM_FLOAT(__pycuda_odd_float(                           \
              __pycuda_odd_double(value))))                                   \
    {                                                                         \
    }
    __PYCUDA_FROM(short)
    __PYCUDA_FROM(unsigned short)
    __PYCUDA_FROM(int)
    __PYCUDA_FROM(unsigned int)
    __PYCUDA_FROM(long)
    __PYCUDA_FROM(unsigned long)
    __PYCUDA_FROM(long long)
    __PYCUDA_FROM(unsigned long long)
#undef __PYCUDA_FROM
    __host__ __device__ operator float() const
    {
        return __PYCUDA_TO_FLOAT(__x);
    }
    __host__ __device__ operator __PYCUDA_RAW() const
    {
        return {__x};
    }
    __host__ __device__ operator __PYCUDA_RAW() const volatile
    {
        return {__x};
    }
};

struct __align__(4) __PYCUDA_T2 {
    __PYCUDA_T x, y;

    __host__ __device__ __PYCUDA_T2() = default;
    __host__ __device__ __PYCUDA_T2(const __PYCUDA_T &a, const __PYCUDA_T &b)
        : x(a), y(b)
    {
    }
    __host__ __device__ __PYCUDA_T2(const __PYCUDA_RAW2 &raw)
        : x(__PYCUDA_RAW{raw.x}), y(__PYCUDA_RAW{raw.y})
    {
    }
    __host__ __device__ operator __PYCUDA_RAW2() const
    {
        return {x.__x, y.__x};
    }
};
