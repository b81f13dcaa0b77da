/* math_bessel_i.h - Bessel's modified functions of the orders 0 and 1.
 *
 * Below 9 their power series, as a polynomial of x^2; what x^2 was rounded by
 * would count up to four times in the results and is given back.  From 9 on
 * exp(x - 16) P(9 / x) / sqrt(x), which overflows where the functions do, and
 * whose exponent is exact.  Those of float are computed in double.  See
 * math_parts.h for how they are written.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* By what part of themselves the functions grow, about, from the rounded t to
 * a * a: their logarithms' slope is 0.5 / (a + 1) within a fifth where it
 * matters. */
__pycuda_both double
__pycuda_bessel_lost(double a, double t)
{
    __PYCUDA_EXACT
    return __builtin_fma(a, a, -t) * (0.5 / (a + 1.0));
}
/* exp(a - 16) / sqrt(a) of a >= 9; infinite, and no NaN, for infinity. */
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
