/* poisson.h - Poisson numbers.
 *
 * Pseudorandom generators use Knuth's product (The Art of Computer
 * Programming, volume 2, 3.4.1) below a mean of 10, and above it Hormann's
 * transformed rejection PTRS ("The transformed rejection method for generating
 * Poisson random variables", Insurance: Mathematics and Economics 12, 1993).
 * MTGP32 and quasirandom generators, whose numbers use one word each, invert
 * the distribution by summing it up to the word's value. cuRAND computes the
 * same distribution by other methods, so the sequences differ, and so does the
 * number of words that a pseudorandom state draws.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "states.h"
#include "transform.h"
#include "uniform.h"

template <class State>
__pycuda_template_fn unsigned int
__pycuda_poisson_product(State *state, double mean)
{
    double end = exp(-mean), product = __pycuda_uniform_wide(state);
    unsigned int k = 0;
    while (product > end) {
        product *= __pycuda_uniform_wide(state);
        k++;
    }
    return k;
}
template <class State>
__pycuda_template_fn unsigned int
__pycuda_poisson_rejection(State *state, double mean)
{
    double root = sqrt(mean), b = 0.931 + 2.53 * root;
    double a = -0.059 + 0.02483 * b;
    double inverse = 1.1239 + 1.1328 / (b - 3.4);
    double quick = 0.9277 - 3.6224 / (b - 2.0);
    while (true) {
        double u = __pycuda_uniform_wide(state) - 0.5;
        double v = __pycuda_uniform_wide(state);
        double s = 0.5 - fabs(u);
        double k = floor((2.0 * a / s + b) * u + mean + 0.43);
        if (s >= 0.07 && v <= quick) {
            return (unsigned int)k;
        }
        if (k < 0 || (s < 0.013 && v > s)) {
            continue;
        }
        if (__pycuda_log(v * inverse / (a / (s * s) + b)).high <=
            k * __pycuda_log(mean).high - mean - __pycuda_log_factorial(k)) {
            return (unsigned int)k;
        }
    }
}
/* The smallest k whose cumulative probability reaches u, for u in (0, 1). */
__pycuda_fn unsigned int
__pycuda_poisson_inverse(double u, double mean)
{
    /* For k below `first` the distribution is 0 in double precision. */
    double first = floor(fmax(0.0, mean - 10.0 * sqrt(mean) - 10.0));
    double p = exp(first * log(mean) - mean - lgamma(first + 1.0));
    double sum = p, k = first, last = mean + 40.0 * sqrt(mean) + 100.0;
    while (sum < u && k < last) {
        k += 1.0;
        p *= mean / k;
        sum += p;
    }
    return (unsigned int)k;
}

/* A mean that is not a positive number gives 0. */
template <class Word>
__pycuda_template_fn unsigned int
_curand_poisson(Word x, double mean)
{
    double u = _curand_uniform_double_excluding_one(x);
    return mean > 0 ? __pycuda_poisson_inverse(u, mean) : 0;
}
template <class State>
__pycuda_template_fn unsigned int
__pycuda_poisson(State *state, double mean)
{
    if (!(mean > 0)) {
        return 0;
    }
    return mean < 10 ? __pycuda_poisson_product(state, mean)
                     : __pycuda_poisson_rejection(state, mean);
}
/* Knuth's product, usable while exp(-mean) is a normal number. */
template <class State>
__pycuda_template_fn unsigned int
curand_poisson_knuth(State *state, float mean)
{
    return mean > 0 && mean < 700 ? __pycuda_poisson_product(state, mean)
                                  : __pycuda_poisson(state, mean);
}

#define __PYCUDA_POISSON(STATE)                                               \
    __pycuda_fn unsigned int curand_poisson(STATE *state, double mean)        \
    {                                                                         \
        return __pycuda_poisson(state, mean);                                 \
    }
#define __PYCUDA_POISSON_QUANTILE(STATE)                                      \
    __pycuda_fn unsigned int curand_poisson(STATE *state, double mean)        \
    {                                                                         \
        return _curand_poisson(curand(state), mean);                          \
    }
__PYCUDA_PAIR_STATES(__PYCUDA_POISSON)
__PYCUDA_QUANTILE_STATES(__PYCUDA_POISSON_QUANTILE)
#undef __PYCUDA_POISSON
#undef __PYCUDA_POISSON_QUANTILE

__pycuda_fn uint4
curand_poisson4(curandStatePhilox4_32_10 *state, double mean)
{
    uint4 four;
    four.x = curand_poisson(state, mean);
    four.y = curand_poisson(state, mean);
    four.z = curand_poisson(state, mean);
    four.w = curand_poisson(state, mean);
    return four;
}
