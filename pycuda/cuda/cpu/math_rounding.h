/* math_rounding.h - __fadd_rn, __dmul_rz, ...: arithmetic, rounded as told.
 *
 * The _rn forms are also what code uses against contraction into fma.  The
 * others start from the result rounded to nearest and the sign of its error,
 * got without error (two-sum, fma), and step to the neighbour where the
 * rounding asks for it.  Results that overflow or are subnormal may differ in
 * the last place.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

enum __pycuda_rounding { __PYCUDA_RZ, __PYCUDA_RU, __PYCUDA_RD };

#define __PYCUDA_ROUNDED(T, F, P)                                             \
    /* near + error is the exact value, |error| at most half a step. */       \
    __pycuda_both T __pycuda_settle##F(T near, T error, int mode)             \
    {                                                                         \
        if (!(error < 0 || error > 0) || !__builtin_isfinite(near)) {         \
            return near;                                                      \
        }                                                                     \
        bool up = mode == __PYCUDA_RU ||                                      \
                  (mode == __PYCUDA_RZ &&                                     \
                   (near < 0 || (near == 0 && error < 0)));                   \
        return up == (error > 0) ? __pycuda_step##F(near, up) : near;         \
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
        _Pragma("clang fp contract(off)") T back = sum - x;                   \
        return (x - (sum - back)) + (y - back);                               \
    }                                                                         \
    __pycuda_both T __pycuda_add##F(T x, T y, int mode)                       \
    {                                                                         \
        T sum = x + y;                                                        \
        return __pycuda_settle##F(sum, __pycuda_sum_error##F(x, y, sum),      \
                                  mode);                                      \
    }                                                                         \
    __pycuda_both T __pycuda_mul##F(T x, T y, int mode)                       \
    {                                                                         \
        _Pragma("clang fp contract(off)") T product = x * y;                  \
        return __pycuda_settle##F(product, fma##F(x, y, -product), mode);     \
    }                                                                         \
    __pycuda_both T __pycuda_div##F(T x, T y, int mode)                       \
    {                                                                         \
        T quotient = x / y;                                                   \
        T rest = fma##F(-quotient, y, x);                                     \
        return __pycuda_settle##F(quotient, y < 0 ? -rest : rest, mode);      \
    }                                                                         \
    __pycuda_both T __pycuda_sqrt##F(T x, int mode)                           \
    {                                                                         \
        T root = sqrt##F(x);                                                  \
        return __pycuda_settle##F(root, fma##F(-root, root, x), mode);        \
    }                                                                         \
    /* The error of an fma, by Boldo and Muller: the product as two numbers,  \
     * then two sums with their errors. */                                    \
    __pycuda_both T __pycuda_fma##F(T x, T y, T z, int mode)                  \
    {                                                                         \
        _Pragma("clang fp contract(off)") T near = fma##F(x, y, z);           \
        T product = x * y;                                                    \
        T low = fma##F(x, y, -product);                                       \
        T first = z + low;                                                    \
        T second = product + first;                                           \
        T error = (second - near) +                                           \
                  __pycuda_sum_error##F(product, first, second);              \
        error += __pycuda_sum_error##F(z, low, first);                        \
        return __pycuda_settle##F(near, error, mode);                         \
    }
__PYCUDA_ROUNDED(float, f, f)
__PYCUDA_ROUNDED(double, , d)
#undef __PYCUDA_ROUNDED

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
