// Complex division as NumPy does it (Smith's method).
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
