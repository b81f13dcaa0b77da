/* poisson_gamma.h - Poisson numbers of means from 64 to 4000.
 *
 * The distribution function of k is a regularised incomplete gamma function,
 * which a logistic curve of two coefficients approximates: P(x) = (1 +
 * exp(slope (mean - x) - shift))^-2.  Its inverse proposes a number, which is
 * accepted with the ratio of the true probability to the curve's step.  The
 * coefficients are those that cuRAND's numbers come from.
 *
 * Everything is rounded to floats as a GPU rounds it; exponential and
 * logarithm are computed as doubles, so that devices agree but for numbers
 * next to a float's rounding boundary.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "transform.h"

struct __pycuda_gamma_curve {
    float mean, slope, shift, log_mean;
};

__pycuda_fn float
__pycuda_float_exp(float x)
{
    return (float)exp2((double)(float)((double)x * 1.4426950408889634));
}
__pycuda_fn float
__pycuda_float_log(float x)
{
    float power = (float)log2((double)x);
    return (float)((double)power * 0.6931471805599453);
}
__pycuda_fn float
__pycuda_inverse_root(float x)
{
    return (float)(1.0 / sqrt((double)x));
}
__pycuda_fn __pycuda_gamma_curve
__pycuda_gamma_curve_of(float mean)
{
    float slope = __pycuda_inverse_root(mean - 0.12400979329415655f);
    float shift = __pycuda_inverse_root(mean - 1.97381164089999420f);
    return {mean, fmaf(1.43248035075540910f, slope, 0.00025361074907033f),
            fmaf(0.21096734870196546f, shift, 0.94201734077887530f),
            __pycuda_float_log(mean)};
}
/* P(x). */
__pycuda_fn float
__pycuda_gamma_share(__pycuda_gamma_curve curve, float x)
{
    float t = fmaf(curve.slope, curve.mean - x, -curve.shift);
    t = 1.0f + __pycuda_float_exp(t);
    return 1.0f / (t * t);
}
/* The x of P(x) = share. */
__pycuda_fn float
__pycuda_gamma_place(__pycuda_gamma_curve curve, float share)
{
    float t = __pycuda_inverse_root(share) - 1.0f;
    t = curve.shift + __pycuda_float_log(t);
    return fmaf(-t, 1.0f / curve.slope, curve.mean);
}

template <class State>
__pycuda_template_fn unsigned int
curand_poisson_gammainc(State *state, float mean)
{
    __pycuda_gamma_curve curve = __pycuda_gamma_curve_of(mean);
    while (true) {
        float k = floorf(__pycuda_gamma_place(curve, curand_uniform(state)));
        float accept = curand_uniform(state);
        float step = __pycuda_gamma_share(curve, k + 1.0f) -
                     __pycuda_gamma_share(curve, k);
        step *= 1.3f;
        float log_factorial = (float)__pycuda_log_factorial((double)k);
        float probability = __pycuda_float_exp(
            fmaf(k, curve.log_mean, -mean) - log_factorial);
        if (k >= 0.0f && accept * step < probability && step >= 1e-20f) {
            return (unsigned int)k;
        }
    }
}
