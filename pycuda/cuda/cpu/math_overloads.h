/* math_overloads.h - C++ overloads: sin(float), pow(float, int), isnan, max.
 *
 * A float argument gives a float. For functions of C++ <cmath>, an integer is
 * treated as a double, and mixed arguments are promoted, as by nvcc and by
 * NVRTC with mixed_math.h. For CUDA's other functions, both compilers report a
 * call with an integer as ambiguous, so the overloads for integers are deleted
 * here. std:: has the same names.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_OVERLOAD_FLOAT(NAME)                                         \
    __pycuda_both float NAME(float x)                                         \
    {                                                                         \
        return NAME##f(x);                                                    \
    }
#define __PYCUDA_OVERLOAD1(NAME)                                              \
    __PYCUDA_OVERLOAD_FLOAT(NAME)                                             \
    template <class T>                                                        \
    __pycuda_template_both __pycuda_if_integer<T> NAME(T x)                   \
    {                                                                         \
        return NAME((double)x);                                               \
    }
#define __PYCUDA_NO_INTEGER(NAME)                                             \
    template <class T>                                                        \
    __pycuda_template_both __pycuda_if_integer<T> NAME(T) = delete;
#define __PYCUDA_OVERLOAD_REAL(NAME)                                          \
    __PYCUDA_OVERLOAD_FLOAT(NAME)                                             \
    __PYCUDA_NO_INTEGER(NAME)
__PYCUDA_OVERLOAD1(sin)
__PYCUDA_OVERLOAD1(cos)
__PYCUDA_OVERLOAD1(tan)
__PYCUDA_OVERLOAD1(asin)
__PYCUDA_OVERLOAD1(acos)
__PYCUDA_OVERLOAD1(atan)
__PYCUDA_OVERLOAD1(sinh)
__PYCUDA_OVERLOAD1(cosh)
__PYCUDA_OVERLOAD1(tanh)
__PYCUDA_OVERLOAD1(asinh)
__PYCUDA_OVERLOAD1(acosh)
__PYCUDA_OVERLOAD1(atanh)
__PYCUDA_OVERLOAD1(exp)
__PYCUDA_OVERLOAD1(exp2)
__PYCUDA_OVERLOAD_REAL(exp10)
__PYCUDA_OVERLOAD1(expm1)
__PYCUDA_OVERLOAD1(log)
__PYCUDA_OVERLOAD1(log2)
__PYCUDA_OVERLOAD1(log10)
__PYCUDA_OVERLOAD1(log1p)
__PYCUDA_OVERLOAD1(logb)
__PYCUDA_OVERLOAD1(sqrt)
__PYCUDA_OVERLOAD1(cbrt)
__PYCUDA_OVERLOAD1(fabs)
__PYCUDA_OVERLOAD1(floor)
__PYCUDA_OVERLOAD1(ceil)
__PYCUDA_OVERLOAD1(trunc)
__PYCUDA_OVERLOAD1(round)
__PYCUDA_OVERLOAD1(rint)
__PYCUDA_OVERLOAD1(nearbyint)
__PYCUDA_OVERLOAD1(erf)
__PYCUDA_OVERLOAD1(erfc)
__PYCUDA_OVERLOAD1(tgamma)
__PYCUDA_OVERLOAD1(lgamma)
__PYCUDA_OVERLOAD_REAL(j0)
__PYCUDA_OVERLOAD_REAL(j1)
__PYCUDA_OVERLOAD_REAL(y0)
__PYCUDA_OVERLOAD_REAL(y1)
__PYCUDA_OVERLOAD_REAL(cyl_bessel_i0)
__PYCUDA_OVERLOAD_REAL(cyl_bessel_i1)
__PYCUDA_OVERLOAD1(rsqrt)
__PYCUDA_OVERLOAD_REAL(rcbrt)
__PYCUDA_OVERLOAD_REAL(sinpi)
__PYCUDA_OVERLOAD_REAL(cospi)
__PYCUDA_OVERLOAD_REAL(normcdf)
__PYCUDA_OVERLOAD_REAL(erfinv)
__PYCUDA_OVERLOAD_REAL(erfcinv)
__PYCUDA_OVERLOAD_REAL(normcdfinv)
__PYCUDA_OVERLOAD_REAL(erfcx)
#undef __PYCUDA_OVERLOAD1
#undef __PYCUDA_OVERLOAD_REAL
#undef __PYCUDA_OVERLOAD_FLOAT

/* Common type of two arithmetic arguments of a function. */
template <class A, class B> struct __pycuda_promote {
    typedef double type;
};
template <> struct __pycuda_promote<float, float> {
    typedef float type;
};
template <class T> struct __pycuda_is_number {
    static constexpr bool value = __pycuda_is_integer<T>::value;
};
template <> struct __pycuda_is_number<float> {
    static constexpr bool value = true;
};
template <> struct __pycuda_is_number<double> {
    static constexpr bool value = true;
};
template <class A, class B>
using __pycuda_if_mixed = typename __pycuda_if<
    __pycuda_is_number<A>::value && __pycuda_is_number<B>::value &&
        !(__is_same(A, float) && __is_same(B, float)) &&
        !(__is_same(A, double) && __is_same(B, double)),
    double>::type;

#define __PYCUDA_OVERLOAD2(NAME)                                              \
    __pycuda_both float NAME(float x, float y)                                \
    {                                                                         \
        return NAME##f(x, y);                                                 \
    }                                                                         \
    template <class A, class B>                                               \
    __pycuda_template_both __pycuda_if_mixed<A, B> NAME(A x, B y)             \
    {                                                                         \
        return NAME((double)x, (double)y);                                    \
    }
__PYCUDA_OVERLOAD2(pow)
__PYCUDA_OVERLOAD2(atan2)
__PYCUDA_OVERLOAD2(fmod)
__PYCUDA_OVERLOAD2(remainder)
__PYCUDA_OVERLOAD2(hypot)
__PYCUDA_OVERLOAD2(copysign)
__PYCUDA_OVERLOAD2(fmin)
__PYCUDA_OVERLOAD2(fmax)
__PYCUDA_OVERLOAD2(fdim)
__PYCUDA_OVERLOAD2(nextafter)
#undef __PYCUDA_OVERLOAD2
/* The result type is that of NVRTC. In nvcc it is double. */
__pycuda_both float
pow(float x, int n)
{
    return powf(x, (float)n);
}

#define __PYCUDA_OVERLOAD(RESULT, NAME, DECLARE, PASS)                        \
    __pycuda_both RESULT NAME DECLARE                                         \
    {                                                                         \
        return NAME##f PASS;                                                  \
    }
__PYCUDA_OVERLOAD(float, fma, (float x, float y, float z), (x, y, z))
__PYCUDA_OVERLOAD(float, ldexp, (float x, int n), (x, n))
__PYCUDA_OVERLOAD(float, scalbn, (float x, int n), (x, n))
__PYCUDA_OVERLOAD(float, scalbln, (float x, long n), (x, n))
__PYCUDA_OVERLOAD(float, jn, (int n, float x), (n, x))
__PYCUDA_OVERLOAD(float, yn, (int n, float x), (n, x))
__PYCUDA_OVERLOAD(int, ilogb, (float x), (x))
__PYCUDA_OVERLOAD(long, lrint, (float x), (x))
__PYCUDA_OVERLOAD(long, lround, (float x), (x))
__PYCUDA_OVERLOAD(long long, llrint, (float x), (x))
__PYCUDA_OVERLOAD(long long, llround, (float x), (x))
__PYCUDA_OVERLOAD(float, frexp, (float x, int *n), (x, n))
__PYCUDA_OVERLOAD(float, modf, (float x, float *whole), (x, whole))
__PYCUDA_OVERLOAD(float, remquo, (float x, float y, int *n), (x, y, n))
__PYCUDA_OVERLOAD(void, sincos, (float x, float *s, float *c), (x, s, c))
__PYCUDA_OVERLOAD(void, sincospi, (float x, float *s, float *c), (x, s, c))
#undef __PYCUDA_OVERLOAD

__PYCUDA_NO_INTEGER(ilogb)
__PYCUDA_NO_INTEGER(lrint)
__PYCUDA_NO_INTEGER(lround)
__PYCUDA_NO_INTEGER(llrint)
__PYCUDA_NO_INTEGER(llround)
#undef __PYCUDA_NO_INTEGER
#define __PYCUDA_NO_INTEGERS(NAME, MORE)                                      \
    template <class T>                                                        \
    __pycuda_template_both __pycuda_if_integer<T> NAME(T, MORE) = delete;
__PYCUDA_NO_INTEGERS(ldexp, int)
__PYCUDA_NO_INTEGERS(scalbn, int)
__PYCUDA_NO_INTEGERS(scalbln, long)
__PYCUDA_NO_INTEGERS(frexp, int *)
#undef __PYCUDA_NO_INTEGERS
template <class T>
__pycuda_template_both __pycuda_if_integer<T> jn(int, T) = delete;
template <class T>
__pycuda_template_both __pycuda_if_integer<T> yn(int, T) = delete;
template <class A, class B, class C>
__pycuda_template_both
    typename __pycuda_if<__pycuda_is_integer<A>::value &&
                             __pycuda_is_integer<B>::value &&
                             __pycuda_is_integer<C>::value,
                         double>::type
    fma(A, B, C) = delete;
template <class T>
__pycuda_template_both
    typename __pycuda_if<__is_unsigned(T) && sizeof(T) >= 4, int>::type
    abs(T) = delete;

__pycuda_both float
abs(float x)
{
    return fabsf(x);
}
__pycuda_both double
abs(double x)
{
    return fabs(x);
}

/* max of a number and a NaN is the number, as in fmax. */
__pycuda_both float
min(float a, float b)
{
    return fminf(a, b);
}
__pycuda_both float
max(float a, float b)
{
    return fmaxf(a, b);
}
__pycuda_both double
min(double a, double b)
{
    return fmin(a, b);
}
__pycuda_both double
max(double a, double b)
{
    return fmax(a, b);
}
__pycuda_both double
min(float a, double b)
{
    return fmin(a, b);
}
__pycuda_both double
max(float a, double b)
{
    return fmax(a, b);
}
__pycuda_both double
min(double a, float b)
{
    return fmin(a, b);
}
__pycuda_both double
max(double a, float b)
{
    return fmax(a, b);
}

/* isnan and the other classifications return an int, as in NVRTC. */
#define __PYCUDA_CLASSIFY(T)                                                  \
    __pycuda_both int isnan(T x)                                              \
    {                                                                         \
        return __builtin_isnan(x);                                            \
    }                                                                         \
    __pycuda_both int isinf(T x)                                              \
    {                                                                         \
        return __builtin_isinf(x);                                            \
    }                                                                         \
    __pycuda_both int isfinite(T x)                                           \
    {                                                                         \
        return __builtin_isfinite(x);                                         \
    }                                                                         \
    __pycuda_both int signbit(T x)                                            \
    {                                                                         \
        return __builtin_signbit(x);                                          \
    }
__PYCUDA_CLASSIFY(float)
__PYCUDA_CLASSIFY(double)
#undef __PYCUDA_CLASSIFY

/* The C functions __isnan, __isinf and so on, which CUDA also declares. */
#define __PYCUDA_CLASSIFY(T, F)                                               \
    __pycuda_both int __isnan##F(T x)                                         \
    {                                                                         \
        return __builtin_isnan(x);                                            \
    }                                                                         \
    __pycuda_both int __isinf##F(T x)                                         \
    {                                                                         \
        return __builtin_isinf(x);                                            \
    }                                                                         \
    __pycuda_both int __finite##F(T x)                                        \
    {                                                                         \
        return __builtin_isfinite(x);                                         \
    }                                                                         \
    __pycuda_both int __signbit##F(T x)                                       \
    {                                                                         \
        return __builtin_signbit(x);                                          \
    }
__PYCUDA_CLASSIFY(float, f)
__PYCUDA_CLASSIFY(double, )
__PYCUDA_CLASSIFY(long double, l)
#undef __PYCUDA_CLASSIFY

namespace std
{
using ::sin;
using ::cos;
using ::tan;
using ::asin;
using ::acos;
using ::atan;
using ::sinh;
using ::cosh;
using ::tanh;
using ::asinh;
using ::acosh;
using ::atanh;
using ::exp;
using ::exp2;
using ::expm1;
using ::log;
using ::log2;
using ::log10;
using ::log1p;
using ::logb;
using ::sqrt;
using ::cbrt;
using ::fabs;
using ::floor;
using ::ceil;
using ::trunc;
using ::round;
using ::rint;
using ::nearbyint;
using ::erf;
using ::erfc;
using ::tgamma;
using ::lgamma;
using ::pow;
using ::atan2;
using ::fmod;
using ::remainder;
using ::hypot;
using ::copysign;
using ::fmin;
using ::fmax;
using ::fdim;
using ::nextafter;
using ::fma;
using ::ldexp;
using ::scalbn;
using ::scalbln;
using ::ilogb;
using ::lrint;
using ::lround;
using ::llrint;
using ::llround;
using ::frexp;
using ::modf;
using ::remquo;
using ::abs;
using ::labs;
using ::llabs;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::signbit;
using ::size_t;
using ::ptrdiff_t;
using ::clock_t;
}
