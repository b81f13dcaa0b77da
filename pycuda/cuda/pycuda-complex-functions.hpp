/* pycuda-complex-functions.hpp - elementary functions of pycuda::complex<T>.
 *
 * Included by pycuda-complex.hpp. Infinities, NaNs and signed zeros follow
 * C99's Annex G, and NumPy where Annex G does not specify a sign; results are
 * finite even if intermediate factors overflow. The functions select values
 * and do not branch. The CPU device has faster versions for ordinary
 * arguments: pycuda-complex-branches.hpp.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace pycuda
{

template <class T>
__device__ inline T
_infinity()
{
    return (T)__longlong_as_double(0x7ff0000000000000LL);
}
template <class T>
__device__ inline bool
_is_finite(T x)
{
    return ::fabs(x) < _infinity<T>();
}
template <class T>
__device__ inline bool
_is_infinite(T x)
{
    return ::fabs(x) == _infinity<T>();
}

/* Constants that depend on the precision: the magnitudes of operands beyond
 * which squares overflow or lose bits, the powers of 4 that scale such
 * operands, with their roots and logarithms, and the exponents from which e^x
 * is computed as e^(x - shift) e^shift. */
template <class T> struct _scales;
template <> struct _scales<float> {
    static constexpr float high = 0x1p60f, low = 0x1p-60f;
    static constexpr float down = 0x1p-68f, root_down = 0x1p-34f;
    static constexpr float up = 0x1p100f, root_up = 0x1p50f;
    static constexpr float log_down = -47.13400827807628104037f;
    static constexpr float log_up = 69.31471805599453094172f;
    static constexpr float last = 88.0f, shift = 64.0f;
    static constexpr float grown = 6.23514908081161688291e+27f; /* e^shift */
};
template <> struct _scales<double> {
    static constexpr double high = 0x1p500, low = 0x1p-500;
    static constexpr double down = 0x1p-540, root_down = 0x1p-270;
    static constexpr double up = 0x1p600, root_up = 0x1p300;
    static constexpr double log_down = -374.2994775023704670853;
    static constexpr double log_up = 415.8883083359671856503;
    static constexpr double last = 709.0, shift = 512.0;
    static constexpr double grown = 2.28441358653975664038e+222;
};

#ifdef __PYCUDA_CPU__
}
}
#include "pycuda-complex-branches.hpp"
extern "C++" {
namespace pycuda
{
#else
/* ---- roots and logarithms ---- */

/* Selects one of three values, depending on whether the larger part of a
 * complex number is large, small, or neither. */
template <class T>
__device__ inline T
_by_size(const complex<T> &z, T large, T small, T other)
{
    T a = ::fabs(z._M_re), b = ::fabs(z._M_im), most = a > b ? a : b;
    T value = most < _scales<T>::low ? small : other;
    return most > _scales<T>::high ? large : value;
}
/* |re + im i| for parts whose squares do not overflow; infinite parts take
 * precedence over NaNs. */
template <class T>
__device__ inline T
_size(T re, T im)
{
    bool endless = _is_infinite(re) || _is_infinite(im);
    return endless ? _infinity<T>() : ::sqrt(re * re + im * im);
}

/* The principal root: with r = |z|, the larger of the two parts is sqrt((r +
 * |re|) / 2), which has no cancellation; the other follows from 2 re(root)
 * im(root) = im(z). */
template <class T>
__device__ inline complex<T>
sqrt(const complex<T> &z)
{
    typedef _scales<T> S;
    const T scale = _by_size<T>(z, S::down, S::up, 1);
    const T unscale = _by_size<T>(z, 1 / S::root_down, 1 / S::root_up, 1);
    const T re = z._M_re * scale, im = z._M_im * scale;
    T larger = ::sqrt((::fabs(re) + _size(re, im)) / 2);
    T smaller = larger == 0 ? im : im / (2 * larger) * unscale;
    larger *= unscale;
    bool right = z._M_re >= 0, endless = _is_infinite(im);
    T found = right ? larger : ::fabs(smaller);
    T other = right ? smaller : ::copysign(larger, im);
    return complex<T>(endless ? ::fabs(im) : found, endless ? im : other);
}

template <class T>
__device__ inline complex<T>
log(const complex<T> &z)
{
    typedef _scales<T> S;
    const T scale = _by_size<T>(z, S::down, S::up, 1);
    const T offset = _by_size<T>(z, -S::log_down, -S::log_up, 0);
    const T size = _size(z._M_re * scale, z._M_im * scale);
    return complex<T>(::log(size) + offset, arg(z));
}
template <class T>
__device__ inline complex<T>
log10(const complex<T> &z)
{
    typedef _scales<T> S;
    const T factor = (T)0.43429448190325182765;
    const T scale = _by_size<T>(z, S::down, S::up, 1);
    const T offset = _by_size<T>(z, -S::log_down, -S::log_up, 0) * factor;
    const T size = _size(z._M_re * scale, z._M_im * scale);
    return complex<T>(::log10(size) + offset, arg(z) * factor);
}

/* ---- exponentials ---- */

template <class T>
__device__ inline complex<T>
exp(const complex<T> &z)
{
    typedef _scales<T> S;
    const T re = z._M_re, im = z._M_im;
    const bool large = re > S::last;
    const T scale = ::exp(large ? re - S::shift : re);
    const T rest = large ? S::grown : T(1);
    /* 0 and infinity do not depend on the angle: using 0 as the angle avoids
     * the NaN of inf * 0. */
    const bool settled = _is_infinite(re) && !_is_finite(im);
    const T angle = settled ? ::copysign(T(0), im) : im;
    const T y = scale * ::sin(angle) * rest;
    return complex<T>(scale * ::cos(angle) * rest, im == 0 ? im : y);
}

/* ---- hyperbolic functions, and circular ones by them ---- */

template <class T>
__device__ inline complex<T>
sinh(const complex<T> &z)
{
    typedef _scales<T> S;
    const T re = z._M_re, im = z._M_im, size = ::fabs(re);
    const bool large = size > S::last, ends = !_is_finite(im);
    const T near = large ? ::copysign(size - S::shift, re) : re;
    const T rest = large ? S::grown : T(1);
    T x = ::sinh(near) * ::cos(im) * rest, y = ::cosh(near) * ::sin(im) * rest;
    x = ends && _is_infinite(re) ? size : x;
    x = ends && re == 0 ? re : x;
    return complex<T>(x, im == 0 ? im : y);
}
template <class T>
__device__ inline complex<T>
cosh(const complex<T> &z)
{
    typedef _scales<T> S;
    const T re = z._M_re, im = z._M_im, size = ::fabs(re);
    const bool large = size > S::last, ends = !_is_finite(im);
    const T near = large ? ::copysign(size - S::shift, re) : re;
    const T rest = large ? S::grown : T(1);
    T x = ::cosh(near) * ::cos(im) * rest, y = ::sinh(near) * ::sin(im) * rest;
    const T zero = re != re ? im : ::copysign(T(1), re) * im;
    x = ends && _is_infinite(re) ? size : x;
    y = ends && re == 0 ? T(0) : y;
    return complex<T>(x, im == 0 ? zero : y);
}

/* sin(z) = -i sinh(i z), cos(z) = cosh(i z); an infinite part with an
 * unspecified sign is positive. */
template <class T>
__device__ inline complex<T>
sin(const complex<T> &z)
{
    complex<T> s = sinh(complex<T>(-z._M_im, z._M_re));
    bool unsigned_part = _is_infinite(s._M_re) && !_is_finite(z._M_re);
    return complex<T>(s._M_im, unsigned_part ? ::fabs(s._M_re) : -s._M_re);
}
template <class T>
__device__ inline complex<T>
cos(const complex<T> &z)
{
    return cosh(complex<T>(-z._M_im, z._M_re));
}
#endif

/* ---- powers ---- */

/* Annex G's replacement of an operand of a product that results in NaNs:
 * infinite parts of an infinite operand become +-1 and other parts +-0; in any
 * other operand NaNs become +-0. */
template <class T>
__device__ inline T
_boxed(T part, bool endless)
{
    const T number = part == part ? part : T(0);
    const T value = endless ? T(_is_infinite(part) ? 1 : 0) : number;
    return ::copysign(value, part);
}
/* The product as in Annex G: infinite if an operand is infinite. */
template <class T>
__device__ inline complex<T>
_product(const complex<T> &a, const complex<T> &b)
{
    const complex<T> found = a * b;
    const bool ends_a = _is_infinite(a._M_re) || _is_infinite(a._M_im);
    const bool ends_b = _is_infinite(b._M_re) || _is_infinite(b._M_im);
    const bool lost = found._M_re != found._M_re && found._M_im != found._M_im;
    const complex<T> c(_boxed(a._M_re, ends_a), _boxed(a._M_im, ends_a));
    const complex<T> d(_boxed(b._M_re, ends_b), _boxed(b._M_im, ends_b));
    const complex<T> whole = c * d;
    const bool restored = lost && (ends_a || ends_b);
    return complex<T>(restored ? _infinity<T>() * whole._M_re : found._M_re,
                      restored ? _infinity<T>() * whole._M_im : found._M_im);
}

template <class T>
__device__ inline complex<T>
pow(const complex<T> &base, const complex<T> &exponent)
{
    const complex<T> found = exp(_product(exponent, log(base)));
    const bool is_one = exponent._M_re == 0 && exponent._M_im == 0;
    return complex<T>(is_one ? T(1) : found._M_re,
                      is_one ? T(0) : found._M_im);
}
template <class T>
__device__ inline complex<T>
pow(const complex<T> &base, const T &exponent)
{
    return pow(base, complex<T>(exponent, 0));
}
/* pow(z, 2): the exponent is converted to the type of z. */
__device__ inline complex<float>
pow(const complex<float> &base, int exponent)
{
    return pow(base, (float)exponent);
}
__device__ inline complex<double>
pow(const complex<double> &base, int exponent)
{
    return pow(base, (double)exponent);
}
/* A negative base has a logarithm, too. */
template <class T>
__device__ inline complex<T>
pow(const T &base, const complex<T> &exponent)
{
    if (base > 0) {
        return exp(exponent * ::log(base));
    }
    return pow(complex<T>(base, 0), exponent);
}

/* Beyond this bound, sinh^2 overflows and tanh rounds to 1. */
__device__ inline float
_saturation(float)
{
    return 44.0f;
}
__device__ inline double
_saturation(double)
{
    return 354.0;
}
template <class T>
__device__ inline complex<T>
_tanh_extreme(const complex<T> &z)
{
    T re = z._M_re, im = z._M_im;
    if (!_is_finite(im)) {
        T nan = im - im;
        if (_is_infinite(re)) {
            return complex<T>(::copysign(T(1), re), ::copysign(T(0), im));
        }
        return complex<T>(re == 0 ? re : nan, nan);
    }
    if (im == 0 || re != re) {
        return complex<T>(::tanh(re), im == 0 ? im : re);
    }
    return complex<T>(::copysign(T(1), re), 4 * ::sin(im) * ::cos(im) *
                                           ::exp(-2 * ::fabs(re)));
}
/* tanh(x + y i) = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y): the
 * formula with double angles suffers cancellation near the poles. */
template <class T>
__device__ inline complex<T>
tanh(const complex<T> &z)
{
    if (::fabs(z._M_re) <= _saturation(z._M_re) && _is_finite(z._M_im)) {
        T sine = ::sinh(z._M_re), cosine = ::cos(z._M_im);
        T scale = sine * sine + cosine * cosine;
        return complex<T>(sine * ::cosh(z._M_re) / scale,
                          ::sin(z._M_im) * cosine / scale);
    }
    return _tanh_extreme(z);
}

/* tan(z) = -i tanh(i z) */
template <class T>
__device__ inline complex<T>
tan(const complex<T> &z)
{
    complex<T> t = tanh(complex<T>(-z._M_im, z._M_re));
    return complex<T>(t._M_im, -t._M_re);
}
}
}
