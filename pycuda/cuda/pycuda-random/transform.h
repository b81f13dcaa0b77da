/* transform.h - logarithm, and Box and Muller's transform, of more digits.
 *
 * Only operations that IEEE 754 defines are used, and series: every device
 * has the same bits.  Numbers are sums of two, the second of which is what
 * the first one's rounding left; the errors of the whole are a quarter of a
 * unit in the last place.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"

template <class T> struct __pycuda_pair {
    T high, low;
};

__pycuda_fn float
__pycuda_fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
__pycuda_fn double
__pycuda_fma(double x, double y, double z)
{
    return fma(x, y, z);
}
__pycuda_fn float
__pycuda_root(float x)
{
    return sqrtf(x);
}
__pycuda_fn double
__pycuda_root(double x)
{
    return sqrt(x);
}

/* The sum of numbers of which the first is the larger, or zero. */
template <class T>
__pycuda_template_fn __pycuda_pair<T>
__pycuda_sum(T large, T small)
{
    T high = large + small;
    return {high, small - (high - large)};
}
/* Of any numbers. */
template <class T>
__pycuda_template_fn __pycuda_pair<T>
__pycuda_sum_any(T x, T y)
{
    T high = x + y, part = high - x;
    return {high, (x - (high - part)) + (y - part)};
}
template <class T>
__pycuda_template_fn __pycuda_pair<T>
__pycuda_product(T x, T y)
{
    T high = x * y;
    return {high, __pycuda_fma(x, y, -high)};
}

/* What depends on the type: series of as many terms as its digits need. */
template <class T> struct __pycuda_series;
template <> struct __pycuda_series<float> {
    static constexpr float ln2_high = 0.693359375f;
    static constexpr float ln2_low = -0.00021219444f;
    static constexpr float pi_high = 3.1415927410125732f;
    static constexpr float pi_low = -8.742277657347586e-08f;
    /* u is (1 + the result) 2^power, 1 + the result about 1. */
    static __device__ __forceinline__ float
    split(float u, float *power)
    {
        int bits = __float_as_int(u), e = (bits - 0x3f3504f3) >> 23;
        *power = (float)e;
        return __int_as_float(bits - e * (1 << 23)) - 1.0f;
    }
    /* (log((1 + s) / (1 - s)) / s - 2) / z, where z is s^2. */
    static __device__ __forceinline__ float
    logarithm(float z)
    {
        float sum = fmaf(z, 2.0f / 11, 2.0f / 9);
        sum = fmaf(z, sum, 2.0f / 7);
        sum = fmaf(z, sum, 2.0f / 5);
        return fmaf(z, sum, 2.0f / 3);
    }
    /* (sin(x) / x - 1) / q, where q is x^2. */
    static __device__ __forceinline__ float
    sine(float q)
    {
        float sum = fmaf(q, -1.0f / 39916800, 1.0f / 362880);
        sum = fmaf(q, sum, -1.0f / 5040);
        sum = fmaf(q, sum, 1.0f / 120);
        return fmaf(q, sum, -1.0f / 6);
    }
    /* (cos(x) - 1 + q / 2) / q^2. */
    static __device__ __forceinline__ float
    cosine(float q)
    {
        float sum = fmaf(q, 1.0f / 479001600, -1.0f / 3628800);
        sum = fmaf(q, sum, 1.0f / 40320);
        sum = fmaf(q, sum, -1.0f / 720);
        return fmaf(q, sum, 1.0f / 24);
    }
};
template <> struct __pycuda_series<double> {
    static constexpr double ln2_high = 0.6931471805592082;
    static constexpr double ln2_low = 7.371002565167799e-13;
    static constexpr double pi_high = 3.141592653589793;
    static constexpr double pi_low = 1.2246467991473532e-16;
    static __device__ __forceinline__ double
    split(double u, double *power)
    {
        long long bits = __double_as_longlong(u);
        long long e = (bits - 0x3fe6a09e667f3bcdll) >> 52;
        *power = (double)(int)e;
        return __longlong_as_double(bits - e * (1ll << 52)) - 1.0;
    }
    static __device__ __forceinline__ double
    logarithm(double z)
    {
        double sum = fma(z, 2.0 / 23, 2.0 / 21);
        sum = fma(z, sum, 2.0 / 19);
        sum = fma(z, sum, 2.0 / 17);
        sum = fma(z, sum, 2.0 / 15);
        sum = fma(z, sum, 2.0 / 13);
        sum = fma(z, sum, 2.0 / 11);
        sum = fma(z, sum, 2.0 / 9);
        sum = fma(z, sum, 2.0 / 7);
        sum = fma(z, sum, 2.0 / 5);
        return fma(z, sum, 2.0 / 3);
    }
    static __device__ __forceinline__ double
    sine(double q)
    {
        double sum = fma(q, -1.0 / 121645100408832000, 1.0 / 355687428096000);
        sum = fma(q, sum, -1.0 / 1307674368000);
        sum = fma(q, sum, 1.0 / 6227020800);
        sum = fma(q, sum, -1.0 / 39916800);
        sum = fma(q, sum, 1.0 / 362880);
        sum = fma(q, sum, -1.0 / 5040);
        sum = fma(q, sum, 1.0 / 120);
        return fma(q, sum, -1.0 / 6);
    }
    static __device__ __forceinline__ double
    cosine(double q)
    {
        double sum = fma(q, -1.0 / 6402373705728000, 1.0 / 20922789888000);
        sum = fma(q, sum, -1.0 / 87178291200);
        sum = fma(q, sum, 1.0 / 479001600);
        sum = fma(q, sum, -1.0 / 3628800);
        sum = fma(q, sum, 1.0 / 40320);
        sum = fma(q, sum, -1.0 / 720);
        return fma(q, sum, 1.0 / 24);
    }
};

/* The logarithm of u, which is a positive number and no subnormal one. */
template <class T>
__pycuda_template_fn __pycuda_pair<T>
__pycuda_log(T u)
{
    typedef __pycuda_series<T> Series;
    T power, f = Series::split(u, &power);
    /* log(1 + f) is f - f^2/2 + s (f^2/2 + series), s = f / (2 + f). */
    __pycuda_pair<T> half = __pycuda_product(T(0.5) * f, f);
    T s = f / (T(2) + f), z = s * s;
    T rest = s * (half.high + z * Series::logarithm(z));
    __pycuda_pair<T> a = __pycuda_sum(power * Series::ln2_high, f);
    __pycuda_pair<T> b = __pycuda_sum(a.high, -half.high);
    T low = (a.low + b.low) - half.low;
    low += power * Series::ln2_low;
    return __pycuda_sum(b.high, low + rest);
}

/* The sine and cosine of 2 pi v, v of [0, 1]. */
template <class T>
__pycuda_template_fn void
__pycuda_circle(T v, __pycuda_pair<T> *sine, __pycuda_pair<T> *cosine)
{
    typedef __pycuda_series<T> Series;
    int quarter = (int)(T(4) * v + T(0.5));
    T t = T(2) * v - T(0.5) * (T)quarter;
    __pycuda_pair<T> x = __pycuda_product(t, Series::pi_high);
    x.low += t * Series::pi_low;
    __pycuda_pair<T> q = __pycuda_product(x.high, x.high);
    q.low += T(2) * x.high * x.low;
    T more = x.low - T(0.5) * q.high * x.low;
    more += x.high * q.high * Series::sine(q.high);
    __pycuda_pair<T> s = __pycuda_sum(x.high, more);
    __pycuda_pair<T> c = __pycuda_sum(T(1), T(-0.5) * q.high);
    more = c.low - T(0.5) * q.low;
    more += q.high * q.high * Series::cosine(q.high);
    c = __pycuda_sum(c.high, more);
    T down = quarter & 2 ? T(-1) : T(1);
    T left = (quarter + 1) & 2 ? T(-1) : T(1);
    bool odd = quarter & 1;
    *sine = {down * (odd ? c.high : s.high), down * (odd ? c.low : s.low)};
    *cosine = {left * (odd ? s.high : c.high), left * (odd ? s.low : c.low)};
}

/* Two normal numbers of two uniform ones (Box and Muller, 1958). */
template <class T>
__pycuda_template_fn void
__pycuda_normals(T u, T v, __pycuda_pair<T> *pair)
{
    __pycuda_pair<T> log = __pycuda_log(u);
    T square = T(0) - T(2) * log.high, root = __pycuda_root(square);
    T rest = __pycuda_fma(-root, root, square) - T(2) * log.low;
    T low = root > T(0) ? rest / (T(2) * root) : T(0);
    __pycuda_pair<T> points[2];
    __pycuda_circle(v, points, points + 1);
    for (int k = 0; k < 2; k++) {
        pair[k] = __pycuda_product(root, points[k].high);
        pair[k].low += root * points[k].low + low * points[k].high;
    }
}

/* place + width x; infinite where it is too large, with no lower part. */
template <class T>
__pycuda_template_fn __pycuda_pair<T>
__pycuda_moved(__pycuda_pair<T> x, T place, T width)
{
    __pycuda_pair<T> scaled = __pycuda_product(width, x.high);
    scaled.low += width * x.low;
    __pycuda_pair<T> sum = __pycuda_sum_any(place, scaled.high);
    T low = sum.low + scaled.low;
    if (!(low - low == T(0))) {
        return {sum.high, T(0)};
    }
    return __pycuda_sum(sum.high, low);
}

__pycuda_fn float
__pycuda_power(float x)
{
    return expf(x);
}
__pycuda_fn double
__pycuda_power(double x)
{
    return exp(x);
}
/* e^x; what the lower part adds is not asked for where that is infinite. */
template <class T>
__pycuda_template_fn T
__pycuda_exp(__pycuda_pair<T> x)
{
    T power = __pycuda_power(x.high);
    T whole = __pycuda_fma(power, x.low, power);
    return power - power == T(0) ? whole : power;
}

/* The logarithm of k!, for k of 0 and more: Stirling's series at k + 8. */
__pycuda_fn double
__pycuda_log_factorial(double k)
{
    double product = k + 1.0, x = k + 8.0, inverse = 1.0 / x;
    for (int j = 2; j < 8; j++) {
        product *= k + (double)j;
    }
    double z = inverse * inverse;
    double sum = fma(z, 1.0 / 156, -691.0 / 360360);
    sum = fma(z, sum, 1.0 / 1188);
    sum = fma(z, sum, -1.0 / 1680);
    sum = fma(z, sum, 1.0 / 1260);
    sum = fma(z, sum, -1.0 / 360);
    sum = inverse * fma(z, sum, 1.0 / 12);
    double half_log_circle = 0.9189385332046728;
    double large = fma(x - 0.5, __pycuda_log(x).high, half_log_circle - x);
    return large + sum - __pycuda_log(product).high;
}
