// Functions of complex numbers that NumPy defines for each part.
//
// SPDX-License-Identifier: MIT

template <class R>
__device__ inline pycuda::complex<R> number_reciprocal(pycuda::complex<R> x)
{
    const R real = x.real(), imag = x.imag();
    if (fabs(imag) <= fabs(real)) {
        const R ratio = imag / real, scale = real + imag * ratio;
        return pycuda::complex<R>(1 / scale, -ratio / scale);
    }
    const R ratio = real / imag, scale = real * ratio + imag;
    return pycuda::complex<R>(ratio / scale, -1 / scale);
}

// x / |x|, and 0 for 0.
template <class R>
__device__ inline pycuda::complex<R> number_sign(pycuda::complex<R> x)
{
    const R size = hypot(x.real(), x.imag());
    if (size == 0 || size != size) {
        return pycuda::complex<R>(size, size);
    }
    if (!isinf(size)) {
        return pycuda::complex<R>(x.real() / size, x.imag() / size);
    }
    const bool real = isinf(x.real()), imag = isinf(x.imag());
    if (real && imag) {
        return pycuda::complex<R>(NAN, NAN);
    }
    return pycuda::complex<R>(real ? copysign(R(1), x.real()) : R(0),
                              imag ? copysign(R(1), x.imag()) : R(0));
}

// NumPy's order: by real parts, then by imaginary parts.
template <class R>
__device__ inline bool number_before(pycuda::complex<R> x,
                                     pycuda::complex<R> y)
{
    return x.real() < y.real() ||
           (x.real() == y.real() && x.imag() < y.imag());
}

template <class R>
__device__ inline pycuda::complex<R> number_not_below(pycuda::complex<R> x,
                                                      pycuda::complex<R> low)
{
    const bool nan = x.real() != x.real() || x.imag() != x.imag();
    return nan || number_before(low, x) ? x : low;
}

template <class R>
__device__ inline pycuda::complex<R> number_not_above(pycuda::complex<R> x,
                                                      pycuda::complex<R> high)
{
    const bool nan = x.real() != x.real() || x.imag() != x.imag();
    return nan || number_before(x, high) ? x : high;
}
