/* math_float_parts.h - remainders of float, and its exponent and fraction.
 *
 * All results are exact. math_parts.h describes the conventions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* ---- remainders ---- */

extern "C" {
__PYCUDA_LIBM float __pycuda_rare_fmodf(bool, float, float,
                                        float) __PYCUDA_CONST;
__PYCUDA_LIBM float __pycuda_rare_remainderf(bool, float, float,
                                             float) __PYCUDA_CONST;
}
/* If the integer quotient has fewer than 53 bits, the remainder is computed
 * exactly in double. Rounding in the division may make the quotient too large
 * by one, which is corrected afterwards. */
__pycuda_both float
fmodf(float x, float y)
{
    __PYCUDA_EXACT
    double a = __builtin_fabsf(x), b = __builtin_fabsf(y), ratio = a / b;
    double r = __builtin_fma(-__builtin_trunc(ratio), b, a);
    r = r < 0.0 ? r + b : r;
    r = r >= b ? r - b : r;
    float size = (float)(b == __PYCUDA_INF ? a : r);
    size = __pycuda_flip(size, __pycuda_bits(x));
    return __pycuda_rare_fmodf(!(ratio < 0x1p50), size, x, y);
}
/* Ties are detected if the quotient has fewer than 28 bits. */
__pycuda_both float
remainderf(float x, float y)
{
    __PYCUDA_EXACT
    double a = __builtin_fabsf(x), b = __builtin_fabsf(y), ratio = a / b;
    double r = __builtin_fma(-__builtin_rint(ratio), b, a);
    float size = (float)(b == __PYCUDA_INF ? a : r);
    size = __pycuda_flip(size, __pycuda_bits(x));
    return __pycuda_rare_remainderf(!(ratio < 0x1p26), size, x, y);
}
__pycuda_both float
fdimf(float x, float y)
{
    return x <= y ? 0.0f : x - y;
}
__pycuda_both double
fdim(double x, double y)
{
    return x <= y ? 0.0 : x - y;
}

/* ---- exponent and fraction ---- */

__pycuda_both float
ldexpf(float x, int n)
{
    n = n < -300 ? -300 : n > 300 ? 300 : n;
    return (float)(x * __pycuda_real((long)(n + 1023) << 52));
}
__pycuda_both float
scalbnf(float x, int n)
{
    return ldexpf(x, n);
}
__pycuda_both float
scalblnf(float x, long n)
{
    return ldexpf(x, n < -300 ? -300 : n > 300 ? 300 : (int)n);
}
/* The exponent of x, which must be neither 0 nor infinite. */
__pycuda_both int
__pycuda_exponent(float x)
{
    float a = __builtin_fabsf(x);
    bool tiny = a < 0x1p-126f;
    int bits = __pycuda_bits(tiny ? a * 0x1p23f : a);
    return (bits >> 23) - (tiny ? 127 + 23 : 127);
}
__pycuda_both int
ilogbf(float x)
{
    int e = __pycuda_exponent(x);
    e = __builtin_fabsf(x) == __PYCUDA_INF ? 0x7fffffff : e;
    return x == 0.0f || x != x ? (int)0x80000000 : e;
}
__pycuda_both float
logbf(float x)
{
    float y = (float)__pycuda_exponent(x);
    y = __builtin_fabsf(x) < __PYCUDA_INF ? y : x * x;
    return x == 0.0f ? -__PYCUDA_INF : y;
}
__pycuda_both float
frexpf(float x, int *n)
{
    bool whole = x == 0.0f || !(__builtin_fabsf(x) < __PYCUDA_INF);
    int e = whole ? 0 : __pycuda_exponent(x) + 1;
    *n = e;
    return ldexpf(x, -e);
}
__pycuda_both float
modff(float x, float *whole)
{
    float near = __builtin_truncf(x);
    float rest = __builtin_fabsf(x) == __PYCUDA_INF ? 0.0f : x - near;
    *whole = near;
    return __builtin_copysignf(rest, x);
}
__pycuda_both float
nextafterf(float x, float y)
{
    int bits = __pycuda_bits(x) + ((x < y) == (x > 0.0f) ? 1 : -1);
    float least = __pycuda_real(1 | (__pycuda_bits(y) & (int)0x80000000));
    float next = x == 0.0f ? least : __pycuda_real(bits);
    next = x == y ? y : next;
    return x != x || y != y ? x + y : next;
}
