/* thrust/complex.h - thrust::complex for kernels, after C99's Annex G.
 * Operands of different precision are converted to the wider one.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <complex>

extern "C++" {
namespace thrust
{
template <class T> struct complex;

/* The default constructor does nothing, because no constructor runs for shared
 * memory. */
#define PYCUDA_COMPLEX_START complex() = default;
#define PYCUDA_COMPLEX_MIXED                                                  \
    template <class U>                                                        \
    __host__ __device__ complex(const std::complex<U> &z)                     \
        : re_((T)z.real()), im_((T)z.imag())                                  \
    {                                                                         \
    }                                                                         \
    __host__ __device__ operator std::complex<T>() const                      \
    {                                                                         \
        return std::complex<T>(re_, im_);                                     \
    }
#include "../complex_parts/type.h"
#include "../complex_parts/functions.h"
#undef PYCUDA_COMPLEX_START
#undef PYCUDA_COMPLEX_MIXED

#define PYCUDA_COMPLEX_MIXED_OPERATOR(SIGN)                                   \
    __device__ inline complex<double> operator SIGN(                          \
        const complex<double> &a, const complex<float> &b)                    \
    {                                                                         \
        return a SIGN complex<double>(b);                                     \
    }                                                                         \
    __device__ inline complex<double> operator SIGN(                          \
        const complex<float> &a, const complex<double> &b)                    \
    {                                                                         \
        return complex<double>(a) SIGN b;                                     \
    }                                                                         \
    __device__ inline complex<double> operator SIGN(const complex<float> &a,  \
                                                    const double &b)          \
    {                                                                         \
        return complex<double>(a) SIGN b;                                     \
    }                                                                         \
    __device__ inline complex<double> operator SIGN(const double &a,          \
                                                    const complex<float> &b)  \
    {                                                                         \
        return a SIGN complex<double>(b);                                     \
    }
PYCUDA_COMPLEX_MIXED_OPERATOR(+)
PYCUDA_COMPLEX_MIXED_OPERATOR(-)
PYCUDA_COMPLEX_MIXED_OPERATOR(*)
PYCUDA_COMPLEX_MIXED_OPERATOR(/)
#undef PYCUDA_COMPLEX_MIXED_OPERATOR
} // namespace thrust
}
