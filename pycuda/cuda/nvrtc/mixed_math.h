/* mixed_math.h - sqrt(2), pow(x, 2u), fmod(1.5f, 2.0) on NVRTC.
 *
 * Under nvcc the host's <cmath> gives every math function overloads for
 * integers and for operands of different types; NVRTC has float and double
 * only and reports other calls as ambiguous. pycuda.compiler pre-includes this
 * file, before prelude.h, when a source failed for that reason: it costs NVRTC
 * a third of its time for a small kernel.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* `kind` is 1 for integers, 2 for float, 3 for double, 0 for other types. */
template <class T> struct __pycuda_number {
    static const int kind = 0;
};
#define PYCUDA_NUMBER(type, value)                                            \
    template <> struct __pycuda_number<type> {                                \
        static const int kind = value;                                        \
    };
PYCUDA_NUMBER(bool, 1)
PYCUDA_NUMBER(char, 1)
PYCUDA_NUMBER(signed char, 1)
PYCUDA_NUMBER(unsigned char, 1)
PYCUDA_NUMBER(short, 1)
PYCUDA_NUMBER(unsigned short, 1)
PYCUDA_NUMBER(int, 1)
PYCUDA_NUMBER(unsigned int, 1)
PYCUDA_NUMBER(long, 1)
PYCUDA_NUMBER(unsigned long, 1)
PYCUDA_NUMBER(long long, 1)
PYCUDA_NUMBER(unsigned long long, 1)
PYCUDA_NUMBER(float, 2)
PYCUDA_NUMBER(double, 3)
#undef PYCUDA_NUMBER

/* Has the member `type` only if the condition holds. Otherwise an overload
 * with this type is disabled. */
template <bool condition, class T> struct __pycuda_where {
};
template <class T> struct __pycuda_where<true, T> {
    typedef T type;
};
template <class A> struct __pycuda_whole {
    static const bool value = __pycuda_number<A>::kind == 1;
};
/* Two argument types that no overload of NVRTC accepts without conversion. */
template <class A, class B> struct __pycuda_mixed {
    static const int a = __pycuda_number<A>::kind;
    static const int b = __pycuda_number<B>::kind;
    static const bool value = a && b && (a != b || a == 1);
};

#define PYCUDA_ONE(name)                                                      \
    template <class T>                                                        \
    __device__ inline                                                         \
        typename __pycuda_where<__pycuda_whole<T>::value, double>::type       \
        name(T x)                                                             \
    {                                                                         \
        return name((double)x);                                               \
    }
PYCUDA_ONE(acos)
PYCUDA_ONE(acosh)
PYCUDA_ONE(asin)
PYCUDA_ONE(asinh)
PYCUDA_ONE(atan)
PYCUDA_ONE(atanh)
PYCUDA_ONE(cbrt)
PYCUDA_ONE(ceil)
PYCUDA_ONE(cos)
PYCUDA_ONE(cosh)
PYCUDA_ONE(erf)
PYCUDA_ONE(erfc)
PYCUDA_ONE(exp)
PYCUDA_ONE(exp2)
PYCUDA_ONE(expm1)
PYCUDA_ONE(fabs)
PYCUDA_ONE(floor)
PYCUDA_ONE(lgamma)
PYCUDA_ONE(log)
PYCUDA_ONE(log10)
PYCUDA_ONE(log1p)
PYCUDA_ONE(log2)
PYCUDA_ONE(logb)
PYCUDA_ONE(nearbyint)
PYCUDA_ONE(rint)
PYCUDA_ONE(round)
PYCUDA_ONE(rsqrt)
PYCUDA_ONE(sin)
PYCUDA_ONE(sinh)
PYCUDA_ONE(sqrt)
PYCUDA_ONE(tan)
PYCUDA_ONE(tanh)
PYCUDA_ONE(tgamma)
PYCUDA_ONE(trunc)
#undef PYCUDA_ONE

#define PYCUDA_TWO(name)                                                      \
    template <class A, class B>                                               \
    __device__ inline                                                         \
        typename __pycuda_where<__pycuda_mixed<A, B>::value, double>::type    \
        name(A x, B y)                                                        \
    {                                                                         \
        return name((double)x, (double)y);                                    \
    }
PYCUDA_TWO(atan2)
PYCUDA_TWO(copysign)
PYCUDA_TWO(fdim)
PYCUDA_TWO(fmax)
PYCUDA_TWO(fmin)
PYCUDA_TWO(fmod)
PYCUDA_TWO(hypot)
PYCUDA_TWO(nextafter)
PYCUDA_TWO(pow)
PYCUDA_TWO(remainder)
#undef PYCUDA_TWO
