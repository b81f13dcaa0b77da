/* math_bessel_i.h - modified Bessel functions of orders 0 and 1.
 *
 * Below 9 they are computed by their power series, a polynomial of x^2. The
 * rounding error of x^2 would count up to four times in the result, so it is
 * corrected. From 9 on they are exp(x - 16) P(9 / x) / sqrt(x), which
 * overflows where the functions do and whose exponent is exact. The float
 * functions are computed in double. math_parts.h describes the conventions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Returns the approximate relative change of the functions if their argument
 * changes from t, which is a * a rounded, to the exact a * a. The slope of
 * their logarithms is 0.5 / (a + 1), with an error of at most a fifth where
 * the correction matters. */
__pycuda_both double
__pycuda_bessel_lost(double a, double t)
{
    __PYCUDA_EXACT
    return __builtin_fma(a, a, -t) * (0.5 / (a + 1.0));
}
/* exp(a - 16) / sqrt(a) for a >= 9; infinity, not NaN, for infinity. */
__pycuda_both double
__pycuda_bessel_growth(double a)
{
    __PYCUDA_EXACT
    double finite = a > 1e3 ? 1e3 : a;
    return exp(finite - 16.0) / sqrt(finite);
}
__pycuda_both double
cyl_bessel_i0(double x)
{
    __PYCUDA_EXACT
    double a = fabs(x), t = x * x, u = 9.0 / a;
    double near = __builtin_fma(t, __PYCUDA_I0(t), 1.0);
    near = __builtin_fma(near, __pycuda_bessel_lost(a, t), near);
    double far = __pycuda_bessel_growth(a) * __PYCUDA_I0_TAIL(u);
    return a < 9.0 ? near : far;
}
__pycuda_both double
cyl_bessel_i1(double x)
{
    __PYCUDA_EXACT
    double a = fabs(x), t = x * x, u = 9.0 / a;
    double near = __builtin_fma(t, __PYCUDA_I1(t), 0.5);
    near = x * __builtin_fma(near, __pycuda_bessel_lost(a, t), near);
    double far = __pycuda_bessel_growth(a) * __PYCUDA_I1_TAIL(u);
    return a < 9.0 ? near : __builtin_copysign(far, x);
}
__pycuda_both float
cyl_bessel_i0f(float x)
{
    return (float)cyl_bessel_i0((double)x);
}
__pycuda_both float
cyl_bessel_i1f(float x)
{
    return (float)cyl_bessel_i1((double)x);
}
