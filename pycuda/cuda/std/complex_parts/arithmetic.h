/* arithmetic.h - products and quotients of C99's Annex G.
 *
 * Infinities that the plain formulas turn into NaNs are recovered. Quotients
 * of floats are computed in double, which cannot overflow; those of doubles
 * are scaled by the exponent of the divisor.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

namespace __pycuda_complex
{

template <class T> struct pair {
    T re, im;
};

template <class T>
__device__ inline T
boxed(T x)
{
    return copysign(isinf(x) ? T(1) : T(0), x);
}
template <class T>
__device__ inline T
zeroed(T x)
{
    return isnan(x) ? copysign(T(0), x) : x;
}

/* The product for the case that both parts of the plain product are NaN. */
template <class T>
__device__ inline pair<T>
recovered(T a, T b, T c, T d, pair<T> plain)
{
    bool recalc = false;
    if (isinf(a) || isinf(b)) {
        a = boxed(a), b = boxed(b);
        c = zeroed(c), d = zeroed(d);
        recalc = true;
    }
    if (isinf(c) || isinf(d)) {
        c = boxed(c), d = boxed(d);
        a = zeroed(a), b = zeroed(b);
        recalc = true;
    }
    if (!recalc && (isinf(a * c) || isinf(b * d) || isinf(a * d) ||
                   isinf(b * c))) {
        a = zeroed(a), b = zeroed(b);
        c = zeroed(c), d = zeroed(d);
        recalc = true;
    }
    if (recalc) {
        const T huge = T(HUGE_VAL);
        return {huge * (a * c - b * d), huge * (a * d + b * c)};
    }
    return plain;
}
template <class T>
__device__ inline pair<T>
product(T a, T b, T c, T d)
{
    pair<T> z = {a * c - b * d, a * d + b * c};
    return isnan(z.re) && isnan(z.im) ? recovered(a, b, c, d, z) : z;
}

__device__ inline pair<double>
quotient(double a, double b, double c, double d)
{
    int by = 0;
    double size = logb(fmax(fabs(c), fabs(d)));
    if (isfinite(size)) {
        by = (int)size;
        c = scalbn(c, -by), d = scalbn(d, -by);
    }
    double below = c * c + d * d;
    pair<double> z = {scalbn((a * c + b * d) / below, -by),
                      scalbn((b * c - a * d) / below, -by)};
    if (!isnan(z.re) || !isnan(z.im)) {
        return z;
    }
    if (below == 0 && (!isnan(a) || !isnan(b))) {
        double huge = copysign(HUGE_VAL, c);
        return {huge * a, huge * b};
    }
    if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
        a = boxed(a), b = boxed(b);
        return {HUGE_VAL * (a * c + b * d), HUGE_VAL * (b * c - a * d)};
    }
    if (isinf(size) && size > 0 && isfinite(a) && isfinite(b)) {
        c = boxed(c), d = boxed(d);
        return {0.0 * (a * c + b * d), 0.0 * (b * c - a * d)};
    }
    return z;
}
__device__ inline pair<float>
quotient(float a, float b, float c, float d)
{
    pair<double> z = quotient((double)a, (double)b, (double)c, (double)d);
    return {(float)z.re, (float)z.im};
}

} // namespace __pycuda_complex
