/* pycuda-complex.hpp - complex numbers for kernels: pycuda::complex<T>.
 *
 * T is float or double. The class has two members in order and no extra
 * alignment, so an array of it has the layout of numpy.complex64 or
 * complex128. Arithmetic is strict about types: the program must convert mixed
 * operands. Products and quotients equal NumPy's; the functions are in
 * pycuda-complex-functions.hpp and, on request, pycuda-complex-inverse.hpp.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace pycuda
{

template <class T> struct complex;

/* A number is initialised to 0. Shared memory cannot be initialised: nvcc and
 * NVRTC only warn about it, but clang reports an error, and the CPU device's
 * front end then compiles again with this macro, and with all automatic
 * variables set to zero. */
#ifdef __PYCUDA_TRIVIAL_COMPLEX__
#define PYCUDA_COMPLEX_DEFAULT __device__ complex() = default;
#else
#define PYCUDA_COMPLEX_DEFAULT                                                \
    __device__ complex() : _M_re(0), _M_im(0)                                 \
    {                                                                         \
    }
#endif

/* Members that do not depend on the precision. OTHER is the other precision;
 * CONVERT states whether it converts implicitly. */
#define PYCUDA_COMPLEX_MEMBERS(T, OTHER, CONVERT)                             \
    typedef T value_type;                                                     \
    typedef complex<T> _Self;                                                 \
                                                                              \
    T _M_re, _M_im;                                                           \
                                                                              \
    PYCUDA_COMPLEX_DEFAULT                                                    \
    __device__ complex(T re, T im = 0) : _M_re(re), _M_im(im)                 \
    {                                                                         \
    }                                                                         \
    __device__ complex(const complex<T> &z) : _M_re(z._M_re), _M_im(z._M_im)  \
    {                                                                         \
    }                                                                         \
    __device__ complex(const volatile complex<T> &z)                          \
        : _M_re(z._M_re), _M_im(z._M_im)                                      \
    {                                                                         \
    }                                                                         \
    __device__ inline CONVERT complex(const complex<OTHER> &z);               \
                                                                              \
    __device__ T real() const                                                 \
    {                                                                         \
        return _M_re;                                                         \
    }                                                                         \
    __device__ T imag() const                                                 \
    {                                                                         \
        return _M_im;                                                         \
    }                                                                         \
    __device__ T real() const volatile                                        \
    {                                                                         \
        return _M_re;                                                         \
    }                                                                         \
    __device__ T imag() const volatile                                        \
    {                                                                         \
        return _M_im;                                                         \
    }                                                                         \
    __device__ void real(T value)                                             \
    {                                                                         \
        _M_re = value;                                                        \
    }                                                                         \
    __device__ void imag(T value)                                             \
    {                                                                         \
        _M_im = value;                                                        \
    }                                                                         \
    __device__ complex<T> &operator=(const complex<T> &z)                     \
    {                                                                         \
        _M_re = z._M_re;                                                      \
        _M_im = z._M_im;                                                      \
        return *this;                                                         \
    }                                                                         \
    __device__ complex<T> &operator=(const volatile complex<T> &z)            \
    {                                                                         \
        _M_re = z._M_re;                                                      \
        _M_im = z._M_im;                                                      \
        return *this;                                                         \
    }                                                                         \
    __device__ void operator=(const complex<T> &z) volatile                   \
    {                                                                         \
        _M_re = z._M_re;                                                      \
        _M_im = z._M_im;                                                      \
    }                                                                         \
    __device__ void operator=(const volatile complex<T> &z) volatile          \
    {                                                                         \
        _M_re = z._M_re;                                                      \
        _M_im = z._M_im;                                                      \
    }                                                                         \
    __device__ complex<T> &operator=(T re)                                    \
    {                                                                         \
        _M_re = re;                                                           \
        _M_im = 0;                                                            \
        return *this;                                                         \
    }                                                                         \
    __device__ void operator=(T re) volatile                                  \
    {                                                                         \
        _M_re = re;                                                           \
        _M_im = 0;                                                            \
    }                                                                         \
    __device__ inline complex<T> &operator=(const complex<OTHER> &z);         \
    __device__ inline void operator=(const complex<OTHER> &z) volatile;       \
                                                                              \
    __device__ complex<T> &operator+=(T re)                                   \
    {                                                                         \
        _M_re += re;                                                          \
        return *this;                                                         \
    }                                                                         \
    __device__ complex<T> &operator-=(T re)                                   \
    {                                                                         \
        _M_re -= re;                                                          \
        return *this;                                                         \
    }                                                                         \
    __device__ complex<T> &operator*=(T re)                                   \
    {                                                                         \
        _M_re *= re;                                                          \
        _M_im *= re;                                                          \
        return *this;                                                         \
    }                                                                         \
    __device__ complex<T> &operator/=(T re)                                   \
    {                                                                         \
        _M_re /= re;                                                          \
        _M_im /= re;                                                          \
        return *this;                                                         \
    }                                                                         \
    template <class U> __device__ complex<T> &operator+=(const complex<U> &z) \
    {                                                                         \
        _M_re += z._M_re;                                                     \
        _M_im += z._M_im;                                                     \
        return *this;                                                         \
    }                                                                         \
    template <class U> __device__ complex<T> &operator-=(const complex<U> &z) \
    {                                                                         \
        _M_re -= z._M_re;                                                     \
        _M_im -= z._M_im;                                                     \
        return *this;                                                         \
    }                                                                         \
    template <class U>                                                        \
    __device__ inline complex<T> &operator*=(const complex<U> &z);            \
    template <class U>                                                        \
    __device__ inline complex<T> &operator/=(const complex<U> &z);

template <> struct complex<float> {
    PYCUDA_COMPLEX_MEMBERS(float, double, explicit)
};
template <> struct complex<double> {
    PYCUDA_COMPLEX_MEMBERS(double, float, )
};
#undef PYCUDA_COMPLEX_MEMBERS
#undef PYCUDA_COMPLEX_DEFAULT

#define PYCUDA_COMPLEX_CONVERT(T, OTHER)                                      \
    __device__ inline complex<T>::complex(const complex<OTHER> &z)            \
        : _M_re((T)z._M_re), _M_im((T)z._M_im)                                \
    {                                                                         \
    }                                                                         \
    __device__ inline complex<T> &complex<T>::operator=(                      \
        const complex<OTHER> &z)                                              \
    {                                                                         \
        _M_re = (T)z._M_re;                                                   \
        _M_im = (T)z._M_im;                                                   \
        return *this;                                                         \
    }                                                                         \
    __device__ inline void complex<T>::operator=(const complex<OTHER> &z)     \
        volatile                                                              \
    {                                                                         \
        _M_re = (T)z._M_re;                                                   \
        _M_im = (T)z._M_im;                                                   \
    }
PYCUDA_COMPLEX_CONVERT(float, double)
PYCUDA_COMPLEX_CONVERT(double, float)
#undef PYCUDA_COMPLEX_CONVERT

/* (a + b i) / (c + d i), scaled by the larger part of the divisor so that c^2
 * + d^2 is never computed. Both parts of a zero divisor are treated as +0. */
template <class T>
__device__ inline complex<T>
_quotient(T a, T b, T c, T d)
{
    if (::fabs(c) <= ::fabs(d)) {
        if (d == 0) {
            return complex<T>(a / ::fabs(d), b / ::fabs(d));
        }
        T ratio = c / d;
        T scale = 1 / (d * (1 + ratio * ratio));
        return complex<T>((a * ratio + b) * scale, (b * ratio - a) * scale);
    }
    T ratio = d / c;
    T scale = 1 / (c * (1 + ratio * ratio));
    return complex<T>((a + b * ratio) * scale, (b - a * ratio) * scale);
}

#define PYCUDA_COMPLEX_PRODUCTS(T)                                            \
    template <class U>                                                        \
    __device__ inline complex<T> &complex<T>::operator*=(const complex<U> &z) \
    {                                                                         \
        T re = _M_re * (T)z._M_re - _M_im * (T)z._M_im;                       \
        _M_im = _M_re * (T)z._M_im + _M_im * (T)z._M_re;                      \
        _M_re = re;                                                           \
        return *this;                                                         \
    }                                                                         \
    template <class U>                                                        \
    __device__ inline complex<T> &complex<T>::operator/=(const complex<U> &z) \
    {                                                                         \
        return *this =                                                        \
                   _quotient<T>(_M_re, _M_im, (T)z._M_re, (T)z._M_im);        \
    }
PYCUDA_COMPLEX_PRODUCTS(float)
PYCUDA_COMPLEX_PRODUCTS(double)
#undef PYCUDA_COMPLEX_PRODUCTS

/* ---- operators, for operands of exactly these types ---- */

template <class T>
__device__ inline complex<T>
operator+(const complex<T> &z)
{
    return z;
}
template <class T>
__device__ inline complex<T>
operator-(const complex<T> &z)
{
    return complex<T>(-z._M_re, -z._M_im);
}
template <class T>
__device__ inline complex<T>
operator+(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a._M_re + b._M_re, a._M_im + b._M_im);
}
template <class T>
__device__ inline complex<T>
operator-(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a._M_re - b._M_re, a._M_im - b._M_im);
}
template <class T>
__device__ inline complex<T>
operator*(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a._M_re * b._M_re - a._M_im * b._M_im,
                      a._M_re * b._M_im + a._M_im * b._M_re);
}
template <class T>
__device__ inline complex<T>
operator/(const complex<T> &a, const complex<T> &b)
{
    return _quotient<T>(a._M_re, a._M_im, b._M_re, b._M_im);
}
template <class T>
__device__ inline complex<T>
operator+(const volatile complex<T> &a, const volatile complex<T> &b)
{
    return complex<T>(a) + complex<T>(b);
}
template <class T>
__device__ inline complex<T>
operator*(const volatile complex<T> &a, const volatile complex<T> &b)
{
    return complex<T>(a) * complex<T>(b);
}
template <class T>
__device__ inline complex<T>
operator+(const complex<T> &a, const T &b)
{
    return complex<T>(a._M_re + b, a._M_im);
}
template <class T>
__device__ inline complex<T>
operator-(const complex<T> &a, const T &b)
{
    return complex<T>(a._M_re - b, a._M_im);
}
template <class T>
__device__ inline complex<T>
operator*(const complex<T> &a, const T &b)
{
    return complex<T>(a._M_re * b, a._M_im * b);
}
template <class T>
__device__ inline complex<T>
operator/(const complex<T> &a, const T &b)
{
    return complex<T>(a._M_re / b, a._M_im / b);
}
template <class T>
__device__ inline complex<T>
operator+(const T &a, const complex<T> &b)
{
    return complex<T>(a + b._M_re, b._M_im);
}
template <class T>
__device__ inline complex<T>
operator-(const T &a, const complex<T> &b)
{
    return complex<T>(a - b._M_re, -b._M_im);
}
template <class T>
__device__ inline complex<T>
operator*(const T &a, const complex<T> &b)
{
    return complex<T>(a * b._M_re, a * b._M_im);
}
template <class T>
__device__ inline complex<T>
operator/(const T &a, const complex<T> &b)
{
    return _quotient<T>(a, 0, b._M_re, b._M_im);
}
template <class T>
__device__ inline bool
operator==(const complex<T> &a, const complex<T> &b)
{
    return a._M_re == b._M_re && a._M_im == b._M_im;
}
template <class T>
__device__ inline bool
operator==(const complex<T> &a, const T &b)
{
    return a._M_re == b && a._M_im == 0;
}
template <class T>
__device__ inline bool
operator==(const T &a, const complex<T> &b)
{
    return a == b._M_re && b._M_im == 0;
}
template <class T>
__device__ inline bool
operator!=(const complex<T> &a, const complex<T> &b)
{
    return !(a == b);
}
template <class T>
__device__ inline bool
operator!=(const complex<T> &a, const T &b)
{
    return !(a == b);
}
template <class T>
__device__ inline bool
operator!=(const T &a, const complex<T> &b)
{
    return !(a == b);
}

/* ---- functions ---- */

template <class T>
__device__ inline T
real(const complex<T> &z)
{
    return z._M_re;
}
template <class T>
__device__ inline T
imag(const complex<T> &z)
{
    return z._M_im;
}
template <class T>
__device__ inline T
abs(const complex<T> &z)
{
    return ::hypot(z._M_re, z._M_im);
}
template <class T>
__device__ inline T
arg(const complex<T> &z)
{
    return ::atan2(z._M_im, z._M_re);
}
template <class T>
__device__ inline T
norm(const complex<T> &z)
{
    return z._M_re * z._M_re + z._M_im * z._M_im;
}
template <class T>
__device__ inline complex<T>
conj(const complex<T> &z)
{
    return complex<T>(z._M_re, -z._M_im);
}
template <class T>
__device__ inline complex<T>
polar(const T &rho)
{
    return complex<T>(rho, 0);
}
template <class T>
__device__ inline complex<T>
polar(const T &rho, const T &phi)
{
    return complex<T>(rho * ::cos(phi), rho * ::sin(phi));
}
}
}

#include "pycuda-complex-functions.hpp"
