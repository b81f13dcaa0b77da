/* math_double_more.h - pow and the error functions of double. math_parts.h
 * describes the conventions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* exp(r + low), where `low` may exceed the rounding error of r. */
__pycuda_both double
__pycuda_exp_sum(double r, double low)
{
    __PYCUDA_EXACT
    double sum = r + low;
    return __pycuda_exp_near(sum, (r - sum) + low);
}

/* ---- powers ---- */

/* log(1 + f) as the sum of the result and `low`, with a relative error of
 * about 2^-66. With s = f / (2 + f), it is 2 s + 2/3 s^3 + s^5 P(s^2). P is
 * computed in double; the other terms are sums of two doubles. */
__pycuda_both double
__pycuda_log_exactly(double f, double &low)
{
    __PYCUDA_EXACT
    double below = 2.0 + f, inverse = 1.0 / below, s = f * inverse;
    double rest = __builtin_fma(-s, below, f) - s * (f - (below - 2.0));
    double s_low = rest * inverse;
    double t = s * s, t_low = __builtin_fma(s, s, -t) + 2.0 * s * s_low;
    double more = t * __PYCUDA_POW_LOG(t);
    double p = 0x1.5555555555555p-1 + more;
    double p_low = (0x1.5555555555555p-1 - p) + more + 0x1.5555555555555p-55;
    double cube = t * s;
    double cube_low = __builtin_fma(t, s, -cube) + t_low * s + t * s_low;
    double v = cube * p;
    double v_low = __builtin_fma(cube, p, -v) + cube * p_low + cube_low * p;
    double sum = 2.0 * s + v;
    low = (2.0 * s - sum) + v + (v_low + 2.0 * s_low);
    return sum;
}
/* x^y for x > 0, and for x = 0 and NaN. For 0, infinity and NaN, the exponent
 * `e` of x is replaced by a value with which the formula is correct. */
__pycuda_both double
__pycuda_power(double x, double y)
{
    __PYCUDA_EXACT
    double e, f = __pycuda_split(x, e), low;
    f = x > 0.0 && x < __PYCUDA_INF ? f : 0.0;
    e = x == 0.0 ? -__PYCUDA_INF : x < __PYCUDA_INF ? e : x;
    double log = __pycuda_log_exactly(f, low);
    double whole = e * 0x1.62e42fefa4000p-1, sum = whole + log;
    double rest = (whole - sum) + log;
    rest += __builtin_fma(e, -0x1.8432a1b0e2634p-43, low);
    double t = y * sum;
    double t_low = __builtin_fma(y, rest, __builtin_fma(y, sum, -t));
    t_low = __builtin_fabs(t) < 800.0 ? t_low : 0.0;
    t = t > 710.0 ? 710.0 : t;
    t = t < -760.0 ? -760.0 : t;
    double round = __builtin_fma(t, 0x1.71547652b82fep+0, __PYCUDA_ROUND);
    double k = round - __PYCUDA_ROUND;
    double part = __builtin_fma(k, -0x1.62e42fefa4000p-1, t);
    double r = __builtin_fma(k, 0x1.8432a1b0e2634p-43, part);
    t_low += __builtin_fma(k, 0x1.8432a1b0e2634p-43, part - r);
    double size = __pycuda_exp_sum(r, t_low);
    return __pycuda_scale(size, round, t < -700.0, 0);
}
__pycuda_both double
__pycuda_pow(double x, double y)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), size = __pycuda_power(a, y);
    bool edge = !(a > 0.0 && a < __PYCUDA_INF);
    bool whole = __builtin_rint(y) == y;
    bool odd = whole && __builtin_rint(y * 0.5) != y * 0.5;
    size = x == -1.0 && y == y ? 1.0 : size;
    size = x < 0.0 && !whole && !edge && y == y ? __PYCUDA_NAN : size;
    double result = __pycuda_flip(size, odd ? __pycuda_bits(x) : 0l);
    return x == 1.0 || y == 0.0 ? 1.0 : result;
}
__pycuda_both double
pow(double x, double y)
{
    __PYCUDA_POWER_OF(double, __builtin_sqrt, __PYCUDA_INF, x, y,
                      __pycuda_pow(x, y))
}

/* ---- the error function ---- */

/* exp(a^2) erfc(a), a >= 0 */
__pycuda_both double
__pycuda_erfcx(double a)
{
    __PYCUDA_EXACT
    double q = (a - 4.0) / (a + 4.0);
    return 0.5 * __PYCUDA_ERFC(q) / (a + 0.5);
}
/* scale * erfc(x + low) */
__pycuda_both double
__pycuda_erfc(double x, double low, double scale)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), round;
    a = a > 27.5 ? 27.5 : a;
    low = x < 0.0 ? -low : low;
    double square = a * a;
    double rest = __builtin_fma(2.0 * a, low, __builtin_fma(a, a, -square));
    double r = __pycuda_exp_reduce(-square, round);
    double y = __pycuda_exp_sum(r, -rest);
    y *= __pycuda_erfcx(a) * scale;
    y = __pycuda_scale(y, round, square > 600.0, 0);
    y = x < 0.0 ? scale + scale - y : y;
    double near = __builtin_fma(x, __PYCUDA_ERF(square), low) + x;
    y = a < 0.5 ? __builtin_fma(near, -scale, scale) : y;
    return x != x ? x : y;
}
__pycuda_both double
erf(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), s = a * a;
    double near = __builtin_fma(a, __PYCUDA_ERF_NEAR(s - 0.9375), a);
    double z = a > 5.95 ? 5.95 : a; /* erf(a) rounds to 1 for a > 5.95 */
    double root = __PYCUDA_ERF_TAIL(z - 1.375);
    root *= root;
    root *= root;
    double far = __builtin_fma(-root, root, 1.0);
    return __pycuda_flip(a > 1.375 ? far : near, __pycuda_bits(x));
}
__pycuda_both double
erfc(double x)
{
    return __pycuda_erfc(x, 0.0, 1.0);
}
__pycuda_both double
normcdf(double x)
{
    __PYCUDA_EXACT
    double z = x > 40.0 ? 40.0 : x;
    z = z < -40.0 ? -40.0 : z;
    double t = z * -0x1.6a09e667f3bcdp-1;
    double low = __builtin_fma(z, -0x1.6a09e667f3bcdp-1, -t);
    return __pycuda_erfc(t, __builtin_fma(z, 0x1.bdd3413b26456p-55, low), 0.5);
}
__pycuda_both double
erfcx(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), y = __pycuda_erfcx(a), round;
    y = a == __PYCUDA_INF ? 0.0 : y;
    double z = a > 26.64 ? 26.64 : a, square = z * z;
    double r = __pycuda_exp_reduce(square, round);
    double e = __pycuda_exp_sum(r, __builtin_fma(z, z, -square));
    e = __pycuda_scale(e, round, false, -1);
    return x < 0.0 ? e - y : y;
}
