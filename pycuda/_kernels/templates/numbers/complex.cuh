// Complex division (Smith's method) and powers as NumPy has them.
// SPDX-License-Identifier: MIT

template <class R>
__device__ inline pycuda::complex<R> complex_divide(pycuda::complex<R> x,
                                                    pycuda::complex<R> y)
{
    R real = fabs(y.real()), imag = fabs(y.imag());
    if (real == 0 && imag == 0) {
        return pycuda::complex<R>(x.real() / real, x.imag() / real);
    }
    if (real >= imag) {
        R ratio = y.imag() / y.real();
        R scale = R(1) / (y.real() + y.imag() * ratio);
        return pycuda::complex<R>((x.real() + x.imag() * ratio) * scale,
                                  (x.imag() - x.real() * ratio) * scale);
    }
    R ratio = y.real() / y.imag();
    R scale = R(1) / (y.imag() + y.real() * ratio);
    return pycuda::complex<R>((x.real() * ratio + x.imag()) * scale,
                              (x.imag() * ratio - x.real()) * scale);
}

// x to a whole power of at least 1, from its highest bit down.
template <class R>
__device__ inline pycuda::complex<R> complex_whole_power(pycuda::complex<R> x,
                                                         int power)
{
    pycuda::complex<R> result = x;
    int bit = 1;
    while (bit <= power / 2) {
        bit *= 2;
    }
    for (bit /= 2; bit; bit /= 2) {
        result = result * result;
        if (power & bit) {
            result = result * x;
        }
    }
    return result;
}

// Powers as NumPy has them: 1 for an exponent of 0, products for small whole
// ones, and of 0 only those whose exponent has a positive real part.
template <class R>
__device__ inline pycuda::complex<R> complex_power(pycuda::complex<R> x,
                                                   pycuda::complex<R> y)
{
    typedef pycuda::complex<R> C;
    const R exponent = y.real();
    if (exponent == 0 && y.imag() == 0) {
        return C(1, 0);
    }
    if (x.real() == 0 && x.imag() == 0) {
        const R value = exponent > 0 ? R(0) : R(NAN);
        return C(value, value);
    }
    if (y.imag() == 0 && fabs(exponent) < 100 && exponent == rint(exponent)) {
        const C found = complex_whole_power(x, (int)fabs(exponent));
        return exponent > 0 ? found : complex_divide(C(1, 0), found);
    }
    return pow(x, y);
}
