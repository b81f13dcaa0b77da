// Functions of complex numbers that pycuda-complex.hpp does not have, on
// their principal branches; cuts as in C's Annex G.  They are computed in
// double: the parts of complex<float> come out nearly right to the last bit.
// SPDX-License-Identifier: MIT

typedef pycuda::complex<double> Wide;

// sqrt without overflow, signed zeros kept.
__device__ inline Wide wide_sqrt(Wide z)
{
    const double x = z.real(), y = z.imag();
    if (isinf(y)) {
        return Wide(INFINITY, y);
    }
    if (x == 0 && y == 0) {
        return Wide(0, y);
    }
    const double size = hypot(x, y);
    const double half = sqrt((fabs(x) + size) * 0.5);
    if (x >= 0) {
        return Wide(half, y / (2 * half));
    }
    return Wide(fabs(y) / (2 * half), copysign(half, y));
}

// log(1 + z) without loss where z is small.
__device__ inline Wide wide_log1p(Wide z)
{
    const double x = z.real(), y = z.imag();
    const double angle = atan2(y, 1 + x);
    if (fabs(x) > 0.5 || fabs(y) > 0.5) {
        return Wide(log(hypot(1 + x, y)), angle);
    }
    return Wide(0.5 * log1p(x * (2 + x) + y * y), angle);
}

// Kahan: asin and acos by roots of 1 - z and 1 + z.
__device__ inline Wide wide_asin(Wide z)
{
    const double x = z.real(), y = z.imag();
    const Wide low = wide_sqrt(Wide(1 - x, -y));
    const Wide high = wide_sqrt(Wide(1 + x, y));
    const double real = low.real() * high.real() - low.imag() * high.imag();
    const double imag = low.real() * high.imag() - low.imag() * high.real();
    return Wide(atan2(x, real), asinh(imag));
}

__device__ inline Wide wide_acos(Wide z)
{
    const double x = z.real(), y = z.imag();
    const Wide low = wide_sqrt(Wide(1 - x, -y));
    const Wide high = wide_sqrt(Wide(1 + x, y));
    const double imag = high.real() * low.imag() - high.imag() * low.real();
    return Wide(2 * atan2(low.real(), high.real()), asinh(imag));
}

__device__ inline Wide wide_atanh(Wide z)
{
    const double x = fabs(z.real()), y = fabs(z.imag());
    double real, imag;
    if (x > 1e100 || y > 1e100) {
        const double size = hypot(x / 2, y / 2);
        real = x / size / size / 4;
        imag = 1.57079632679489661923;
    } else {
        real = 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y));
        imag = 0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y);
    }
    return Wide(copysign(real, z.real()), copysign(imag, z.imag()));
}

__device__ inline Wide wide_expm1(Wide z)
{
    const double x = z.real(), y = z.imag();
    const double half = sin(y * 0.5);
    return Wide(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
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

__device__ inline Wide turned(Wide z) // i * z
{
    return Wide(-z.imag(), z.real());
}

__device__ inline Wide back(Wide z) // -i * z
{
    return Wide(z.imag(), -z.real());
}

__device__ inline Wide wide_acosh(Wide z)
{
    const double x = z.real(), y = z.imag();
    const Wide low = wide_sqrt(Wide(x - 1, y));
    const Wide high = wide_sqrt(Wide(x + 1, y));
    const double real = low.real() * high.real() + low.imag() * high.imag();
    return Wide(asinh(real), 2 * atan2(low.imag(), high.real()));
}

__device__ inline Wide wide_log(Wide z)
{
    return Wide(log(hypot(z.real(), z.imag())), atan2(z.imag(), z.real()));
}

__device__ inline Wide scaled(Wide z, double factor)
{
    return Wide(z.real() * factor, z.imag() * factor);
}

__device__ inline Wide wide_exp(Wide z)
{
    const double size = exp(z.real());
    return Wide(size * cos(z.imag()), size * sin(z.imag()));
}

PRINCIPAL(asin, wide_asin(z))
PRINCIPAL(acos, wide_acos(z))
PRINCIPAL(atan, back(wide_atanh(turned(z))))
PRINCIPAL(asinh, back(wide_asin(turned(z))))
PRINCIPAL(acosh, wide_acosh(z))
PRINCIPAL(atanh, wide_atanh(z))
PRINCIPAL(exp2, wide_exp(scaled(z, 0.69314718055994530942)))
PRINCIPAL(expm1, wide_expm1(z))
PRINCIPAL(log2, scaled(wide_log(z), 1.44269504088896340736))
PRINCIPAL(log1p, wide_log1p(z))
PRINCIPAL(rint, Wide(rint(z.real()), rint(z.imag())))
