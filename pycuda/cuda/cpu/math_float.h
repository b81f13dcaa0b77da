/* math_float.h - exponentials, logarithms, powers and roots of float.
 * math_parts.h describes the conventions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* ---- exponentials ---- */

/* Returns y 2^n with n = round - ROUND - less. Multiplies by two factors, and
 * only the second product may round. The factors are 2^(n + 64) and 2^-64 if
 * `low` is true (for the smallest n), otherwise 2^(n - 1) and 2. */
__pycuda_both float
__pycuda_scale(float y, float round, bool low, int less)
{
    int bias = (low ? 127 + 64 : 126) - less;
    float first = __pycuda_real((__pycuda_bits(round) << 23) + (bias << 23));
    return y * first * (low ? 0x1p-64f : 2.0f);
}

/* y 2^k = exp(x + extra), for x in [-104, 90] and small |extra|. */
__pycuda_both float
__pycuda_exp_parts(float x, float extra, float &round)
{
    __PYCUDA_EXACT
    round = __builtin_fmaf(x, 0x1.715476p+0f, __PYCUDA_ROUNDF);
    float k = round - __PYCUDA_ROUNDF;
    float r = __builtin_fmaf(k, -0x1.62e400p-1f, x);
    r = __builtin_fmaf(k, -0x1.7f7d1cp-20f, r) + extra;
    return __builtin_fmaf(r * r, __PYCUDA_EXPF(r), r) + 1.0f;
}
__pycuda_both float
expf(float x)
{
    float z = x > 89.0f ? 89.0f : x, round;
    z = z < -104.0f ? -104.0f : z;
    float y = __pycuda_exp_parts(z, 0.0f, round);
    return __pycuda_scale(y, round, z < -86.0f, 0);
}
__pycuda_both float
exp2f(float x)
{
    __PYCUDA_EXACT
    float z = x > 129.0f ? 129.0f : x;
    z = z < -151.0f ? -151.0f : z;
    float round = z + __PYCUDA_ROUNDF;
    float r = z - (round - __PYCUDA_ROUNDF);
    float y = __builtin_fmaf(r, __PYCUDA_EXP2F(r), 1.0f);
    return __pycuda_scale(y, round, z < -125.0f, 0);
}
__pycuda_both float
exp10f(float x)
{
    __PYCUDA_EXACT
    float z = x > 38.6f ? 38.6f : x;
    z = z < -46.0f ? -46.0f : z;
    float round = __builtin_fmaf(z, 0x1.a934f0p+1f, __PYCUDA_ROUNDF);
    float k = round - __PYCUDA_ROUNDF;
    float r = __builtin_fmaf(k, -0x1.344000p-2f, z);
    r = __builtin_fmaf(k, -0x1.3509f8p-18f, r);
    float y = __builtin_fmaf(r, __PYCUDA_EXP10F(r), 1.0f);
    return __pycuda_scale(y, round, z < -37.0f, 0);
}
__pycuda_both float
expm1f(float x)
{
    __PYCUDA_EXACT
    float z = x > 89.0f ? 89.0f : x;
    z = z < -18.0f ? -18.0f : z;
    float round = __builtin_fmaf(z, 0x1.715476p+0f, __PYCUDA_ROUNDF);
    float k = round - __PYCUDA_ROUNDF;
    float r = __builtin_fmaf(k, -0x1.62e400p-1f, z);
    r = __builtin_fmaf(k, -0x1.7f7d1cp-20f, r);
    float p = __builtin_fmaf(r * r, __PYCUDA_EXPM1F(r), r);
    /* Half of the result, since float cannot hold 2^128. */
    float half = __pycuda_real((__pycuda_bits(round) << 23) + (126 << 23));
    float y = __builtin_fmaf(p, half, half - 0.5f);
    return __builtin_fabsf(x) < 0x1p-30f ? x : y + y;
}

/* ---- logarithms ---- */

/* Splits x = 2^(e / 2^23) (1 + f), with 2/3 <= 1 + f < 4/3, for x > 0,
 * subnormal numbers included. For 0, infinity and NaN, sets `e` to -infinity,
 * infinity and NaN, so that a sum with `e` is the correct logarithm. */
__pycuda_both float
__pycuda_split(float x, float &e)
{
    bool tiny = x < 0x1p-126f;
    int bits = __pycuda_bits(tiny ? x * 0x1p23f : x);
    int shift = (bits - 0x3f2aaaab) & (int)0xff800000;
    e = (float)shift - (tiny ? 23 * 0x1p23f : 0.0f);
    e = x == 0.0f ? -__PYCUDA_INF : e;
    e = x < __PYCUDA_INF ? e : x;
    return __pycuda_real(bits - shift) - 1.0f;
}
/* log(1 + f) - f */
__pycuda_both float
__pycuda_log_rest(float f)
{
    __PYCUDA_EXACT
    float s = f * f;
    return s * __builtin_fmaf(f, __PYCUDA_LOGF(f), -0.5f);
}
__pycuda_both float
logf(float x)
{
    __PYCUDA_EXACT
    float e, f = __pycuda_split(x, e), rest = __pycuda_log_rest(f);
    float y = f + __builtin_fmaf(e, 0x1.7f7d1cp-43f, rest);
    y = __builtin_fmaf(e, 0x1.62e400p-24f, y);
    return x < 0.0f ? __PYCUDA_NAN : y;
}
/* f / log(2) in two parts, because the error bound is 1 ulp. */
__pycuda_both float
log2f(float x)
{
    __PYCUDA_EXACT
    float e, f = __pycuda_split(x, e), rest = __pycuda_log_rest(f);
    float y = __builtin_fmaf(f, 0x1.4ae0cp-26f, rest * 0x1.715476p+0f);
    y = __builtin_fmaf(f, 0x1.715476p+0f, y);
    y = __builtin_fmaf(e, 0x1p-23f, y);
    return x < 0.0f ? __PYCUDA_NAN : y;
}
__pycuda_both float
log10f(float x)
{
    __PYCUDA_EXACT
    float e, f = __pycuda_split(x, e), rest = __pycuda_log_rest(f);
    float y = (f + rest) * 0x1.bcb7b2p-2f;
    y = __builtin_fmaf(e, 0x1.3509f8p-41f, y);
    y = __builtin_fmaf(e, 0x1.344000p-25f, y);
    return x < 0.0f ? __PYCUDA_NAN : y;
}
__pycuda_both float
log1pf(float x)
{
    __PYCUDA_EXACT
    int shift = (__pycuda_bits(1.0f + x) - 0x3f2aaaab) & (int)0xff800000;
    /* f = (1 + x) / 2^e - 1, and its rounding error */
    float four = __pycuda_real(0x40800000 - shift);
    float scaled = __pycuda_real(__pycuda_bits(x) - shift);
    float less = __builtin_fmaf(0.25f, four, -1.0f);
    float f = scaled + less, back = f - scaled;
    float lost = (scaled - (f - back)) + (less - back);
    float e = (float)(shift >> 23);
    float rest = __pycuda_log_rest(f) + lost;
    float y = f + __builtin_fmaf(e, 0x1.7f7d1cp-20f, rest);
    y = __builtin_fmaf(e, 0x1.62e400p-1f, y);
    y = x < __PYCUDA_INF ? y : x;
    float end = x == -1.0f ? -__PYCUDA_INF : x + __PYCUDA_NAN;
    y = x > -1.0f ? y : end;
    return x == 0.0f ? x : y;
}

/* ---- powers and roots ---- */

/* x^y for exponents such as 2 and -1, for which a few operations are as
 * accurate as the general algorithm. For other exponents, the result is
 * `fast_value`. The compiler knows the exponent in most programs, and then
 * keeps one branch. */
#define __PYCUDA_POWER_OF(T, SQRT, INF, x, y, fast_value)                     \
    __PYCUDA_EXACT                                                            \
    if (__builtin_constant_p(y)) {                                            \
        if (y == (T)1) {                                                      \
            return x;                                                         \
        }                                                                     \
        if (y == (T)2) {                                                      \
            return x * x;                                                     \
        }                                                                     \
        if (y == (T)3) {                                                      \
            return x * x * x;                                                 \
        }                                                                     \
        if (y == (T)4) {                                                      \
            T square = x * x;                                                 \
            return square * square;                                           \
        }                                                                     \
        if (y == (T)-1) {                                                     \
            return (T)1 / x;                                                  \
        }                                                                     \
        if (y == (T)-2) {                                                     \
            T inverse = (T)1 / x;                                             \
            return inverse * inverse;                                         \
        }                                                                     \
        if (y == (T)0.5) { /* -0 and -infinity have positive results */       \
            T root = SQRT(x + (T)0);                                          \
            return x == -INF ? INF : root;                                    \
        }                                                                     \
    }                                                                         \
    return fast_value;

/* Computed in double, because the logarithm needs 32 bits. */
__pycuda_both float
__pycuda_powf(float x, float y)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), e, near = __pycuda_split(a, e);
    bool edge = !(a > 0.0f && a < __PYCUDA_INF);
    double f = edge ? 0.0f : near;
    double t = __builtin_fma(f, __PYCUDA_POWF_LOG(f), (double)(e * 0x1p-23f));
    t *= y;
    t = t > 130.0 ? 130.0 : t;
    t = t < -152.0 ? -152.0 : t;
    double round = t + __PYCUDA_ROUND;
    double r = t - (round - __PYCUDA_ROUND);
    long scale = (__pycuda_bits(round) << 52) + (1023l << 52);
    float size = (float)(__PYCUDA_POWF_EXP(r) * __pycuda_real(scale));
    bool whole = __builtin_rintf(y) == y;
    bool odd = whole && __builtin_rintf(y * 0.5f) != y * 0.5f;
    size = x == -1.0f && y == y ? 1.0f : size;
    size = x < 0.0f && !whole && !edge && y == y ? __PYCUDA_NAN : size;
    float result = __pycuda_flip(size, odd ? __pycuda_bits(x) : 0);
    return x == 1.0f || y == 0.0f ? 1.0f : result;
}
__pycuda_both float
powf(float x, float y)
{
    __PYCUDA_POWER_OF(float, __builtin_sqrtf, __PYCUDA_INF, x, y,
                      __pycuda_powf(x, y))
}
__pycuda_both float
rsqrtf(float x)
{
    return 1.0f / __builtin_sqrtf(x);
}
/* Splits |x| = 2^(3q) a, with 1 <= a < 8; `y` approximates a^(-1/3) with 14
 * bits. */
__pycuda_both float
__pycuda_cube(float x, float &y, float &power)
{
    __PYCUDA_EXACT
    float size = __builtin_fabsf(x);
    bool tiny = size < 0x1p-126f;
    int bits = __pycuda_bits(tiny ? size * 0x1p24f : size);
    float m = __pycuda_real((bits & 0x7fffff) | 0x3f800000);
    float e = (float)((bits >> 23) - 127);
    float q = __builtin_rintf((e - 1.0f) * 0x1.555556p-2f);
    float s = __builtin_fmaf(q, -3.0f, e);
    y = __PYCUDA_RCBRT(m);
    y *= s == 0.0f ? 1.0f : s == 1.0f ? 0x1.965fea0p-1f : 0x1.428a30p-1f;
    power = q - (tiny ? 8.0f : 0.0f);
    return m * (s == 0.0f ? 1.0f : s == 1.0f ? 2.0f : 4.0f);
}
__pycuda_both float
__pycuda_power_of_2(float k)
{
    return __pycuda_real((__pycuda_bits(k + __PYCUDA_ROUNDF) << 23) +
                         (127 << 23));
}
__pycuda_both float
cbrtf(float x)
{
    __PYCUDA_EXACT
    float y, q, a = __pycuda_cube(x, y, q);
    float c = a * (y * y), square = c * c;
    float low = __builtin_fmaf(c, c, -square);
    float miss = __builtin_fmaf(square, c, -a) + low * c;
    c = __builtin_fmaf(miss, y * y * -0x1.555556p-2f, c);
    c = __pycuda_flip(c * __pycuda_power_of_2(q), __pycuda_bits(x));
    return x == 0.0f || !(__builtin_fabsf(x) < __PYCUDA_INF) ? x : c;
}
__pycuda_both float
rcbrtf(float x)
{
    __PYCUDA_EXACT
    float y, q, a = __pycuda_cube(x, y, q);
    /* miss = 1 - a y^3, corrected by the rounding errors of the products */
    float p1 = a * y, p2 = p1 * y;
    float low = __builtin_fmaf(p1, y, -p2) + __builtin_fmaf(a, y, -p1) * y;
    float miss = __builtin_fmaf(-p2, y, 1.0f) - low * y;
    y = __builtin_fmaf(miss, y * 0x1.555556p-2f, y);
    y = __pycuda_flip(y * __pycuda_power_of_2(-q), __pycuda_bits(x));
    return x == 0.0f || !(__builtin_fabsf(x) < __PYCUDA_INF) ? 1.0f / x : y;
}
__pycuda_both float
hypotf(float x, float y)
{
    __PYCUDA_EXACT
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    int e = __pycuda_bits(a > b ? a : b) & 0x7f800000;
    e = e < 1 << 23 ? 1 << 23 : e > 253 << 23 ? 253 << 23 : e;
    float scale = __pycuda_real((254 << 23) - e);
    float p = a * scale, q = b * scale;
    float size = __builtin_sqrtf(__builtin_fmaf(p, p, q * q));
    size *= __pycuda_real(e);
    return a == __PYCUDA_INF || b == __PYCUDA_INF ? __PYCUDA_INF : size;
}
