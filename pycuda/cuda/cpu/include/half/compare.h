/* compare.h - comparisons, minima and maxima of __half or __nv_bfloat16.
 *
 * The functions whose names end in u also return true if an operand is NaN.
 * Included once for each type.
 *
 * SPDX-License-Identifier: MIT */

#define __PYCUDA_FORMS(NAME, EXPRESSION)                                      \
    __pycuda_both bool __h##NAME(__PYCUDA_T a, __PYCUDA_T b)                  \
    {                                                                         \
        float x = (float)a, y = (float)b;                                     \
        return EXPRESSION;                                                    \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 __h##NAME##2(__PYCUDA_T2 a, __PYCUDA_T2 b)      \
    {                                                                         \
        return __PYCUDA_T2(__PYCUDA_T(__h##NAME(a.x, b.x) ? 1.0f : 0.0f),     \
                           __PYCUDA_T(__h##NAME(a.y, b.y) ? 1.0f : 0.0f));    \
    }                                                                         \
    __pycuda_both bool __hb##NAME##2(__PYCUDA_T2 a, __PYCUDA_T2 b)            \
    {                                                                         \
        return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y);                    \
    }                                                                         \
    __pycuda_both unsigned int __h##NAME##2_mask(__PYCUDA_T2 a,               \
                                                 __PYCUDA_T2 b)               \
    {                                                                         \
        return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) |                         \
               (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);                      \
    }
#define __PYCUDA_COMPARE(NAME, OPERATOR, ORDERED)                             \
    __PYCUDA_FORMS(NAME, ORDERED)                                             \
    __PYCUDA_FORMS(NAME##u, x != x || y != y || x OPERATOR y)                 \
    __pycuda_both bool operator OPERATOR(__PYCUDA_T a, __PYCUDA_T b)          \
    {                                                                         \
        return (float)a OPERATOR(float) b;                                    \
    }                                                                         \
    __pycuda_both bool operator OPERATOR(__PYCUDA_T2 a, __PYCUDA_T2 b)        \
    {                                                                         \
        return a.x OPERATOR b.x && a.y OPERATOR b.y;                          \
    }
__PYCUDA_COMPARE(eq, ==, x == y)
/* True if two numbers differ; false if either is NaN. */
__PYCUDA_COMPARE(ne, !=, x < y || x > y)
__PYCUDA_COMPARE(lt, <, x < y)
__PYCUDA_COMPARE(le, <=, x <= y)
__PYCUDA_COMPARE(gt, >, x > y)
__PYCUDA_COMPARE(ge, >=, x >= y)
#undef __PYCUDA_COMPARE
#undef __PYCUDA_FORMS

__pycuda_both bool
__hisnan(__PYCUDA_T a)
{
    return (float)a != (float)a;
}
__pycuda_both __PYCUDA_T2
__hisnan2(__PYCUDA_T2 a)
{
    return __PYCUDA_T2(__PYCUDA_T(__hisnan(a.x) ? 1.0f : 0.0f),
                       __PYCUDA_T(__hisnan(a.y) ? 1.0f : 0.0f));
}
__pycuda_both int
__hisinf(__PYCUDA_T a)
{
    float x = (float)a;
    return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;
}

/* +0 is greater than -0. A number takes precedence over a NaN, except in the
 * _nan forms. */
__pycuda_both bool
__PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _above)(__PYCUDA_T a, __PYCUDA_T b)
{
    float x = (float)a, y = (float)b;
    return x == y ? (short)a.__x > (short)b.__x && x == 0 : x > y;
}
#define __PYCUDA_ABOVE __PYCUDA_JOIN3(__pycuda_, __PYCUDA_H, _above)
#define __PYCUDA_NAN   __PYCUDA_T(__PYCUDA_RAW{0x7fff})
__PYCUDA_TWO(__hmax, __hisnan(a)         ? (__hisnan(b) ? __PYCUDA_NAN : b)
                     : __hisnan(b)       ? a
                     : __PYCUDA_ABOVE(b, a) ? b
                                         : a)
__PYCUDA_TWO(__hmin, __hisnan(a)         ? (__hisnan(b) ? __PYCUDA_NAN : b)
                     : __hisnan(b)       ? a
                     : __PYCUDA_ABOVE(a, b) ? b
                                         : a)
#define __PYCUDA_WITH_NAN(NAME)                                               \
    __pycuda_both __PYCUDA_T NAME##_nan(__PYCUDA_T a, __PYCUDA_T b)           \
    {                                                                         \
        return __hisnan(a) || __hisnan(b) ? __PYCUDA_NAN : NAME(a, b);        \
    }                                                                         \
    __pycuda_both __PYCUDA_T2 NAME##2_nan(__PYCUDA_T2 a, __PYCUDA_T2 b)       \
    {                                                                         \
        return __PYCUDA_T2(NAME##_nan(a.x, b.x), NAME##_nan(a.y, b.y));       \
    }
__PYCUDA_WITH_NAN(__hmax)
__PYCUDA_WITH_NAN(__hmin)
#undef __PYCUDA_WITH_NAN
#undef __PYCUDA_NAN
#undef __PYCUDA_ABOVE
