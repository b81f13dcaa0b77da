/* poisson.h - Poisson numbers.
 *
 * Pseudorandom generators: Knuth's product below 10, above it Hormann's
 * transformed rejection (PTRS, 1993).  Quasirandom ones, which must give one
 * number for one: the distribution is summed from its mode.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "transform.h"

template <class State>
__pycuda_template_fn unsigned int
__pycuda_poisson_product(State *state, double lambda)
{
    double end = exp(-lambda), product = curand_uniform_double(state);
    unsigned int k = 0;
    while (product > end) {
        product *= curand_uniform_double(state);
        k++;
    }
    return k;
}
template <class State>
__pycuda_template_fn unsigned int
__pycuda_poisson_rejection(State *state, double lambda)
{
    double root = sqrt(lambda), b = 0.931 + 2.53 * root;
    double a = -0.059 + 0.02483 * b;
    double inverse = 1.1239 + 1.1328 / (b - 3.4);
    double quick = 0.9277 - 3.6224 / (b - 2.0);
    while (true) {
        double u = curand_uniform_double(state) - 0.5;
        double v = curand_uniform_double(state);
        double s = 0.5 - fabs(u);
        double k = floor((2.0 * a / s + b) * u + lambda + 0.43);
        if (s >= 0.07 && v <= quick) {
            return (unsigned int)k;
        }
        if (k < 0 || (s < 0.013 && v > s)) {
            continue;
        }
        if (__pycuda_log(v * inverse / (a / (s * s) + b)).high <=
            k * __pycuda_log(lambda).high - lambda -
                __pycuda_log_factorial(k)) {
            return (unsigned int)k;
        }
    }
}
/* The least k whose distribution reaches u. */
__pycuda_fn unsigned int
__pycuda_poisson_inverse(double u, double lambda)
{
    /* Below this the distribution is 0 to double's precision. */
    double first = floor(fmax(0.0, lambda - 10.0 * sqrt(lambda) - 10.0));
    double p = exp(first * log(lambda) - lambda - lgamma(first + 1.0));
    double sum = p, k = first, last = lambda + 40.0 * sqrt(lambda) + 100.0;
    while (sum < u && k < last) {
        k += 1.0;
        p *= lambda / k;
        sum += p;
    }
    return (unsigned int)k;
}

template <class State>
__pycuda_template_fn unsigned int
curand_poisson(State *state, double lambda)
{
    if (!(lambda > 0)) {
        return 0;
    }
    return lambda < 10 ? __pycuda_poisson_product(state, lambda)
                       : __pycuda_poisson_rejection(state, lambda);
}
#define __PYCUDA_POISSON_INVERSE(STATE)                                       \
    __pycuda_fn unsigned int curand_poisson(STATE *state, double lambda)      \
    {                                                                         \
        double u = curand_uniform_double(state);                              \
        return lambda > 0 ? __pycuda_poisson_inverse(u, lambda) : 0;          \
    }
__PYCUDA_POISSON_INVERSE(curandStateSobol32)
__PYCUDA_POISSON_INVERSE(curandStateScrambledSobol32)
__PYCUDA_POISSON_INVERSE(curandStateSobol64)
__PYCUDA_POISSON_INVERSE(curandStateScrambledSobol64)
#undef __PYCUDA_POISSON_INVERSE
__pycuda_fn uint4
curand_poisson4(curandStatePhilox4_32_10 *state, double lambda)
{
    uint4 four;
    four.x = curand_poisson(state, lambda);
    four.y = curand_poisson(state, lambda);
    four.z = curand_poisson(state, lambda);
    four.w = curand_poisson(state, lambda);
    return four;
}
