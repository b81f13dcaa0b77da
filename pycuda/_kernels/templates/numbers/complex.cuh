// Complex division (Smith's method) and powers, as defined by NumPy.
//
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

// x to an integer power of at least 1, with NumPy's products in NumPy's order:
// the first product is with 1, which affects non-finite x. Small powers omit
// that product if they are the final result.
template <class R>
__device__ inline pycuda::complex<R>
complex_whole_power(pycuda::complex<R> x, int power, bool is_result)
{
    if (power <= 3 && is_result) {
        const pycuda::complex<R> square = power > 1 ? x * x : x;
        return power > 2 ? x * square : square;
    }
    pycuda::complex<R> result(1, 0);
    for (int bit = 1;;) {
        if (power & bit) {
            result = result * x;
        }
        bit *= 2;
        if (power < bit) {
            return result;
        }
        x = x * x;
    }
}

// Powers as in NumPy: 1 for an exponent of 0, products for small integer
// exponents; 0 only has powers with an exponent whose real part is positive.
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
        const C found =
            complex_whole_power(x, (int)fabs(exponent), exponent > 0);
        const C one(1, 0);
        return exponent > 0 ? found : complex_divide(one, found);
    }
    const C size = log(x);
    C product = y * size;
    if (product.real() != product.real() && product.imag() != product.imag()) {
        product = pycuda::_product(y, size);
    }
    return exp(product);
}
