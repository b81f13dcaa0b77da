/* pycuda-complex-branches.hpp - elementary functions of pycuda::complex<T> on
 * the CPU device.
 *
 * Included by pycuda-complex-functions.hpp, which has the same functions for
 * GPUs. The C library handles infinities, NaNs and numbers near the limits of
 * the range, in one branch that ordinary arguments do not take; the code is
 * vectorised around that branch, as in pycuda/cuda/cpu/math_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
/* __pycuda_cexp_re(is_slow, fast_value, re, im) is the real part of the
 * exponential of re + im i if `is_slow` holds, and `fast_value` otherwise; the
 * other functions are analogous. */
#define PYCUDA_COMPLEX_PART(NAME, T, SYMBOL)                                  \
    extern "C" __device__ T __pycuda_rare___pycuda_##SYMBOL(bool, T, T, T)    \
        __PYCUDA_CONST;                                                       \
    __device__ inline T __pycuda_##NAME(bool is_slow, T fast_value, T re,     \
                                        T im)                                 \
    {                                                                         \
        return __pycuda_rare___pycuda_##SYMBOL(is_slow, fast_value, re, im);  \
    }
#define PYCUDA_COMPLEX_PARTS(NAME)                                            \
    PYCUDA_COMPLEX_PART(NAME##_re, float, NAME##f_re)                         \
    PYCUDA_COMPLEX_PART(NAME##_im, float, NAME##f_im)                         \
    PYCUDA_COMPLEX_PART(NAME##_re, double, NAME##_re)                         \
    PYCUDA_COMPLEX_PART(NAME##_im, double, NAME##_im)
PYCUDA_COMPLEX_PARTS(cacos)
PYCUDA_COMPLEX_PARTS(casinh)
PYCUDA_COMPLEX_PARTS(ccos)
PYCUDA_COMPLEX_PARTS(ccosh)
PYCUDA_COMPLEX_PARTS(cexp)
PYCUDA_COMPLEX_PARTS(clog)
PYCUDA_COMPLEX_PARTS(clog10)
PYCUDA_COMPLEX_PARTS(csin)
PYCUDA_COMPLEX_PARTS(csinh)
PYCUDA_COMPLEX_PARTS(csqrt)
#undef PYCUDA_COMPLEX_PARTS
#undef PYCUDA_COMPLEX_PART

namespace pycuda
{

/* The value of a function at z, from the C library if `is_slow` holds. */
#define PYCUDA_COMPLEX_PARTS(T, NAME, Z, RARE, REAL, IMAG)                    \
    complex<T>(__pycuda_##NAME##_re(RARE, REAL, (Z)._M_re, (Z)._M_im),        \
               __pycuda_##NAME##_im(RARE, IMAG, (Z)._M_re, (Z)._M_im))

/* Returns whether the squares of both parts, and their sum, are accurate
 * enough. */
template <class T>
__device__ inline bool
_is_extreme(const complex<T> &z)
{
    T a = ::fabs(z._M_re), b = ::fabs(z._M_im), most = a > b ? a : b;
    return !(most <= _scales<T>::high && most >= _scales<T>::low);
}
/* Returns whether e^x overflows for a part of z, or the other part is beyond
 * the range of __pycuda_sincos. */
template <class T>
__device__ inline bool
_is_steep(T x, T angle)
{
    return !(x <= _scales<T>::last) ||
           !(::fabs(angle) < (sizeof(T) == 4 ? T(0x1p17) : T(0x1p30)));
}

/* The principal root: with r = |z|, the larger of the two parts is sqrt((r +
 * |re|) / 2), which has no cancellation; the other follows from 2 re(root)
 * im(root) = im(z). */
template <class T>
__device__ inline complex<T>
sqrt(const complex<T> &z)
{
    const T re = z._M_re, im = z._M_im;
    const T size = ::sqrt(re * re + im * im);
    const T larger = ::sqrt((::fabs(re) + size) / 2);
    const T smaller = im / (2 * larger);
    const bool right = re >= 0, is_slow = _is_extreme(z);
    return PYCUDA_COMPLEX_PARTS(T, csqrt, z, is_slow,
                                right ? larger : ::fabs(smaller),
                                right ? smaller : ::copysign(larger, im));
}

template <class T>
__device__ inline complex<T>
log(const complex<T> &z)
{
    const T square = z._M_re * z._M_re + z._M_im * z._M_im;
    const T size = __pycuda_clog_re(_is_extreme(z), ::log(::sqrt(square)),
                                    z._M_re, z._M_im);
    return complex<T>(size, arg(z));
}
template <class T>
__device__ inline complex<T>
log10(const complex<T> &z)
{
    const T factor = (T)0.43429448190325182765;
    const T square = z._M_re * z._M_re + z._M_im * z._M_im;
    const T size = __pycuda_clog10_re(_is_extreme(z), ::log10(::sqrt(square)),
                                      z._M_re, z._M_im);
    return complex<T>(size, arg(z) * factor);
}

template <class T>
__device__ inline complex<T>
exp(const complex<T> &z)
{
    const bool is_slow = _is_steep(z._M_re, z._M_im);
    const T scale = ::exp(z._M_re);
    T sine, cosine;
    __pycuda_sincos(z._M_im, &sine, &cosine);
    return PYCUDA_COMPLEX_PARTS(T, cexp, z, is_slow, scale * cosine,
                                scale * sine);
}

template <class T>
__device__ inline complex<T>
sinh(const complex<T> &z)
{
    const bool is_slow = _is_steep(::fabs(z._M_re), z._M_im);
    T sine, cosine, sineh, cosineh;
    __pycuda_sincos(z._M_im, &sine, &cosine);
    __pycuda_sinh_cosh(z._M_re, &sineh, &cosineh);
    return PYCUDA_COMPLEX_PARTS(T, csinh, z, is_slow, sineh * cosine,
                                cosineh * sine);
}
template <class T>
__device__ inline complex<T>
cosh(const complex<T> &z)
{
    const bool is_slow = _is_steep(::fabs(z._M_re), z._M_im);
    T sine, cosine, sineh, cosineh;
    __pycuda_sincos(z._M_im, &sine, &cosine);
    __pycuda_sinh_cosh(z._M_re, &sineh, &cosineh);
    return PYCUDA_COMPLEX_PARTS(T, ccosh, z, is_slow, cosineh * cosine,
                                sineh * sine);
}
template <class T>
__device__ inline complex<T>
sin(const complex<T> &z)
{
    const bool is_slow = _is_steep(::fabs(z._M_im), z._M_re);
    T sine, cosine, sineh, cosineh;
    __pycuda_sincos(z._M_re, &sine, &cosine);
    __pycuda_sinh_cosh(z._M_im, &sineh, &cosineh);
    return PYCUDA_COMPLEX_PARTS(T, csin, z, is_slow, sine * cosineh,
                                cosine * sineh);
}
template <class T>
__device__ inline complex<T>
cos(const complex<T> &z)
{
    const bool is_slow = _is_steep(::fabs(z._M_im), z._M_re);
    T sine, cosine, sineh, cosineh;
    __pycuda_sincos(z._M_re, &sine, &cosine);
    __pycuda_sinh_cosh(z._M_im, &sineh, &cosineh);
    return PYCUDA_COMPLEX_PARTS(T, ccos, z, is_slow, cosine * cosineh,
                                -(sine * sineh));
}
#undef PYCUDA_COMPLEX_PARTS
} // namespace pycuda
}
