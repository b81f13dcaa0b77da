/* functions.h - operators and functions of complex numbers.
 *
 * Included once in each namespace, after type.h.  The functions are those of
 * pycuda::complex, which follow C99's Annex G.
 *
 * SPDX-License-Identifier: MIT */

/* ---- operators on two complex numbers, or a complex and a real one ---- */

#define PYCUDA_COMPLEX_OPERATOR(SIGN, ASSIGN)                                 \
    template <class T>                                                        \
    __device__ inline complex<T> operator SIGN(const complex<T> &a,           \
                                               const complex<T> &b)           \
    {                                                                         \
        complex<T> z = a;                                                     \
        z ASSIGN b;                                                           \
        return z;                                                             \
    }                                                                         \
    template <class T>                                                        \
    __device__ inline complex<T> operator SIGN(                               \
        const complex<T> &a, const typename complex<T>::value_type &b)        \
    {                                                                         \
        complex<T> z = a;                                                     \
        z ASSIGN b;                                                           \
        return z;                                                             \
    }                                                                         \
    template <class T>                                                        \
    __device__ inline complex<T> operator SIGN(                               \
        const typename complex<T>::value_type &a, const complex<T> &b)        \
    {                                                                         \
        complex<T> z = a;                                                     \
        z ASSIGN b;                                                           \
        return z;                                                             \
    }
PYCUDA_COMPLEX_OPERATOR(+, +=)
PYCUDA_COMPLEX_OPERATOR(-, -=)
PYCUDA_COMPLEX_OPERATOR(*, *=)
PYCUDA_COMPLEX_OPERATOR(/, /=)
#undef PYCUDA_COMPLEX_OPERATOR

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
    return complex<T>(-z.real(), -z.imag());
}
template <class T>
__host__ __device__ constexpr bool
operator==(const complex<T> &a, const complex<T> &b)
{
    return a.real() == b.real() && a.imag() == b.imag();
}
template <class T>
__host__ __device__ constexpr bool
operator==(const complex<T> &a, const typename complex<T>::value_type &b)
{
    return a.real() == b && a.imag() == T();
}
template <class T>
__host__ __device__ constexpr bool
operator==(const typename complex<T>::value_type &a, const complex<T> &b)
{
    return b == a;
}
template <class T>
__host__ __device__ constexpr bool
operator!=(const complex<T> &a, const complex<T> &b)
{
    return !(a == b);
}
template <class T>
__host__ __device__ constexpr bool
operator!=(const complex<T> &a, const typename complex<T>::value_type &b)
{
    return !(a == b);
}
template <class T>
__host__ __device__ constexpr bool
operator!=(const typename complex<T>::value_type &a, const complex<T> &b)
{
    return !(b == a);
}

/* ---- parts ---- */

template <class T>
__host__ __device__ constexpr T
real(const complex<T> &z)
{
    return z.real();
}
template <class T>
__host__ __device__ constexpr T
imag(const complex<T> &z)
{
    return z.imag();
}
template <class T>
__host__ __device__ constexpr complex<T>
conj(const complex<T> &z)
{
    return complex<T>(z.real(), -z.imag());
}
template <class T>
__device__ inline T
norm(const complex<T> &z)
{
    return z.real() * z.real() + z.imag() * z.imag();
}
template <class T>
__device__ inline T
abs(const complex<T> &z)
{
    return hypot(z.real(), z.imag());
}
template <class T>
__device__ inline T
arg(const complex<T> &z)
{
    return atan2(z.imag(), z.real());
}
template <class T>
__device__ inline complex<T>
polar(const T &size, const T &angle = T())
{
    T s, c;
    sincos(angle, &s, &c);
    return complex<T>(size * c, size * s);
}
template <class T>
__device__ inline complex<T>
proj(const complex<T> &z)
{
    if (isinf(z.real()) || isinf(z.imag())) {
        return complex<T>(T(HUGE_VAL), copysign(T(0), z.imag()));
    }
    return z;
}

/* ---- functions ---- */

#define PYCUDA_COMPLEX_FUNCTION(NAME)                                         \
    template <class T>                                                        \
    __device__ inline complex<T> NAME(const complex<T> &z)                    \
    {                                                                         \
        pycuda::complex<T> w =                                                \
            pycuda::NAME(pycuda::complex<T>(z.real(), z.imag()));             \
        return complex<T>(w.real(), w.imag());                                \
    }
PYCUDA_COMPLEX_FUNCTION(exp)
PYCUDA_COMPLEX_FUNCTION(log)
PYCUDA_COMPLEX_FUNCTION(log10)
PYCUDA_COMPLEX_FUNCTION(sqrt)
PYCUDA_COMPLEX_FUNCTION(sin)
PYCUDA_COMPLEX_FUNCTION(cos)
PYCUDA_COMPLEX_FUNCTION(tan)
PYCUDA_COMPLEX_FUNCTION(sinh)
PYCUDA_COMPLEX_FUNCTION(cosh)
PYCUDA_COMPLEX_FUNCTION(tanh)
PYCUDA_COMPLEX_FUNCTION(asin)
PYCUDA_COMPLEX_FUNCTION(acos)
PYCUDA_COMPLEX_FUNCTION(atan)
PYCUDA_COMPLEX_FUNCTION(asinh)
PYCUDA_COMPLEX_FUNCTION(acosh)
PYCUDA_COMPLEX_FUNCTION(atanh)
#undef PYCUDA_COMPLEX_FUNCTION

template <class T>
__device__ inline complex<T>
pow(const complex<T> &a, const complex<T> &b)
{
    pycuda::complex<T> w = pycuda::pow(pycuda::complex<T>(a.real(), a.imag()),
                                       pycuda::complex<T>(b.real(), b.imag()));
    return complex<T>(w.real(), w.imag());
}
template <class T>
__device__ inline complex<T>
pow(const complex<T> &a, const T &b)
{
    return pow(a, complex<T>(b));
}
template <class T>
__device__ inline complex<T>
pow(const T &a, const complex<T> &b)
{
    return pow(complex<T>(a), b);
}
template <class T>
__device__ inline complex<T>
pow(const complex<T> &a, int n)
{
    return pow(a, complex<T>((T)n));
}
