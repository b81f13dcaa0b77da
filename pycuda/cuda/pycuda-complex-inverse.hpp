/* pycuda-complex-inverse.hpp - inverse circular and hyperbolic functions.
 *
 * Not included by pycuda-complex.hpp, which has PyCUDA's functions only.
 * Principal branches, cuts, infinities, NaNs and signed zeros are those of
 * C99's Annex G. All functions compute in double: the parts of a
 * complex<float> are correctly rounded with rare exceptions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pycuda-complex.hpp"

extern "C++" {
namespace pycuda
{

#ifdef __PYCUDA_CPU__
/* The C library handles numbers whose squares, or those of 1 - z and 1 + z,
 * overflow or underflow. */
#define PYCUDA_COMPLEX_EXTREME(Z, NAME, RE, IM)                               \
    complex<double>(                                                          \
        __pycuda_##NAME##_re(_is_far(Z), RE, (Z)._M_re, (Z)._M_im),           \
        __pycuda_##NAME##_im(_is_far(Z), IM, (Z)._M_re, (Z)._M_im))
__device__ inline bool
_is_far_part(double part)
{
    const double size = ::fabs(part);
    return !(size < 0x1p500) || (size < 0x1p-500 && size > 0);
}
__device__ inline bool
_is_far(const complex<double> &z)
{
    return _is_far_part(z._M_re) || _is_far_part(z._M_im);
}
struct _operand {
    double re, im, log_scale;
};
__device__ inline _operand
_operand_of(double re, double im)
{
    return {re, im, 0};
}
__device__ inline double
_near_size(double re, double im)
{
    return ::sqrt(re * re + im * im);
}
__device__ inline double
_asinh_scaled(double value, double, double sign)
{
    return ::copysign(::asinh(value), sign);
}
#else
#define PYCUDA_COMPLEX_EXTREME(Z, NAME, RE, IM) complex<double>(RE, IM)
/* An operand of acos or asinh. Numbers whose sums overflow are scaled down,
 * which preserves angles and subtracts log(2^30) from logarithms; an infinite
 * part becomes a large number, and a finite part next to it 0. */
struct _operand {
    double re, im;
    /* Correction of the logarithm; infinity if a part is infinite. */
    double log_scale;
};
__device__ inline double
_stand_in(double part)
{
    return ::copysign(_is_infinite(part) ? 0x1p1000 : part - part, part);
}
__device__ inline _operand
_operand_of(double re, double im)
{
    const bool endless = _is_infinite(re) || _is_infinite(im);
    const bool far = ::fabs(re) > 0x1p1000 || ::fabs(im) > 0x1p1000;
    const double scale = far ? 0x1p-30 : 1.0;
    const double lack = far ? 20.79441541679835928251 : 0.0;
    _operand found;
    found.re = endless ? _stand_in(re) : re * scale;
    found.im = endless ? _stand_in(im) : im * scale;
    found.log_scale = endless ? _infinity<double>() : lack;
    return found;
}

__device__ inline double
_near_size(double re, double im)
{
    return ::hypot(re, im);
}
/* asinh(value), plus the correction of the operand's logarithm, with the sign.
 */
__device__ inline double
_asinh_scaled(double value, double log_scale, double sign)
{
    const bool endless = _is_infinite(log_scale);
    const double size = ::fabs(::asinh(value)) + log_scale;
    return ::copysign(endless ? log_scale : size, sign);
}
#endif

/* The root of 1 - z or 1 + z, which is neither large nor tiny unless it is 0.
 */
__device__ inline complex<double>
_near_sqrt(double re, double im)
{
    const double larger = ::sqrt((::fabs(re) + _near_size(re, im)) * 0.5);
    const double smaller = larger == 0 ? im : im / (2 * larger);
    const bool right = re >= 0;
    return complex<double>(right ? larger : ::fabs(smaller),
                           right ? smaller : ::copysign(larger, im));
}
/* Kahan's formula: acos from the roots of 1 - z and 1 + z. */
__device__ inline complex<double>
acos(const complex<double> &z)
{
    const double x = z._M_re, y = z._M_im;
    const _operand w = _operand_of(x, y);
    const complex<double> low = _near_sqrt(1 - w.re, -w.im);
    const complex<double> high = _near_sqrt(1 + w.re, w.im);
    const double value = high._M_re * low._M_im - high._M_im * low._M_re;
    const double angle = 2 * ::atan2(low._M_re, high._M_re);
    const double sign = y != y ? -1.0 : -y;
    return PYCUDA_COMPLEX_EXTREME(
        z, cacos, x == 0 && y != y ? 1.57079632679489661923 : angle,
        _asinh_scaled(value, w.log_scale, sign));
}
__device__ inline complex<double>
acosh(const complex<double> &z)
{
    const complex<double> a = acos(z);
    return complex<double>(::fabs(a._M_im), ::copysign(a._M_re, z._M_im));
}

/* The counterpart of acos for -i z. */
__device__ inline complex<double>
asinh(const complex<double> &z)
{
    const double x = z._M_re, y = z._M_im;
    const _operand w = _operand_of(x, y);
    const complex<double> low = _near_sqrt(1 - w.im, w.re);
    const complex<double> high = _near_sqrt(1 + w.im, -w.re);
    const double value = high._M_re * low._M_im - high._M_im * low._M_re;
    const double other = low._M_re * high._M_re - low._M_im * high._M_im;
    const double angle = ::atan2(w.im, other);
    return PYCUDA_COMPLEX_EXTREME(z, casinh,
                                  _asinh_scaled(value, w.log_scale, x),
                                  y == 0 && x != x ? y : angle);
}

/* Both operands of each quotient and angle are scaled if squares would
 * overflow. */
__device__ inline complex<double>
atanh(const complex<double> &z)
{
    const double x = ::fabs(z._M_re), y = ::fabs(z._M_im);
    const bool endless = _is_infinite(x) || _is_infinite(y);
    const double scale = x > 0x1p500 || y > 0x1p500 ? 0x1p-520 : 1.0;
    const double below = (1 - x) * scale, above = (1 + x) * scale;
    const double side = y * scale;
    const double square = below * below + side * side;
    double re = 0.25 * ::log1p(4 * (x * scale) / square * scale);
    double im = 0.5 * ::atan2(2 * side * scale, below * above - side * side);
    re = endless ? 0.0 : x == 0 ? x : re;
    im = endless ? y != y ? y : 1.57079632679489661923 : im;
    return complex<double>(::copysign(re, z._M_re), ::copysign(im, z._M_im));
}

/* asin(z) = -i asinh(i z), atan(z) = -i atanh(i z) */
__device__ inline complex<double>
asin(const complex<double> &z)
{
    complex<double> a = asinh(complex<double>(-z._M_im, z._M_re));
    return complex<double>(a._M_im, -a._M_re);
}
__device__ inline complex<double>
atan(const complex<double> &z)
{
    complex<double> a = atanh(complex<double>(-z._M_im, z._M_re));
    return complex<double>(a._M_im, -a._M_re);
}

#define PYCUDA_COMPLEX_INVERSE(name)                                          \
    __device__ inline complex<float> name(const complex<float> &z)            \
    {                                                                         \
        return complex<float>(name(complex<double>(z._M_re, z._M_im)));       \
    }
PYCUDA_COMPLEX_INVERSE(acos)
PYCUDA_COMPLEX_INVERSE(asin)
PYCUDA_COMPLEX_INVERSE(atan)
PYCUDA_COMPLEX_INVERSE(acosh)
PYCUDA_COMPLEX_INVERSE(asinh)
PYCUDA_COMPLEX_INVERSE(atanh)
#undef PYCUDA_COMPLEX_INVERSE
#undef PYCUDA_COMPLEX_EXTREME
} // namespace pycuda
}
