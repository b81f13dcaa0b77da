/* transform.h - logarithm and Box-Muller transform in extended precision.
 *
 * Results depend only on operations that IEEE 754 defines (a GPU's
 * approximations only provide the starting values of Newton's method) and on
 * minimax polynomials (tools/minimax.py): every device gets the same bits.
 * Numbers are sums of two parts; the second part is the rounding error of the
 * first. The total error is a quarter of a unit in the last place.
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

/* The exact sum of two numbers. The first one is zero, or its magnitude is
 * larger than that of the second one. */
template <class T>
__pycuda_template_fn __pycuda_pair<T>
__pycuda_sum(T large, T small)
{
    T high = large + small;
    return {high, small - (high - large)};
}
/* The exact sum of any two numbers. */
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

/* Constants and functions that depend on the type: polynomials have as many
 * terms as its digits require. The last digit of a sum with `ones` has the
 * value 1, so that adding `ones` rounds a number to an integer. */
template <class T> struct __pycuda_series;
template <> struct __pycuda_series<float> {
    static constexpr float ln2_high = 0.693359375f;
    static constexpr float ln2_low = -0.00021219444f;
    static constexpr float pi_high = 3.1415927410125732f;
    static constexpr float pi_low = -8.742277657347586e-08f;
    static constexpr float ones = 12582912.0f; /* 1.5 2^23 */
    /* Splits u = (1 + result) 2^power, with 1 + result near 1. */
    static __device__ __forceinline__ float
    split(float u, float *power)
    {
        int bits = __float_as_int(u), e = (bits - 0x3f3504f3) >> 23;
        *power = __int_as_float(0x4b400000 + e) - ones;
        return __int_as_float(bits - e * (1 << 23)) - 1.0f;
    }
    /* Returns the integer nearest to m x as a float. The last bits of *whole
     * are those of the integer. */
    static __device__ __forceinline__ float
    nearest(float m, float x, int *whole)
    {
        float sum = fmaf(m, x, ones);
        *whole = __float_as_int(sum);
        return sum - ones;
    }
    /* (log((1 + s) / (1 - s)) / s - 2) / z, with z = s^2. */
    static __device__ __forceinline__ float
    logarithm(float z)
    {
        float sum = fmaf(z, 0x1.31e0d8p-2f, 0x1.995ed4p-2f);
        return fmaf(z, sum, 0x1.55557ap-1f);
    }
    /* (sin(x) / x - 1) / q, with q = x^2. */
    static __device__ __forceinline__ float
    sine(float q)
    {
        float sum = fmaf(q, -0x1.9955bap-13f, 0x1.11077cp-7f);
        return fmaf(q, sum, -0x1.555546p-3f);
    }
    /* (cos(x) - 1 + q / 2) / q^2. */
    static __device__ __forceinline__ float
    cosine(float q)
    {
        float sum = fmaf(q, 0x1.99e0eap-16f, -0x1.6c0c1ap-10f);
        return fmaf(q, sum, 0x1.55554ap-5f);
    }
};
/* A GPU's instructions cannot encode a double constant, except as an operand
 * in constant memory. */
#ifdef __PYCUDA_CPU__
#define __PYCUDA_TERMS static __device__ constexpr double
#else
#define __PYCUDA_TERMS static __constant__ double
#endif
__PYCUDA_TERMS __pycuda_logarithm_terms[] = {
    0x1.5555555555592p-1, 0x1.999999997feeep-2, 0x1.24924941e4fcbp-2,
    0x1.c71c5210c083fp-3, 0x1.74663dbf7aac8p-3, 0x1.39a1d19b595e8p-3,
    0x1.2f04b6d9b39dfp-3,
};
__PYCUDA_TERMS __pycuda_sine_terms[] = {
    -0x1.5555555555549p-3, 0x1.111111110f8a4p-7,   -0x1.a01a019c15a84p-13,
    0x1.71de357a97218p-19, -0x1.ae5e6822a186ep-26, 0x1.5d937c067f068p-33,
};
__PYCUDA_TERMS __pycuda_cosine_terms[] = {
    0x1.555555555554cp-5,   -0x1.6c16c16c1521ep-10, 0x1.a01a019cbf369p-16,
    -0x1.27e4f8128babcp-22, 0x1.1ee9f12f7f807p-29,  -0x1.8fb11c4c170bfp-37,
};
#undef __PYCUDA_TERMS
template <> struct __pycuda_series<double> {
    static constexpr double ln2_high = 0.6931471805592082;
    static constexpr double ln2_low = 7.371002565167799e-13;
    static constexpr double pi_high = 3.141592653589793;
    static constexpr double pi_low = 1.2246467991473532e-16;
    static constexpr double ones = 6755399441055744.0; /* 1.5 2^52 */
    static __device__ __forceinline__ double
    split(double u, double *power)
    {
        long long bits = __double_as_longlong(u);
        long long e = (bits - 0x3fe6a09e667f3bcdll) >> 52;
        *power = __longlong_as_double(0x4338000000000000ll + e) - ones;
        return __longlong_as_double(bits - e * (1ll << 52)) - 1.0;
    }
    static __device__ __forceinline__ double
    nearest(double m, double x, int *whole)
    {
        double sum = fma(m, x, ones);
        *whole = (int)__double_as_longlong(sum);
        return sum - ones;
    }
    static __device__ __forceinline__ double
    logarithm(double z)
    {
        return sum<7>(__pycuda_logarithm_terms, z);
    }
    static __device__ __forceinline__ double
    sine(double q)
    {
        return sum<6>(__pycuda_sine_terms, q);
    }
    static __device__ __forceinline__ double
    cosine(double q)
    {
        return sum<6>(__pycuda_cosine_terms, q);
    }
    template <int N>
    static __device__ __forceinline__ double
    sum(const double *terms, double x)
    {
        double sum = terms[N - 1];
#pragma unroll
        for (int k = N - 2; k >= 0; k--) {
            sum = fma(x, sum, terms[k]);
        }
        return sum;
    }
};

/* The logarithm of u, which must be positive and not subnormal. */
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

/* The sine and cosine of 2 pi v, for v in [0, 1]. */
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

/* Two normal numbers from two uniform ones (Box and Muller, 1958). */
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

/* Returns log(1 + f) in the precision of the type, where f is a result of
 * `split`. The function is approximated by a polynomial in f, or in
 * f / (2 + f), which needs fewer terms but a division. For float the division
 * takes as long as the terms that it avoids, so the polynomial is in f. For
 * double it takes less time, so the polynomial is in f / (2 + f). */
__pycuda_fn float
__pycuda_log_near(float f)
{
    float sum = fmaf(f, -0x1.38d10ap-4f, 0x1.056036p-3f);
    sum = fmaf(f, sum, -0x1.0d81bep-3f);
    sum = fmaf(f, sum, 0x1.22d8fcp-3f);
    sum = fmaf(f, sum, -0x1.547290p-3f);
    sum = fmaf(f, sum, 0x1.99a01ep-3f);
    sum = fmaf(f, sum, -0x1.000226p-2f);
    sum = fmaf(f, sum, 0x1.555554p-2f);
    return fmaf(f * f, fmaf(f, sum, -0.5f), f);
}
#ifdef __PYCUDA_CPU__
/* Returns f / (2 + f), from which log(1 + f) is computed. */
__pycuda_fn double
__pycuda_share(double f)
{
    return f / (2.0 + f);
}
__pycuda_fn double
__pycuda_root_near(double x)
{
    return sqrt(x);
}
#else
/* f / (2 + f) for double, by Newton's method. A GPU's division has branches
 * for numbers that cannot occur here; this function has none. The last step
 * rounds correctly (Markstein, 1990) unless all digits of 2 + f are ones. In
 * that case the last digit of the quotient may be wrong, but does not change
 * any logarithm. */
__pycuda_fn double
__pycuda_share(double f)
{
    double y, whole = 2.0 + f;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(whole));
    double error = fma(-whole, y, 1.0);
    y = fma(y, fma(error, error, error), y);
    y = fma(y, fma(-whole, y, 1.0), y);
    double share = f * y;
    return fma(y, fma(-whole, share, f), share);
}
/* The square root of x, which must be 0 or much larger than the constant that
 * is added to it. */
__pycuda_fn double
__pycuda_root_near(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x + 0x1p-900));
    double error = fma(-x, y * y, 1.0);
    y = fma(fma(error, 0.375, 0.5), y * error, y);
    double root = x * y;
    return fma(fma(-root, root, x), 0.5 * y, root);
}
#endif
__pycuda_fn float
__pycuda_root_near(float x)
{
    return sqrtf(x);
}
__pycuda_fn double
__pycuda_log_near(double f)
{
    double half = 0.5 * f * f, s = __pycuda_share(f), z = s * s;
    double rest = half + z * __pycuda_series<double>::logarithm(z);
    return f - fma(-s, rest, half);
}

/* Sets `pair` to two normal numbers made from two uniform ones. Computes in
 * the precision of the type, without lower parts, which takes half the time.
 * The errors are below 4 units in the last place. */
template <class T>
__pycuda_template_fn void
__pycuda_normals_near(T u, T v, T *pair)
{
    typedef __pycuda_series<T> Series;
    T power, f = Series::split(u, &power);
    T log = __pycuda_fma(power, Series::ln2_low, __pycuda_log_near(f));
    log = __pycuda_fma(power, Series::ln2_high, log);
    T root = __pycuda_root_near(T(-2) * log);
    int quarter;
    T t = __pycuda_fma(Series::nearest(T(4), v, &quarter), T(-0.25), v);
    T x = t * (T(2) * Series::pi_low);
    x = __pycuda_fma(t, T(2) * Series::pi_high, x);
    T q = x * x, sine = __pycuda_fma(x * q, Series::sine(q), x);
    T cosine = __pycuda_fma(T(-0.5), q, T(1));
    cosine = __pycuda_fma(q * q, Series::cosine(q), cosine);
    bool odd = quarter & 1;
    pair[0] = (quarter & 2 ? -root : root) * (odd ? cosine : sine);
    pair[1] = ((quarter + 1) & 2 ? -root : root) * (odd ? sine : cosine);
}

/* Returns location + width * x as a sum of two parts. If the sum overflows,
 * the first part is infinite and the second one is 0. */
template <class T>
__pycuda_template_fn __pycuda_pair<T>
__pycuda_moved(__pycuda_pair<T> x, T location, T width)
{
    __pycuda_pair<T> scaled = __pycuda_product(width, x.high);
    scaled.low += width * x.low;
    __pycuda_pair<T> sum = __pycuda_sum_any(location, scaled.high);
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
/* e^x; the contribution of the lower part is omitted if the result is
 * infinite. */
template <class T>
__pycuda_template_fn T
__pycuda_exp(__pycuda_pair<T> x)
{
    T power = __pycuda_power(x.high);
    T whole = __pycuda_fma(power, x.low, power);
    return power - power == T(0) ? whole : power;
}

/* The logarithm of k! for k >= 0: Stirling's series at k + 8. */
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
