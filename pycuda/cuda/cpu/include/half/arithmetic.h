/* arithmetic.h - arithmetic of __half or __nv_bfloat16.
 *
 * Each operation is computed in float and then rounded. The result is the same
 * as with a single rounding, because float has at least 2 p + 2 binary digits,
 * where p is the number of digits of the type. Included once for each type.
 *
 * SPDX-License-Identifier: MIT */

__pycuda_both __PYCUDA_T
__PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _saturate)(float x)
{
    return __PYCUDA_T(x > 0 ? (x < 1 ? x : 1.0f) : 0.0f);
}
#define __PYCUDA_SATURATE __PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _saturate)

#define __PYCUDA_BOTH_WAYS(NAME, NAME2, BODY, CALL_X, CALL_Y, ONE, TWO)       \
    __pycuda_both __PYCUDA_T NAME ONE BODY                                    \
    __pycuda_both __PYCUDA_T2 NAME2 TWO                                       \
    {                                                                         \
        return __PYCUDA_T2(NAME CALL_X, NAME CALL_Y);                         \
    }
#define __PYCUDA_TWO_NAMES(NAME, NAME2, EXPRESSION)                           \
    __PYCUDA_BOTH_WAYS(NAME, NAME2, { return EXPRESSION; }, (a.x, b.x),       \
                       (a.y, b.y), (__PYCUDA_T a, __PYCUDA_T b),              \
                       (__PYCUDA_T2 a, __PYCUDA_T2 b))
#define __PYCUDA_TWO(NAME, EXPRESSION)                                        \
    __PYCUDA_TWO_NAMES(NAME, NAME##2, EXPRESSION)
#define __PYCUDA_ONE(NAME, EXPRESSION)                                        \
    __PYCUDA_BOTH_WAYS(NAME, NAME##2, { return EXPRESSION; }, (a.x), (a.y),   \
                       (__PYCUDA_T a), (__PYCUDA_T2 a))

#define __PYCUDA_HALF_OPERATION(NAME, NAME2, OPERATOR)                        \
    __PYCUDA_TWO_NAMES(NAME, NAME2, __PYCUDA_T((float)a OPERATOR(float) b))   \
    __pycuda_both __PYCUDA_T operator OPERATOR(__PYCUDA_T a, __PYCUDA_T b)    \
    {                                                                         \
        return NAME(a, b);                                                    \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 operator OPERATOR(__PYCUDA_T2 a,                \
                                                __PYCUDA_T2 b)                \
    {                                                                         \
        return NAME2(a, b);                                                   \
    }                                                                         \
    __pycuda_both __PYCUDA_T &operator OPERATOR##=(__PYCUDA_T &a,             \
                                                   __PYCUDA_T b)              \
    {                                                                         \
        return a = NAME(a, b);                                                \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 &operator OPERATOR##=(__PYCUDA_T2 &a,           \
                                                    __PYCUDA_T2 b)            \
    {                                                                         \
        return a = NAME2(a, b);                                               \
    }
__PYCUDA_HALF_OPERATION(__hadd, __hadd2, +)
__PYCUDA_HALF_OPERATION(__hsub, __hsub2, -)
__PYCUDA_HALF_OPERATION(__hmul, __hmul2, *)
__PYCUDA_HALF_OPERATION(__hdiv, __h2div, /)
#undef __PYCUDA_HALF_OPERATION

/* Functions with the suffix _rn are never contracted to a fused multiply-add;
 * functions without it may be. */
#define __PYCUDA_VARIANTS(NAME, OPERATOR)                                     \
    __pycuda_both __PYCUDA_T NAME##_rn(__PYCUDA_T a, __PYCUDA_T b)            \
    {                                                                         \
        return NAME(a, b);                                                    \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 NAME##2_rn(__PYCUDA_T2 a, __PYCUDA_T2 b)        \
    {                                                                         \
        return NAME##2(a, b);                                                 \
    }                                                                         \
    __pycuda_both __PYCUDA_T NAME##_sat(__PYCUDA_T a, __PYCUDA_T b)           \
    {                                                                         \
        return __PYCUDA_SATURATE((float)a OPERATOR(float) b);                 \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 NAME##2_sat(__PYCUDA_T2 a, __PYCUDA_T2 b)       \
    {                                                                         \
        return __PYCUDA_T2(NAME##_sat(a.x, b.x), NAME##_sat(a.y, b.y));       \
    }
__PYCUDA_VARIANTS(__hadd, +)
__PYCUDA_VARIANTS(__hsub, -)
__PYCUDA_VARIANTS(__hmul, *)
#undef __PYCUDA_VARIANTS

__PYCUDA_ONE(__hneg, __PYCUDA_T(__PYCUDA_RAW{
                         (unsigned short)(a.__x ^ 0x8000u)}))
__PYCUDA_ONE(__habs, __PYCUDA_T(__PYCUDA_RAW{
                         (unsigned short)(a.__x & 0x7fffu)}))
__pycuda_both __PYCUDA_T
operator-(__PYCUDA_T a)
{
    return __hneg(a);
}
__pycuda_both __PYCUDA_T2
operator-(__PYCUDA_T2 a)
{
    return __hneg2(a);
}
__pycuda_both __PYCUDA_T
operator+(__PYCUDA_T a)
{
    return a;
}
__pycuda_both __PYCUDA_T2
operator+(__PYCUDA_T2 a)
{
    return a;
}
#define __PYCUDA_STEP(OPERATOR, SYMBOL)                                       \
    __pycuda_both __PYCUDA_T &operator OPERATOR(__PYCUDA_T &a)                \
    {                                                                         \
        return a = a SYMBOL __PYCUDA_T(1.0f);                                 \
    }                                                                         \
    __pycuda_both __PYCUDA_T operator OPERATOR(__PYCUDA_T &a, int)            \
    {                                                                         \
        __PYCUDA_T old = a;                                                   \
        a = a SYMBOL __PYCUDA_T(1.0f);                                        \
        return old;                                                           \
    }
__PYCUDA_STEP(++, +)
__PYCUDA_STEP(--, -)
#undef __PYCUDA_STEP

/* a * b + c as a float that rounds like the exact number: the product is exact
 * in double, and the sum gets an odd last bit if it is inexact. */
__pycuda_both float
__PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _fused)(__PYCUDA_T a, __PYCUDA_T b,
                                              __PYCUDA_T c)
{
    double p = (double)(float)a * (double)(float)b, q = (float)c;
    double sum = p + q, back = sum - p;
    double lost = (p - (sum - back)) + (q - back);
    unsigned long bits = __builtin_bit_cast(unsigned long, sum);
    if (lost != 0 && lost == lost && !(bits & 1)) {
        bits += (lost > 0) == (sum > 0) ? 1ul : -1ul;
        sum = __builtin_bit_cast(double, bits);
    }
    return __pycuda_odd_float(sum);
}
#define __PYCUDA_FUSED __PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _fused)
#define __PYCUDA_THREE(NAME, EXPRESSION)                                      \
    __pycuda_both __PYCUDA_T __hfma##NAME(__PYCUDA_T a, __PYCUDA_T b,         \
                                          __PYCUDA_T c)                       \
    {                                                                         \
        float x = __PYCUDA_FUSED(a, b, c);                                    \
        return EXPRESSION;                                                    \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 __hfma2##NAME(__PYCUDA_T2 a, __PYCUDA_T2 b,     \
                                            __PYCUDA_T2 c)                    \
    {                                                                         \
        return __PYCUDA_T2(__hfma##NAME(a.x, b.x, c.x),                       \
                           __hfma##NAME(a.y, b.y, c.y));                      \
    }
__PYCUDA_THREE(, __PYCUDA_T(x))
__PYCUDA_THREE(_sat, __PYCUDA_SATURATE(x))
__PYCUDA_THREE(_relu, __PYCUDA_T(x < 0 ? 0.0f : x))
#undef __PYCUDA_THREE
