/* math_float_trig.h - circular and hyperbolic functions of float, their
 * inverses, and the error function. math_parts.h describes the conventions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C" {
__PYCUDA_LIBM float __pycuda_rare_sinf(bool, float, float) __PYCUDA_CONST;
__PYCUDA_LIBM float __pycuda_rare_cosf(bool, float, float) __PYCUDA_CONST;
__PYCUDA_LIBM float __pycuda_rare_tanf(bool, float, float) __PYCUDA_CONST;
}

/* ---- circular functions ---- */

/* x - k pi, with k pi in three parts; the first difference is exact. */
__pycuda_both float
__pycuda_reduce(float x, float k)
{
    __PYCUDA_EXACT
    float r = __builtin_fmaf(k, -0x1.921fb6p+1f, x);
    r = __builtin_fmaf(k, 0x1.777a5cp-24f, r);
    return __builtin_fmaf(k, 0x1.ee59dap-49f, r);
}
/* sin(r) for |r| <= pi / 2, within [-1, 1]; tools/minimax.py computes the
 * coefficients. The term of r^3 is added separately, which keeps sin(x) for
 * |x| <= 10 within 1.48 units in the last place: the nearest number or one of
 * its neighbours. */
__pycuda_both float
__pycuda_sine(float r)
{
    __PYCUDA_EXACT
    float s = r * r, rest = s * (s * __PYCUDA_SINF_REST(s));
    return __builtin_fmaf(r, __builtin_fmaf(s, __PYCUDA_SINF_FIRST, rest), r);
}
/* All parts of pi have the same sign: for k = 0 the products are zeros that
 * keep the sign of x, so no correction is necessary afterwards. */
__pycuda_both float
sinf(float x)
{
    __PYCUDA_EXACT
    float round = __builtin_fmaf(x, 0x1.45f306p-2f, __PYCUDA_ROUNDF);
    float k = round - __PYCUDA_ROUNDF;
    float r = __builtin_fmaf(k, -0x1.921fb4p+1f, x);
    r = __builtin_fmaf(k, -0x1.4442d0p-23f, r);
    r = __builtin_fmaf(k, -0x1.84698ap-47f, r);
    float y = __pycuda_flip(__pycuda_sine(r), __pycuda_bits(round) << 31);
    return __pycuda_rare_sinf(!(__builtin_fabsf(x) < 0x1p17f), y, x);
}
/* cos(x) = -(-1)^n sin(x - (n + 1/2) pi), with n = floor(x / pi). The sum of
 * 2^16 + 1 and x / pi has n + 1 in bits 7 and up, and 7 bits of the fraction
 * below, so the remainder may exceed pi / 2 by pi / 256. |x| - pi / 2 is
 * rounded twice if |x| is small: the coefficients COSF are adjusted for that,
 * which keeps the result within 1.496 units in the last place for |x| <= 10.
 */
__pycuda_both float
cosf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x);
    int floor = __pycuda_bits(__builtin_fmaf(a, 0x1.45f306p-2f, 65537)) & -128;
    float r = __pycuda_reduce(a, __pycuda_real(floor) - 65536.5f), s = r * r;
    float rest = s * (s * __PYCUDA_COSF_REST(s));
    float y =
        __builtin_fmaf(r, __builtin_fmaf(s, __PYCUDA_COSF_FIRST, rest), r);
    y = __pycuda_real(__pycuda_bits(y) ^ floor << 24); /* its sign alone */
    /* cos(x) rounds to 1, but the rounded remainder may give 1 - 2^-24 */
    y = a < 0x1p-13f ? 1.0f : y;
    return __pycuda_rare_cosf(!(a < 0x1p17f), y, x);
}
/* Computes sine and cosine from one remainder x - k pi / 2, for |x| < 2^17. */
__pycuda_both void
__pycuda_sincos(float x, float *sine, float *cosine)
{
    __PYCUDA_EXACT
    float round = __builtin_fmaf(x, 0x1.45f306p-1f, __PYCUDA_ROUNDF);
    float k = round - __PYCUDA_ROUNDF;
    float r = __builtin_fmaf(k, -0x1.921fb4p+0f, x);
    r = __builtin_fmaf(k, -0x1.4442d0p-24f, r);
    r = __builtin_fmaf(k, -0x1.84698ap-48f, r);
    float s = r * r;
    float rest = __builtin_fmaf(s, __PYCUDA_SINQF(s), 0.0f); /* never -0 */
    float a = __builtin_fmaf(r, rest, r);
    float b = __builtin_fmaf(s, __PYCUDA_COSQF(s), 1.0f);
    int turns = __pycuda_bits(round);
    bool odd = turns << 31 < 0;
    int signs = (turns << 30) & (int)0x80000000; /* of the sine */
    *sine = __pycuda_real(__pycuda_bits(odd ? b : a) ^ signs);
    *cosine = __pycuda_real(__pycuda_bits(odd ? a : b) ^ signs ^ turns << 31);
}
__pycuda_both void
sincosf(float x, float *sine, float *cosine)
{
    bool is_slow = !(__builtin_fabsf(x) < 0x1p17f);
    float y, z;
    __pycuda_sincos(x, &y, &z);
    *sine = __pycuda_rare_sinf(is_slow, y, x);
    *cosine = __pycuda_rare_cosf(is_slow, z, x);
}
__pycuda_both float
tanf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x);
    float round = __builtin_fmaf(a, 0x1.45f306p-1f, __PYCUDA_ROUNDF);
    float r = __pycuda_reduce(a, (round - __PYCUDA_ROUNDF) * 0.5f);
    float s = r * r;
    float y = __builtin_fmaf(r, s * __PYCUDA_TANF(s), r);
    y = __pycuda_bits(round) & 1 ? -1.0f / y : y;
    y = __pycuda_flip(y, __pycuda_bits(x));
    return __pycuda_rare_tanf(!(a < 0x1p17f), y, x);
}

/* sin(pi r) or cos(pi r), where |x| = k / 2 + r, selected by the lowest bit of
 * k + turn, with the sign that the second bit gives. */
__pycuda_both float
__pycuda_sine_pi(float a, float turn)
{
    __PYCUDA_EXACT
    /* A number of 2^25 or more is an even integer, so its result is that of
     * 0: replace it by a - a, which is 0, but NaN for infinity. */
    a = a < 0x1p25f ? a : a - a;
    float k = __builtin_rintf(a + a), r = __builtin_fmaf(k, -0.5f, a);
    float s = r * r;
    float low = __builtin_fmaf(s, __PYCUDA_SINPIF(s), -0x1.777a5cp-24f);
    float sine = __builtin_fmaf(r, 0x1.921fb6p+1f, r * low);
    float cosine = __builtin_fmaf(s, __PYCUDA_COSPIF(s), 1.0f);
    /* k modulo 4, in [-2, 2] */
    k = __builtin_fmaf(__builtin_rintf(k * 0.25f), -4.0f, k) + turn;
    float half = k * 0.5f;
    bool even = __builtin_rintf(half) == half;
    float y = even ? sine : cosine;
    return k < 0.0f || k >= 2.0f ? 0.0f - y : y;
}
__pycuda_both float
sinpif(float x)
{
    float y = __pycuda_sine_pi(__builtin_fabsf(x), 0.0f);
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both float
cospif(float x)
{
    return __pycuda_sine_pi(__builtin_fabsf(x), 1.0f);
}
__pycuda_both void
sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/* ---- inverse circular functions ---- */

/* For a in [0, 1/2] returns asin(a). For a in (1/2, 1] returns acos(a) / 2,
 * which equals asin(sqrt((1 - a) / 2)). */
__pycuda_both float
__pycuda_arc(float a)
{
    __PYCUDA_EXACT
    bool far = a > 0.5f;
    float s = far ? 0.5f - 0.5f * a : a * a;
    float z = far ? __builtin_sqrtf(s) : a;
    return __builtin_fmaf(z, s * __PYCUDA_ASINF(s), z);
}
__pycuda_both float
asinf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), z = __pycuda_arc(a);
    float y = __builtin_fmaf(-2.0f, z, 0x1.921fb6p+0f);
    return __pycuda_flip(a > 0.5f ? y : z, __pycuda_bits(x));
}
__pycuda_both float
acosf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), z = __pycuda_arc(a);
    float near = 0x1.921fb6p+0f - __pycuda_flip(z, __pycuda_bits(x));
    float left = __builtin_fmaf(-2.0f, z, 0x1.921fb6p+1f);
    return a > 0.5f ? (x > 0.0f ? z + z : left) : near;
}
/* atan of 0 <= t <= 1 */
__pycuda_both float
__pycuda_octant(float t)
{
    __PYCUDA_EXACT
    float s = t * t;
    return __builtin_fmaf(t, s * __PYCUDA_ATANF(s), t);
}
__pycuda_both float
atanf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x);
    float y = __pycuda_octant(a > 1.0f ? 1.0f / a : a);
    y = a > 1.0f ? 0x1.921fb6p+0f - y : y;
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both float
atan2f(float y, float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    float more = a > b ? a : b, less = a > b ? b : a;
    float t = less / more;
    t = less == more ? (more == 0.0f ? 0.0f : 1.0f) : t;
    float angle = __pycuda_octant(t);
    angle = b > a ? 0x1.921fb6p+0f - angle : angle;
    float left = 0x1.921fb6p+1f - (angle + 0x1.777a5cp-24f);
    angle = __pycuda_bits(x) < 0 ? left : angle;
    angle = x != x || y != y ? x + y : angle;
    return __pycuda_flip(angle, __pycuda_bits(y));
}

/* ---- hyperbolic functions and their inverses ---- */

/* exp(a) / 2, a >= 0 */
__pycuda_both float
__pycuda_half_exp(float a)
{
    float round, z = a > 90.0f ? 90.0f : a;
    float y = __pycuda_exp_parts(z, 0.0f, round);
    return __pycuda_scale(y, round, false, 1);
}
__pycuda_both float
sinhf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), half = __pycuda_half_exp(a);
    float s = a * a, near = __builtin_fmaf(a, s * __PYCUDA_SINHF(s), a);
    float y = a > 1.0f ? half - 0.25f / half : near;
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both float
coshf(float x)
{
    float half = __pycuda_half_exp(__builtin_fabsf(x));
    return half + 0.25f / half;
}
/* Computes sinh(x) and cosh(x), for |x| <= 88. */
__pycuda_both void
__pycuda_sinh_cosh(float x, float *sine, float *cosine)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), s = a * a;
    float round = __builtin_fmaf(a, 0x1.715476p+0f, __PYCUDA_ROUNDF);
    float k = round - __PYCUDA_ROUNDF;
    float r = __builtin_fmaf(k, -0x1.62e400p-1f, a);
    r = __builtin_fmaf(k, -0x1.7f7d1cp-20f, r);
    float y = __builtin_fmaf(r * r, __PYCUDA_EXPF(r), r) + 1.0f;
    float half =
        y * __pycuda_real((__pycuda_bits(round) << 23) + (126 << 23));
    float rest = 0.25f / half;
    float near = __builtin_fmaf(a, s * __PYCUDA_SINHF(s), a);
    *sine = __pycuda_flip(a > 1.0f ? half - rest : near, __pycuda_bits(x));
    *cosine = half + rest;
}
__pycuda_both float
tanhf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), s = a * a;
    float near = __builtin_fmaf(a, s * __PYCUDA_TANHF(s), a);
    float half = __pycuda_half_exp(a + a);
    float y = a > 0.625f ? 1.0f - 1.0f / (half + 0.5f) : near;
    return __pycuda_flip(y, __pycuda_bits(x));
}
/* log(1 + v), or log(2 v) for large v */
__pycuda_both float
__pycuda_log_of(float v, bool large)
{
    float y = log1pf(v);
    return large ? y + 0x1.62e430p-1f : y;
}
__pycuda_both float
asinhf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), s = a * a;
    float root = __builtin_sqrtf(__builtin_fmaf(a, a, 1.0f));
    bool large = a > 0x1p40f;
    float v = a + s / (1.0f + root);
    float y = __pycuda_log_of(large ? a : v, large);
    return __pycuda_flip(y, __pycuda_bits(x));
}
__pycuda_both float
acoshf(float x)
{
    __PYCUDA_EXACT
    float t = x - 1.0f;
    bool large = x > 0x1p40f;
    float v = t + __builtin_sqrtf(__builtin_fmaf(t, t, t + t));
    float y = __pycuda_log_of(large ? x : v, large);
    return x < 1.0f ? __PYCUDA_NAN : y;
}
__pycuda_both float
atanhf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x);
    float y = 0.5f * log1pf((a + a) / (1.0f - a));
    return __pycuda_flip(y, __pycuda_bits(x));
}

/* ---- the error function ---- */

__pycuda_both float
erff(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), s = a * a, round;
    float near = __builtin_fmaf(a, __PYCUDA_ERFF(s), a);
    float z = a > 4.0f ? 4.0f : a;
    z = z < 1.0f ? 1.0f : z;
    z = __PYCUDA_ERFF_TAIL(z);
    float rest = __pycuda_exp_parts(z, 0.0f, round);
    float far = 1.0f - __pycuda_scale(rest, round, false, 0);
    far = a > 4.0f ? 1.0f : far;
    return __pycuda_flip(a > 1.0f ? far : near, __pycuda_bits(x));
}
/* exp(a^2) erfc(a), a >= 0 */
__pycuda_both float
__pycuda_erfcx(float a)
{
    __PYCUDA_EXACT
    float q = (a - 2.0f) / (a + 2.0f);
    return 0.5f * __PYCUDA_ERFCF(q) / (a + 0.5f);
}
/* scale * erfc(x + low) */
__pycuda_both float
__pycuda_erfc(float x, float low, float scale)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), round;
    a = a > 10.2f ? 10.2f : a;
    low = x < 0.0f ? -low : low;
    float square = a * a;
    float rest = __builtin_fmaf(2.0f * a, low, __builtin_fmaf(a, a, -square));
    float y = __pycuda_exp_parts(-square, -rest, round);
    y *= __pycuda_erfcx(a) * scale;
    y = __pycuda_scale(y, round, square > 60.0f, 0);
    y = x < 0.0f ? scale + scale - y : y;
    float near = __builtin_fmaf(x, __PYCUDA_ERFF(square), low) + x;
    y = a < 0.5f ? __builtin_fmaf(near, -scale, scale) : y;
    return x != x ? x : y;
}
__pycuda_both float
erfcf(float x)
{
    return __pycuda_erfc(x, 0.0f, 1.0f);
}
__pycuda_both float
normcdff(float x)
{
    __PYCUDA_EXACT
    float z = x > 15.0f ? 15.0f : x;
    z = z < -15.0f ? -15.0f : z;
    float t = z * -0x1.6a09e6p-1f;
    float low = __builtin_fmaf(z, -0x1.6a09e6p-1f, -t);
    return __pycuda_erfc(t, __builtin_fmaf(z, -0x1.9fcef4p-27f, low), 0.5f);
}
__pycuda_both float
erfcxf(float x)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), y = __pycuda_erfcx(a), round;
    y = a == __PYCUDA_INF ? 0.0f : y;
    float z = a > 9.43f ? 9.43f : a, square = z * z;
    float e = __pycuda_exp_parts(square, __builtin_fmaf(z, z, -square), round);
    e = __pycuda_scale(e, round, false, -1);
    return x < 0.0f ? e - y : y;
}
