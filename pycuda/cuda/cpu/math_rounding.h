/* math_rounding.h - arithmetic with explicit rounding: __fadd_rn, __dmul_rz,
 * ...
 *
 * Code also uses the _rn forms to prevent contraction into fma. The other
 * forms start with the result rounded to nearest and the sign of its error,
 * computed exactly (two-sum, fma), and step to the neighbour where the
 * rounding mode requires it. The float functions compute in double. It
 * represents products of floats exactly, and sums except for a few bits, whose
 * sign is computed as above. If the error of a double function is not
 * representable, the function scales its operands to exponents near zero and
 * repeats the computation.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

enum __pycuda_rounding { __PYCUDA_RZ, __PYCUDA_RU, __PYCUDA_RD };

#define __PYCUDA_ROUNDED(T, F, P)                                             \
    /* Rounds near + error, the exact value; |error| is at most half a step.  \
     * An infinite `near` is the result of an overflow. */                    \
    __pycuda_both T __pycuda_settle##F(T near, T error, int mode)             \
    {                                                                         \
        bool up =                                                             \
            mode == __PYCUDA_RU ||                                            \
            (mode == __PYCUDA_RZ && (near < 0 || (near == 0 && error < 0)));  \
        if (__builtin_isinf(near)) {                                          \
            return up == (near < 0) ? __pycuda_step##F(near, up) : near;      \
        }                                                                     \
        if (!(error < 0 || error > 0)) {                                      \
            return near;                                                      \
        }                                                                     \
        return up == (error > 0) ? __pycuda_step##F(near, up) : near;         \
    }                                                                         \
    /* The sign of a sum x + y that is exactly zero. */                       \
    __pycuda_both T __pycuda_zero##F(T sum, T x, T y, int mode)               \
    {                                                                         \
        bool minus = mode == __PYCUDA_RD && sum == 0 &&                       \
                     (__builtin_signbit(x) || __builtin_signbit(y));          \
        return minus ? -(T)0 : sum;                                           \
    }                                                                         \
    __pycuda_both T __##P##add_rn(T x, T y)                                   \
    {                                                                         \
        _Pragma("clang fp contract(off)") return x + y;                       \
    }                                                                         \
    __pycuda_both T __##P##sub_rn(T x, T y)                                   \
    {                                                                         \
        _Pragma("clang fp contract(off)") return x - y;                       \
    }                                                                         \
    __pycuda_both T __##P##mul_rn(T x, T y)                                   \
    {                                                                         \
        _Pragma("clang fp contract(off)") return x * y;                       \
    }                                                                         \
    __pycuda_both T __##P##div_rn(T x, T y)                                   \
    {                                                                         \
        return x / y;                                                         \
    }                                                                         \
    __pycuda_both T __##P##sqrt_rn(T x)                                       \
    {                                                                         \
        return sqrt##F(x);                                                    \
    }                                                                         \
    __pycuda_both T __##P##rcp_rn(T x)                                        \
    {                                                                         \
        return (T)1 / x;                                                      \
    }                                                                         \
    __pycuda_both T __pycuda_sum_error##F(T x, T y, T sum)                    \
    {                                                                         \
        _Pragma("clang fp contract(off)") bool less =                         \
            __builtin_fabs(x) < __builtin_fabs(y);                            \
        T most = less ? y : x, least = less ? x : y;                          \
        return least - (sum - most);                                          \
    }                                                                         \
    __pycuda_both T __pycuda_add##F(T x, T y, int mode)                       \
    {                                                                         \
        _Pragma("clang fp contract(off)") T sum = x + y;                      \
        if (__builtin_isinf(sum) &&                                           \
            (__builtin_isinf(x) || __builtin_isinf(y))) {                     \
            return sum;                                                       \
        }                                                                     \
        return __pycuda_zero##F(                                              \
            __pycuda_settle##F(sum, __pycuda_sum_error##F(x, y, sum), mode),  \
            x, y, mode);                                                      \
    }
__PYCUDA_ROUNDED(float, f, f)
__PYCUDA_ROUNDED(double, , d)
#undef __PYCUDA_ROUNDED

/* ---- float functions, computed in double precision ---- */

__pycuda_both float
__pycuda_narrow(double value, int mode)
{
    return mode == __PYCUDA_RU   ? __double2float_ru(value)
           : mode == __PYCUDA_RD ? __double2float_rd(value)
                                 : __double2float_rz(value);
}
/* Rounds near + error to float; infinity remains. */
__pycuda_both float
__pycuda_settle_narrow(double near, double error, int mode)
{
    return __builtin_isinf(near)
               ? (float)near
               : __pycuda_narrow(__pycuda_settle(near, error, mode), mode);
}
__pycuda_both float
__pycuda_mulf(float x, float y, int mode)
{
    return __pycuda_narrow((double)x * y, mode);
}
__pycuda_both float
__pycuda_divf(float x, float y, int mode)
{
    double quotient = (double)x / y;
    double rest = fma(-quotient, (double)y, (double)x);
    return __pycuda_settle_narrow(quotient, y < 0 ? -rest : rest, mode);
}
__pycuda_both float
__pycuda_sqrtf(float x, int mode)
{
    double root = sqrt((double)x);
    return __pycuda_settle_narrow(root, fma(-root, root, (double)x), mode);
}
__pycuda_both float
__pycuda_fmaf(float x, float y, float z, int mode)
{
    _Pragma("clang fp contract(off)") double product = (double)x * y;
    double sum = product + z;
    double error = __pycuda_sum_error(product, (double)z, sum);
    if (sum == 0) {
        return (float)__pycuda_zero(sum, product, (double)z, mode);
    }
    return __pycuda_settle_narrow(sum, error, mode);
}

/* ---- double ---- */

/* x * 2^by, for |by| <= 2000; intermediate results are exact. */
__pycuda_both double
__pycuda_scale(double x, int by)
{
    int half = by / 2;
    x *= __builtin_bit_cast(double, (long)(1023 + half) << 52);
    return x * __builtin_bit_cast(double, (long)(1023 + by - half) << 52);
}
/* The exponent of a finite nonzero number. */
__pycuda_both int
__pycuda_exponent(double x)
{
    bool small = __builtin_fabs(x) < 0x1p-1022;
    long bits = __builtin_bit_cast(long, small ? x * 0x1p54 : x);
    return (int)(bits >> 52 & 2047) - 1023 - (small ? 54 : 0);
}
/* Rounds `near`, whose exact value is (high + low) * 2^by. */
__pycuda_both double
__pycuda_settle_scaled(double near, double high, double low, int by, int mode)
{
    if (near != 0 && !__builtin_isinf(near)) {
        high -= __pycuda_scale(near, -by);
    }
    return __pycuda_settle(near, high != 0 ? high : low, mode);
}
/* True if all arguments are finite and nonzero. */
__pycuda_both bool
__pycuda_finite_nonzero(double x, double y)
{
    return x != 0 && y != 0 && __builtin_isfinite(x) && __builtin_isfinite(y);
}
__pycuda_both double
__pycuda_mul(double x, double y, int mode)
{
    _Pragma("clang fp contract(off)") double product = x * y;
    double size = __builtin_fabs(product);
    if (size > 0x1p-900 && size < __builtin_inf()) {
        return __pycuda_settle(product, fma(x, y, -product), mode);
    }
    if (!__pycuda_finite_nonzero(x, y)) {
        return product;
    }
    int of_x = __pycuda_exponent(x), of_y = __pycuda_exponent(y);
    x = __pycuda_scale(x, -of_x);
    y = __pycuda_scale(y, -of_y);
    double high = x * y;
    return __pycuda_settle_scaled(product, high, fma(x, y, -high), of_x + of_y,
                                  mode);
}
__pycuda_both double
__pycuda_div(double x, double y, int mode)
{
    double quotient = x / y, size = __builtin_fabs(quotient);
    if (!__pycuda_finite_nonzero(x, y)) {
        return quotient;
    }
    int of_x = 0, of_y = 0;
    double high = quotient;
    if (!(size > 0x1p-1000 && size < __builtin_inf() &&
          __builtin_fabs(x) > 0x1p-900)) {
        of_x = __pycuda_exponent(x);
        of_y = __pycuda_exponent(y);
        x = __pycuda_scale(x, -of_x);
        y = __pycuda_scale(y, -of_y);
        high = x / y;
    }
    double rest = fma(-high, y, x);
    return __pycuda_settle_scaled(quotient, high, y < 0 ? -rest : rest,
                                  of_x - of_y, mode);
}
__pycuda_both double
__pycuda_sqrt(double x, int mode)
{
    double root = sqrt(x);
    if (!(x > 0) || __builtin_isinf(x)) {
        return root;
    }
    bool small = x < 0x1p-900;
    double scaled = small ? root * 0x1p100 : root;
    return __pycuda_settle(root, fma(-scaled, scaled, small ? x * 0x1p200 : x),
                           mode);
}
/* The error of an fma, by the method of Boldo and Muller: the product as two
 * numbers, then two sums with their errors. */
__pycuda_both double
__pycuda_fma_error(double x, double y, double z, double near)
{
    _Pragma("clang fp contract(off)") double product = x * y;
    double low = fma(x, y, -product);
    double first = z + low;
    double second = product + first;
    double error =
        (second - near) + __pycuda_sum_error(product, first, second);
    return error + __pycuda_sum_error(z, low, first);
}
/* Handles exponents at the limits of the range. If two numbers are far apart,
 * the smaller one only determines the sign of the error of the larger one. */
__pycuda_both double
__pycuda_fma_scaled(double x, double y, double z, double near, int mode)
{
    enum { FAR = 130 };
    int of_x = __pycuda_exponent(x), of_y = __pycuda_exponent(y);
    int by = of_x + of_y;
    x = __pycuda_scale(x, -of_x);
    y = __pycuda_scale(y, -of_y);
    if (z != 0) {
        int of_z = __pycuda_exponent(z);
        int apart = of_z - by;
        z = __pycuda_scale(z, -of_z);
        if (apart > FAR) {
            return __pycuda_settle(near, x * y, mode);
        }
        z = __pycuda_scale(z, apart < -FAR ? -FAR : apart);
    }
    double high = fma(x, y, z);
    if (high == 0) {
        return __pycuda_zero(near, x * y, z, mode);
    }
    return __pycuda_settle_scaled(near, high,
                                  __pycuda_fma_error(x, y, z, high), by, mode);
}
__pycuda_both double
__pycuda_fma(double x, double y, double z, int mode)
{
    _Pragma("clang fp contract(off)") double near = fma(x, y, z);
    double product = x * y, size = __builtin_fabs(product);
    bool room =
        size > 0x1p-900 && size < 0x1p1000 && __builtin_fabs(z) < 0x1p1000;
    if (room) {
        near = __pycuda_settle(near, __pycuda_fma_error(x, y, z, near), mode);
    } else if (__builtin_isfinite(z) && __pycuda_finite_nonzero(x, y)) {
        return __pycuda_fma_scaled(x, y, z, near, mode);
    }
    return __pycuda_zero(near, product, z, mode);
}

__pycuda_both float
__frsqrt_rn(float x)
{
    return (float)(1.0 / sqrt((double)x));
}
__pycuda_both float
__fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
__pycuda_both double
__fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}

#define __PYCUDA_DIRECTED(T, F, P, FMA, SUFFIX, MODE)                         \
    __pycuda_both T __##P##add_##SUFFIX(T x, T y)                             \
    {                                                                         \
        return __pycuda_add##F(x, y, MODE);                                   \
    }                                                                         \
    __pycuda_both T __##P##sub_##SUFFIX(T x, T y)                             \
    {                                                                         \
        return __pycuda_add##F(x, -y, MODE);                                  \
    }                                                                         \
    __pycuda_both T __##P##mul_##SUFFIX(T x, T y)                             \
    {                                                                         \
        return __pycuda_mul##F(x, y, MODE);                                   \
    }                                                                         \
    __pycuda_both T __##P##div_##SUFFIX(T x, T y)                             \
    {                                                                         \
        return __pycuda_div##F(x, y, MODE);                                   \
    }                                                                         \
    __pycuda_both T __##P##rcp_##SUFFIX(T x)                                  \
    {                                                                         \
        return __pycuda_div##F((T)1, x, MODE);                                \
    }                                                                         \
    __pycuda_both T __##P##sqrt_##SUFFIX(T x)                                 \
    {                                                                         \
        return __pycuda_sqrt##F(x, MODE);                                     \
    }                                                                         \
    __pycuda_both T FMA##_##SUFFIX(T x, T y, T z)                             \
    {                                                                         \
        return __pycuda_fma##F(x, y, z, MODE);                                \
    }
__PYCUDA_DIRECTED(float, f, f, __fmaf, rz, __PYCUDA_RZ)
__PYCUDA_DIRECTED(float, f, f, __fmaf, ru, __PYCUDA_RU)
__PYCUDA_DIRECTED(float, f, f, __fmaf, rd, __PYCUDA_RD)
__PYCUDA_DIRECTED(double, , d, __fma, rz, __PYCUDA_RZ)
__PYCUDA_DIRECTED(double, , d, __fma, ru, __PYCUDA_RU)
__PYCUDA_DIRECTED(double, , d, __fma, rd, __PYCUDA_RD)
#undef __PYCUDA_DIRECTED

/* Subnormal numbers are enabled on the CPU device regardless of the compiler's
 * options. */
#define __PYCUDA_IEEE(SUFFIX)                                                 \
    __pycuda_both float __fmaf_ieee_##SUFFIX(float x, float y, float z)       \
    {                                                                         \
        return __fmaf_##SUFFIX(x, y, z);                                      \
    }
__PYCUDA_IEEE(rn)
__PYCUDA_IEEE(rz)
__PYCUDA_IEEE(ru)
__PYCUDA_IEEE(rd)
#undef __PYCUDA_IEEE
