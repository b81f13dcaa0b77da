/* inverse.h - the inverse of the normal distribution.
 *
 * It uses Wichura's rational functions ("Algorithm AS 241: The Percentage
 * Points of the Normal Distribution", PPND16, Applied Statistics 37, 1988),
 * whose errors are below a unit in the last place of a double, computed by
 * operations that IEEE 754 defines: every device gets the same bits. Sums of
 * two numbers preserve intermediate rounding errors.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "transform.h"

/* Coefficients of the numerator and the denominator of three rational
 * functions: for u near one half, in the tails, and at the ends of the tails.
 * A row has the coefficients of one power, the highest power first. */
#define __PYCUDA_INVERSE_ROWS(ROW)                                            \
    ROW(2509.0809287301226727, 5226.4952788528545610,                         \
        7.74545014278341407640e-4, 1.05075007164441684324e-9,                 \
        2.01033439929228813265e-7, 2.04426310338993978564e-15)                \
    ROW(33430.575583588128105, 28729.085735721942674,                         \
        2.27238449892691845833e-2, 5.47593808499534494600e-4,                 \
        2.71155556874348757815e-5, 1.42151175831644588870e-7)                 \
    ROW(67265.770927008700853, 39307.895800092710610,                         \
        2.41780725177450611770e-1, 1.51986665636164571966e-2,                 \
        1.24266094738807843860e-3, 1.84631831751005468180e-5)                 \
    ROW(45921.953931549871457, 21213.794301586595867, 1.27045825245236838258, \
        1.48103976427480074590e-1, 2.65321895265761230930e-2,                 \
        7.86869131145613259100e-4)                                            \
    ROW(13731.693765509461125, 5394.1960214247511077, 3.64784832476320460504, \
        6.89767334985100004550e-1, 2.96560571828504891230e-1,                 \
        1.48753612908506148525e-2)                                            \
    ROW(1971.5909503065514427, 687.18700749205790830, 5.76949722146069140550, \
        1.67638483018380384940, 1.78482653991729133580,                       \
        1.36929880922735805310e-1)                                            \
    ROW(133.14166789178437745, 42.313330701600911252, 4.63033784615654529590, \
        2.05319162663775882187, 5.46378491116411436990,                       \
        5.99832206555887937690e-1)                                            \
    ROW(3.3871328727963666080, 1.0, 1.42343711074968357734, 1.0,              \
        6.65790464350110377720, 1.0)
#define __PYCUDA_INVERSE_STEP(A, B, C, D, E, F)                               \
    top = __pycuda_next_term(top, x, central ? A : far ? E : C);              \
    bottom = __pycuda_next_term(bottom, x, central ? B : far ? F : D);

/* One step of Horner's rule: returns sum * x + term. */
__pycuda_fn __pycuda_pair<double>
__pycuda_next_term(__pycuda_pair<double> sum, double x, double term)
{
    __pycuda_pair<double> product = __pycuda_product(sum.high, x);
    __pycuda_pair<double> next = __pycuda_sum_any(term, product.high);
    return {next.high, fma(sum.low, x, product.low + next.low)};
}

/* Returns the normal number whose cumulative probability is u, for u in [0,
 * 1]; infinite at both ends. */
__pycuda_fn double
__pycuda_normal_inverse(double u)
{
    double q = u - 0.5, tail = q < 0.0 ? u : 1.0 - u;
    bool central = fabs(q) <= 0.425, inside = tail > 0.0;
    __pycuda_pair<double> log = __pycuda_log(inside ? tail : 0.5);
    double square = -log.high, root = sqrt(square);
    double rest = fma(-root, root, square) - log.low;
    bool far = root > 5.0;
    /* lower part of root - 1.6: the rounding errors of the root and of 1.6 */
    double low = rest / (2.0 * root) + (far ? 0.0 : 8.881784197001252e-17);
    double x =
        central ? fma(-q, q, 0.180625) : (root - (far ? 5.0 : 1.6)) + low;
    __pycuda_pair<double> top = {0.0, 0.0}, bottom = {0.0, 0.0};
    __PYCUDA_INVERSE_ROWS(__PYCUDA_INVERSE_STEP)
    double ratio = top.high / bottom.high;
    rest = fma(-ratio, bottom.high, top.high);
    rest = (rest + fma(-ratio, bottom.low, top.low)) / bottom.high;
    double factor = central ? q : copysign(1.0, q);
    __pycuda_pair<double> y = __pycuda_product(ratio, factor);
    y.low += rest * factor;
    return inside ? y.high + y.low
                  : copysign(__longlong_as_double(0x7ff0000000000000ll), q);
}
#undef __PYCUDA_INVERSE_STEP
#undef __PYCUDA_INVERSE_ROWS

/* Returns the normal number whose cumulative probability is the middle of the
 * interval that the word x stands for. For words of the upper half, computes
 * the number of the mirrored word and negates it, so that both tails have all
 * digits. As in cuRAND, the functions for float round the middle to float and
 * use the upper half of a 64-bit word; those for double use 53 of the 64
 * bits. */
__pycuda_fn double
_curand_normal_icdf_double(unsigned int x)
{
    bool upper = x > 0x80000000u;
    double middle = fma((double)(upper ? 0xffffffffu - x : x),
                        2.3283064365386963e-10, 1.1641532182693481e-10);
    double n = __pycuda_normal_inverse(middle);
    return upper ? -n : n;
}
__pycuda_fn double
_curand_normal_icdf_double(unsigned long long x)
{
    x >>= 11;
    bool upper = x > 0x10000000000000ull;
    double middle = fma((double)(upper ? 0x1fffffffffffffull - x : x),
                        1.1102230246251565e-16, 5.551115123125783e-17);
    double n = __pycuda_normal_inverse(middle);
    return upper ? -n : n;
}
/* The normal number for the middle of a float's interval, in double precision.
 */
__pycuda_fn double
__pycuda_normal_of_float(unsigned int x)
{
    bool upper = x > 0x80000000u;
    float middle = fmaf((float)(upper ? 0xffffffffu - x : x),
                        2.3283064365386963e-10f, 1.1641532182693481e-10f);
    double n = __pycuda_normal_inverse((double)middle);
    return upper ? -n : n;
}
__pycuda_fn double
__pycuda_normal_of_float(unsigned long long x)
{
    return __pycuda_normal_of_float((unsigned int)(x >> 32));
}
__pycuda_fn float
_curand_normal_icdf(unsigned int x)
{
    return (float)__pycuda_normal_of_float(x);
}
__pycuda_fn float
_curand_normal_icdf(unsigned long long x)
{
    return (float)__pycuda_normal_of_float(x);
}
