/* math_to_long.h - lrint, lround and similar functions that round to 64-bit
 * integers.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C" {
__PYCUDA_LIBM long __pycuda_rare___pycuda_to_longf(bool, long,
                                                   float) __PYCUDA_CONST;
__PYCUDA_LIBM long __pycuda_rare___pycuda_to_long(bool, long,
                                                  double) __PYCUDA_CONST;
}

/* Rounds to the nearest integer, ties to even. Values out of range saturate to
 * the nearest representable integer, as in a cast. */
__pycuda_both long
__pycuda_to_nearest(float x)
{
    bool is_slow = !(__builtin_fabsf(x) < 0x1p63f);
    return __pycuda_rare___pycuda_to_longf(is_slow, __builtin_lrintf(x), x);
}
__pycuda_both long
__pycuda_to_nearest(double x)
{
    bool is_slow = !(__builtin_fabs(x) < 0x1p63);
    return __pycuda_rare___pycuda_to_long(is_slow, __builtin_lrint(x), x);
}
#define __PYCUDA_TO_INTEGER(TYPE, NAME, ROUND)                                \
    __pycuda_both TYPE NAME##f(float x)                                       \
    {                                                                         \
        return __pycuda_to_nearest(ROUND##f(x));                              \
    }                                                                         \
    __pycuda_both TYPE NAME(double x)                                         \
    {                                                                         \
        return __pycuda_to_nearest(ROUND(x));                                 \
    }
#define __PYCUDA_NO_ROUND(x)  (x)
#define __PYCUDA_NO_ROUNDf(x) (x)
__PYCUDA_TO_INTEGER(long, lrint, __PYCUDA_NO_ROUND)
__PYCUDA_TO_INTEGER(long, lround, round)
__PYCUDA_TO_INTEGER(long long, llrint, __PYCUDA_NO_ROUND)
__PYCUDA_TO_INTEGER(long long, llround, round)
#undef __PYCUDA_TO_INTEGER
#undef __PYCUDA_NO_ROUND
#undef __PYCUDA_NO_ROUNDf
