/* math_double_trig.h - circular and hyperbolic functions of double and their
 * inverses. math_parts.h describes the conventions, and math_float_trig.h the
 * methods that both types share.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C" {
__PYCUDA_LIBM double __pycuda_rare_sin(bool, double, double) __PYCUDA_CONST;
__PYCUDA_LIBM double __pycuda_rare_cos(bool, double, double) __PYCUDA_CONST;
__PYCUDA_LIBM double __pycuda_rare_tan(bool, double, double) __PYCUDA_CONST;
}

/* ---- circular functions ---- */

/* x - k pi; `low` is the rounding error of the result. */
__pycuda_both double
__pycuda_reduce(double x, double k, double &low)
{
    __PYCUDA_EXACT
    double first = __builtin_fma(k, -0x1.921fb54442d18p+1, x);
    double r = __builtin_fma(k, -0x1.1a62633145c07p-53, first);
    low = __builtin_fma(k, -0x1.1a62633145c07p-53, first - r);
    low = __builtin_fma(k, 0x1.f1976b7ed8fbcp-109, low);
    return r;
}
/* sin(r), |r| <= pi / 2, within [-1, 1] */
__pycuda_both double
__pycuda_sine(double r)
{
    __PYCUDA_EXACT
    double s = r * r;
    double y = __builtin_fma(r, s * __PYCUDA_SIN(s), r);
    y = 1.0 < y ? 1.0 : y;
    return -1.0 > y ? -1.0 : y;
}
__pycuda_both double
sin(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), low;
    double round = __builtin_fma(a, 0x1.45f306dc9c883p-2, __PYCUDA_ROUND);
    double r = __pycuda_reduce(a, round - __PYCUDA_ROUND, low);
    double y = __pycuda_sine(r);
    y = __pycuda_flip(y, __pycuda_bits(round) << 63 ^ __pycuda_bits(x));
    return __pycuda_rare_sin(!(a < 0x1p30), y, x);
}
__pycuda_both double
cos(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), low;
    double t = __builtin_fma(a, 0x1.45f306dc9c883p-2, 0.5);
    double round = t + __PYCUDA_ROUND, k = round - __PYCUDA_ROUND;
    double r = __pycuda_reduce(a, k - 0.5, low);
    double y = __pycuda_sine(r);
    y = __pycuda_flip(y, __pycuda_bits(round) << 63);
    return __pycuda_rare_cos(!(a < 0x1p30), y, x);
}
/* Computes sine and cosine of x, for |x| < 2^30. */
__pycuda_both void
__pycuda_sincos(double x, double *sine, double *cosine)
{
    __PYCUDA_EXACT
    double round = __builtin_fma(x, 0x1.45f306dc9c883p-1, __PYCUDA_ROUND);
    double k = round - __PYCUDA_ROUND;
    double r = __builtin_fma(k, -0x1.921fb54442d18p+0, x);
    r = __builtin_fma(k, -0x1.1a62633145c06p-54, r);
    r = __builtin_fma(k, -0x1.c1cd129024e09p-107, r);
    double s = r * r;
    double rest = __builtin_fma(s, __PYCUDA_SINQ(s), 0.0); /* never -0 */
    double a = __builtin_fma(r, rest, r);
    double b = __builtin_fma(s, __PYCUDA_COSQ(s), 1.0);
    long turns = __pycuda_bits(round);
    bool odd = turns << 63 < 0;
    long signs = (turns << 62) & (long)(1ul << 63); /* of the sine */
    *sine = __pycuda_real(__pycuda_bits(odd ? b : a) ^ signs);
    *cosine = __pycuda_real(__pycuda_bits(odd ? a : b) ^ signs ^ turns << 63);
}
__pycuda_both void
sincos(double x, double *sine, double *cosine)
{
    bool is_slow = !(__builtin_fabs(x) < 0x1p30);
    double y, z;
    __pycuda_sincos(x, &y, &z);
    *sine = __pycuda_rare_sin(is_slow, y, x);
    *cosine = __pycuda_rare_cos(is_slow, z, x);
}
__pycuda_both double
tan(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), low;
    double round = __builtin_fma(a, 0x1.45f306dc9c883p-1, __PYCUDA_ROUND);
    double k = round - __PYCUDA_ROUND;
    double r = __pycuda_reduce(a, k * 0.5, low), s = r * r;
    low = __builtin_fma(low, s, low);
    double y = __builtin_fma(r, s * __PYCUDA_TAN(s), low) + r;
    y = __pycuda_bits(round) & 1 ? -1.0 / y : y;
    y = __pycuda_flip(y, __pycuda_bits(x));
    return __pycuda_rare_tan(!(a < 0x1p30), y, x);
}
__pycuda_both double
__pycuda_sine_pi(double a, double turn)
{
    __PYCUDA_EXACT
    /* A number of 2^54 or more is an even integer, so its result is that of
     * 0: replace it by a - a, which is 0, but NaN for infinity. */
    a = a < 0x1p54 ? a : a - a;
    double k = __builtin_rint(a + a), r = __builtin_fma(k, -0.5, a);
    double s = r * r;
    double low = __builtin_fma(s, __PYCUDA_SINPI(s), 0x1.1a62633145c07p-53);
    double sine = __builtin_fma(r, 0x1.921fb54442d18p+1, r * low);
    double cosine = __builtin_fma(s, __PYCUDA_COSPI(s), 1.0);
    k = __builtin_fma(__builtin_rint(k * 0.25), -4.0, k) + turn;
    double half = k * 0.5;
    bool even = __builtin_rint(half) == half;
    double y = even ? sine : cosine;
    return k < 0.0 || k >= 2.0 ? 0.0 - y : y;
}
__pycuda_both double
sinpi(double x)
{
    double y = __pycuda_sine_pi(__builtin_fabs(x), 0.0);
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both double
cospi(double x)
{
    return __pycuda_sine_pi(__builtin_fabs(x), 1.0);
}
__pycuda_both void
sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}

/* ---- inverse circular functions ---- */

__pycuda_both double
__pycuda_arc(double a)
{
    __PYCUDA_EXACT
    bool far = a > 0.5;
    double s = far ? 0.5 - 0.5 * a : a * a;
    double z = far ? __builtin_sqrt(s) : a;
    return __builtin_fma(z, s * __PYCUDA_ASIN(s), z);
}
__pycuda_both double
asin(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), z = __pycuda_arc(a);
    double y = __builtin_fma(-2.0, z, 0x1.1a62633145c07p-54);
    y += 0x1.921fb54442d18p+0;
    return __pycuda_flip(a > 0.5 ? y : z, __pycuda_bits(x));
}
__pycuda_both double
acos(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), z = __pycuda_arc(a);
    double near = 0x1.921fb54442d18p+0 -
                  (__pycuda_flip(z, __pycuda_bits(x)) - 0x1.1a62633145c07p-54);
    double left = __builtin_fma(-2.0, z, 0x1.921fb54442d18p+1);
    return a > 0.5 ? (x > 0.0 ? z + z : left) : near;
}
/* atan(y / x) for 0 <= y <= x. If y / x exceeds tan(pi/8), it is computed from
 * the distance of the angle from pi/4. */
__pycuda_both double
__pycuda_octant(double y, double x)
{
    __PYCUDA_EXACT
    bool far = y > x * 0x1.a827999fcef34p-2;
    double t = (far ? y - x : y) / (far ? y + x : x), s = t * t;
    double angle = t * (s * __PYCUDA_ATAN(s));
    double near = angle + t;
    double turned = ((angle + 0x1.1a62633145c07p-55) + t);
    return far ? turned + 0x1.921fb54442d18p-1 : near;
}
__pycuda_both double
atan(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x);
    bool large = a > 1.0;
    double capped = a > 0x1p70 ? 0x1p70 : a;
    double y = __pycuda_octant(large ? 1.0 : a, large ? capped : 1.0);
    y = large ? 0x1.921fb54442d18p+0 - (y - 0x1.1a62633145c07p-54) : y;
    y = x != x ? x : y;
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both double
atan2(double y, double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    double more = a > b ? a : b, less = a > b ? b : a;
    double scale = more > 0x1p1000 ? 0x1p-100 : 1.0;
    bool whole = more == __PYCUDA_INF || more == 0.0;
    double p =
        whole ? (less == more && more != 0.0 ? 1.0 : 0.0) : less * scale;
    double angle = __pycuda_octant(p, whole ? 1.0 : more * scale);
    angle =
        b > a ? 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54) : angle;
    double left = 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53);
    angle = __pycuda_bits(x) < 0 ? left : angle;
    angle = x != x || y != y ? x + y : angle;
    return __pycuda_flip(angle, __pycuda_bits(y));
}

/* ---- hyperbolic functions and their inverses ---- */

__pycuda_both double
__pycuda_half_exp(double a)
{
    double round, z = a > 711.0 ? 711.0 : a;
    double y = __pycuda_exp_near(__pycuda_exp_reduce(z, round), 0.0);
    return __pycuda_scale(y, round, false, 1);
}
__pycuda_both double
sinh(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), half = __pycuda_half_exp(a);
    double s = a * a, near = __builtin_fma(a, s * __PYCUDA_SINH(s), a);
    double y = a > 1.0 ? half - 0.25 / half : near;
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both double
cosh(double x)
{
    double half = __pycuda_half_exp(__builtin_fabs(x));
    return half + 0.25 / half;
}
__pycuda_both void
__pycuda_sinh_cosh(double x, double *sine, double *cosine)
{
    *sine = sinh(x);
    *cosine = cosh(x);
}
__pycuda_both double
tanh(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), s = a * a;
    double near = __builtin_fma(a, s * __PYCUDA_TANH(s), a);
    double half = __pycuda_half_exp(a + a);
    double y = a > 0.625 ? 1.0 - 1.0 / (half + 0.5) : near;
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both double
__pycuda_log_of(double v, bool large)
{
    double y = log1p(v);
    return large ? y + 0x1.62e42fefa39efp-1 : y;
}
__pycuda_both double
asinh(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x), s = a * a;
    double root = __builtin_sqrt(__builtin_fma(a, a, 1.0));
    bool large = a > 0x1p60;
    double v = a + s / (1.0 + root);
    double y = __pycuda_log_of(large ? a : v, large);
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both double
acosh(double x)
{
    __PYCUDA_EXACT
    double t = x - 1.0;
    bool large = x > 0x1p60;
    double v = t + __builtin_sqrt(__builtin_fma(t, t, t + t));
    double y = __pycuda_log_of(large ? x : v, large);
    return x < 1.0 ? __PYCUDA_NAN : y;
}
__pycuda_both double
atanh(double x)
{
    __PYCUDA_EXACT
    double a = __builtin_fabs(x);
    double y = 0.5 * log1p((a + a) / (1.0 - a));
    return __pycuda_flip(y, __pycuda_bits(x));
}
