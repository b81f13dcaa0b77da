/* math_double.h - exponentials, logarithms and roots of double. math_parts.h
 * describes the conventions, and math_float.h the methods that both types
 * share.
 *
 * AVX2 has neither a conversion between 64-bit integers and double nor an
 * arithmetic shift of 64-bit integers: sums with ROUND replace both.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* ---- exponentials ---- */

__pycuda_both double
__pycuda_scale(double y, double round, bool low, int less)
{
    long bias = (low ? 1023 + 512 : 1022) - less;
    double first = __pycuda_real((__pycuda_bits(round) << 52) + (bias << 52));
    return y * first * (low ? 0x1p-512 : 2.0);
}
/* exp(r + low), |r| <= log(2) / 2 */
__pycuda_both double
__pycuda_exp_near(double r, double low)
{
    __PYCUDA_EXACT
    return 1.0 + (r + __builtin_fma(r * r, __PYCUDA_EXP(r), low));
}
/* Let k be x / log(2), rounded to an integer. Returns x - k log(2), and stores
 * __PYCUDA_ROUND + k in `round`; the low bits of this sum are those of k. */
__pycuda_both double
__pycuda_exp_reduce(double x, double &round)
{
    __PYCUDA_EXACT
    round = __builtin_fma(x, 0x1.71547652b82fep+0, __PYCUDA_ROUND);
    double k = round - __PYCUDA_ROUND;
    double r = __builtin_fma(k, -0x1.62e42fefa4000p-1, x);
    return __builtin_fma(k, 0x1.8432a1b0e2634p-43, r);
}
__pycuda_both double
exp(double x)
{
    double z = x > 710.0 ? 710.0 : x, round;
    z = z < -746.0 ? -746.0 : z;
    double y = __pycuda_exp_near(__pycuda_exp_reduce(z, round), 0.0);
    return __pycuda_scale(y, round, z < -700.0, 0);
}
__pycuda_both double
exp2(double x)
{
    __PYCUDA_EXACT
    double z = x > 1025.0 ? 1025.0 : x;
    z = z < -1080.0 ? -1080.0 : z;
    double round = z + __PYCUDA_ROUND;
    double part = z - (round - __PYCUDA_ROUND);
    double r = part * 0x1.62e42fefa39efp-1;
    double low = __builtin_fma(part, 0x1.62e42fefa39efp-1, -r);
    low = __builtin_fma(part, 0x1.abc9e3b39803fp-56, low);
    double y = __pycuda_exp_near(r, low);
    return __pycuda_scale(y, round, z < -1000.0, 0);
}
__pycuda_both double
exp10(double x)
{
    __PYCUDA_EXACT
    double z = x > 308.3 ? 308.3 : x;
    z = z < -325.0 ? -325.0 : z;
    double round = __builtin_fma(z, 0x1.a934f0979a371p+1, __PYCUDA_ROUND);
    double k = round - __PYCUDA_ROUND;
    double part = __builtin_fma(k, -0x1.34413509f8000p-2, z);
    double rest = __builtin_fma(k, 0x1.80433b83b532ap-44, part);
    double lost = __builtin_fma(k, 0x1.80433b83b532ap-44, part - rest);
    double r = rest * 0x1.26bb1bbb55516p+1;
    double low = __builtin_fma(rest, 0x1.26bb1bbb55516p+1, -r);
    low = __builtin_fma(rest, -0x1.f48ad494ea3e9p-53, low);
    low = __builtin_fma(lost, 0x1.26bb1bbb55516p+1, low);
    double y = __pycuda_exp_near(r, low);
    return __pycuda_scale(y, round, z < -300.0, 0);
}
__pycuda_both double
expm1(double x)
{
    __PYCUDA_EXACT
    double z = x > 710.0 ? 710.0 : x, round;
    z = z < -40.0 ? -40.0 : z;
    round = __builtin_fma(z, 0x1.71547652b82fep+0, __PYCUDA_ROUND);
    double k = round - __PYCUDA_ROUND;
    double part = __builtin_fma(k, -0x1.62e42fefa4000p-1, z);
    double r = __builtin_fma(k, 0x1.8432a1b0e2634p-43, part);
    double low = __builtin_fma(k, 0x1.8432a1b0e2634p-43, part - r);
    low = __builtin_fma(r * r, __PYCUDA_EXPM1(r), low);
    double half = __pycuda_real((__pycuda_bits(round) << 52) + (1022l << 52));
    /* Computes (r + low) half + (half - 1/2), with the rounding error of the
     * first sum. */
    double whole = half - 0.5, y = __builtin_fma(r, half, whole);
    double lost = __builtin_fma(r, half, whole - y);
    y += __builtin_fma(low, half, k == 0.0 ? 0.0 : lost);
    return __builtin_fabs(x) < 0x1p-60 ? x : y + y;
}

/* ---- logarithms ---- */

/* Returns the integer that, subtracted from the bits of x, divides x by the
 * power of two 2^e for which the quotient is nearest to 1. Sets `e`. */
__pycuda_both long
__pycuda_log_shift(double x, double &e)
{
    long away = __pycuda_bits(x) - 0x3fe5555555555555;
    unsigned long biased = (unsigned long)(away + (1l << 62)) >> 52;
    e = __pycuda_real((long)(biased | 0x4330000000000000)) - (0x1p52 + 1024.0);
    return away & (long)(0xffful << 52);
}
__pycuda_both double
__pycuda_split(double x, double &e)
{
    bool tiny = x < 0x1p-1022;
    double y = tiny ? x * 0x1p52 : x;
    long shift = __pycuda_log_shift(y, e);
    e -= tiny ? 52.0 : 0.0;
    return __pycuda_real(__pycuda_bits(y) - shift) - 1.0;
}
/* log(1 + f) - f */
__pycuda_both double
__pycuda_log_rest(double f)
{
    __PYCUDA_EXACT
    double s = f / (2.0 + f), half = 0.5 * f * f, t = s * s;
    return __builtin_fma(s, __builtin_fma(t, __PYCUDA_LOG(t), half), -half);
}
__pycuda_both double
__pycuda_log_end(double x, double y)
{
    double end = x == 0.0 ? -__PYCUDA_INF : x + __PYCUDA_NAN;
    y = x < __PYCUDA_INF ? y : x;
    return x > 0.0 ? y : end;
}
__pycuda_both double
log(double x)
{
    __PYCUDA_EXACT
    double e, f = __pycuda_split(x, e), rest = __pycuda_log_rest(f);
    double y = f + __builtin_fma(e, -0x1.8432a1b0e2634p-43, rest);
    return __pycuda_log_end(x, __builtin_fma(e, 0x1.62e42fefa4000p-1, y));
}
__pycuda_both double
log2(double x)
{
    __PYCUDA_EXACT
    double e, f = __pycuda_split(x, e), rest = __pycuda_log_rest(f);
    double low =
        __builtin_fma(f, 0x1.777d0ffda0d24p-56, rest * 0x1.71547652b82fep+0);
    double y = e + __builtin_fma(f, 0x1.71547652b82fep+0, low);
    return __pycuda_log_end(x, y);
}
__pycuda_both double
log10(double x)
{
    __PYCUDA_EXACT
    double e, f = __pycuda_split(x, e), rest = __pycuda_log_rest(f);
    double low =
        __builtin_fma(f, 0x1.95355baaafad3p-57, rest * 0x1.bcb7b1526e50ep-2);
    low = __builtin_fma(e, -0x1.80433b83b532ap-44, low);
    double y = __builtin_fma(f, 0x1.bcb7b1526e50ep-2, low);
    y = __builtin_fma(e, 0x1.34413509f8000p-2, y);
    return __pycuda_log_end(x, y);
}
__pycuda_both double
log1p(double x)
{
    __PYCUDA_EXACT
    double e;
    long shift = __pycuda_log_shift(1.0 + x, e);
    double four = __pycuda_real(0x4010000000000000 - shift);
    double scaled = __pycuda_real(__pycuda_bits(x) - shift);
    double less = __builtin_fma(0.25, four, -1.0);
    double f = scaled + less, back = f - scaled;
    double lost = (scaled - (f - back)) + (less - back);
    double rest = __pycuda_log_rest(f) + lost;
    double y = f + __builtin_fma(e, -0x1.8432a1b0e2634p-43, rest);
    y = __builtin_fma(e, 0x1.62e42fefa4000p-1, y);
    y = x < __PYCUDA_INF ? y : x;
    double end = x == -1.0 ? -__PYCUDA_INF : x + __PYCUDA_NAN;
    y = x > -1.0 ? y : end;
    return x == 0.0 ? x : y;
}

/* ---- roots ---- */

__pycuda_both double
rsqrt(double x)
{
    return 1.0 / __builtin_sqrt(x);
}
/* Splits |x| = 2^(3q) a with 1 <= a < 8, as math_float.h does; `y`
 * approximates a^(-1/3) with 40 bits. */
__pycuda_both double
__pycuda_cube(double x, double &y, double &power)
{
    __PYCUDA_EXACT
    double size = __builtin_fabs(x);
    bool tiny = size < 0x1p-1022;
    long bits = __pycuda_bits(tiny ? size * 0x1p54 : size);
    double m = __pycuda_real((bits & 0xfffffffffffff) | 0x3ff0000000000000);
    double e = __pycuda_real((bits >> 52) | 0x4330000000000000);
    e -= 0x1p52 + 1023.0;
    double q = __builtin_rint((e - 1.0) * 0x1.5555555555555p-2);
    double s = __builtin_fma(q, -3.0, e);
    y = __PYCUDA_RCBRT(m);
    y *= s == 0.0   ? 1.0
         : s == 1.0 ? 0x1.965fea53d6e3dp-1
                    : 0x1.428a2f98d728bp-1;
    power = q - (tiny ? 18.0 : 0.0);
    double a = m * (s == 0.0 ? 1.0 : s == 1.0 ? 2.0 : 4.0);
    double miss = __builtin_fma(-a * y, y * y, 1.0);
    double more =
        __builtin_fma(miss, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2);
    y = __builtin_fma(y * miss, more, y);
    return a;
}
__pycuda_both double
__pycuda_power_of_2(double k)
{
    return __pycuda_real((__pycuda_bits(k + __PYCUDA_ROUND) << 52) +
                         (1023l << 52));
}
__pycuda_both double
cbrt(double x)
{
    __PYCUDA_EXACT
    double y, q, a = __pycuda_cube(x, y, q);
    double c = a * (y * y), square = c * c;
    double low = __builtin_fma(c, c, -square);
    double miss = __builtin_fma(square, c, -a) + low * c;
    c = __builtin_fma(miss, y * y * -0x1.5555555555555p-2, c);
    c = __pycuda_flip(c * __pycuda_power_of_2(q), __pycuda_bits(x));
    return x == 0.0 || !(__builtin_fabs(x) < __PYCUDA_INF) ? x : c;
}
__pycuda_both double
rcbrt(double x)
{
    __PYCUDA_EXACT
    double y, q, a = __pycuda_cube(x, y, q);
    double p1 = a * y, p2 = p1 * y;
    double low = __builtin_fma(p1, y, -p2) + __builtin_fma(a, y, -p1) * y;
    double miss = __builtin_fma(-p2, y, 1.0) - low * y;
    y = __builtin_fma(miss, y * 0x1.5555555555555p-2, y);
    y = __pycuda_flip(y * __pycuda_power_of_2(-q), __pycuda_bits(x));
    return x == 0.0 || !(__builtin_fabs(x) < __PYCUDA_INF) ? 1.0 / x : y;
}
__pycuda_both double
hypot(double x, double y)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    const long low = 1l << 52, high = 2045l << 52;
    long e = __pycuda_bits(a > b ? a : b) & (0x7ffl << 52);
    e = e < low ? low : e > high ? high : e;
    double scale = __pycuda_real((2046l << 52) - e);
    double p = a * scale, q = b * scale;
    double size = __builtin_sqrt(__builtin_fma(p, p, q * q));
    size *= __pycuda_real(e);
    return a == __PYCUDA_INF || b == __PYCUDA_INF ? __PYCUDA_INF : size;
}
