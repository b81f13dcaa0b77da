// Complex functions that pycuda-complex.hpp lacks, on their principal
// branches. They are computed in double: the parts of complex<float> are
// almost always correctly rounded.
//
// SPDX-License-Identifier: MIT

#include <pycuda-complex-inverse.hpp>

typedef pycuda::complex<double> Wide;

// log(1 + z) without loss of accuracy for small z.
__device__ inline Wide wide_log1p(Wide z)
{
    const double x = z.real(), y = z.imag();
    const double angle = atan2(y, 1 + x);
    if (!(fabs(x) <= 0.5 && fabs(y) <= 0.5)) {
        return Wide(pycuda::log(Wide(1 + x, y)).real(), angle);
    }
    return Wide(0.5 * log1p(x * (2 + x) + y * y), angle);
}

// Follows NumPy, which has no special values here.
__device__ inline Wide wide_expm1(Wide z)
{
    const double x = z.real(), y = z.imag();
    const double half = sin(y * 0.5);
    return Wide(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}

__device__ inline Wide scaled(Wide z, double factor)
{
    return Wide(z.real() * factor, z.imag() * factor);
}

#define PRINCIPAL(name, value)                                               \
    template <class T>                                                       \
    __device__ inline pycuda::complex<T> principal_##name(                   \
        pycuda::complex<T> given)                                            \
    {                                                                        \
        const Wide z(given.real(), given.imag());                            \
        const Wide result = value;                                           \
        return pycuda::complex<T>((T)result.real(), (T)result.imag());       \
    }

PRINCIPAL(asin, pycuda::asin(z))
PRINCIPAL(acos, pycuda::acos(z))
PRINCIPAL(atan, pycuda::atan(z))
PRINCIPAL(asinh, pycuda::asinh(z))
PRINCIPAL(acosh, pycuda::acosh(z))
PRINCIPAL(atanh, pycuda::atanh(z))
PRINCIPAL(exp2, pycuda::exp(scaled(z, 0.69314718055994530942)))
PRINCIPAL(expm1, wide_expm1(z))
PRINCIPAL(log2, scaled(pycuda::log(z), 1.44269504088896340736))
PRINCIPAL(log1p, wide_log1p(z))
PRINCIPAL(rint, Wide(rint(z.real()), rint(z.imag())))
