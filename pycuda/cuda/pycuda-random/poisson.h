/* poisson.h - Poisson numbers.
 *
 * Pseudorandom generators: Knuth's product up to a mean of 64, rejection from
 * an approximation of the incomplete gamma function (poisson_gamma.h), a
 * rounded normal number above 4000.  MTGP32 and quasirandom generators, one
 * number from one word: the distribution is summed up to the word's place,
 * from a mean of 1000 on a rounded normal number.  These are cuRAND's choices;
 * a program gets cuRAND's sequences.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "discrete.h"
#include "poisson_gamma.h"

template <class State>
__pycuda_template_fn unsigned int
curand_poisson_knuth(State *state, float mean)
{
    float product = (float)exp((double)mean) * curand_uniform(state);
    unsigned int k = 0;
    while (product > 1.0f) {
        product *= curand_uniform(state);
        k++;
    }
    return k;
}
/* The least k whose distribution reaches u, of (0, 1). */
__pycuda_fn unsigned int
__pycuda_poisson_inverse(double u, double mean)
{
    /* Below this the distribution is 0 to double's precision. */
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
__pycuda_fn unsigned int
__pycuda_poisson_normal(double n, double mean)
{
    return __pycuda_rounded_normal(n, sqrt(mean), mean);
}

/* A mean that is no positive number gives 0. */
template <class Word>
__pycuda_template_fn unsigned int
_curand_poisson(Word x, double mean)
{
    if (!(mean > 0)) {
        return 0;
    }
    if (mean >= 1000) {
        return __pycuda_poisson_normal(_curand_normal_icdf_double(x), mean);
    }
    return __pycuda_poisson_inverse(_curand_uniform_double_excluding_one(x),
                                    mean);
}
template <class State>
__pycuda_template_fn unsigned int
__pycuda_poisson(State *state, double mean)
{
    if (mean < 64 || mean != mean) {
        return curand_poisson_knuth(state, (float)mean);
    }
    if (mean > 4000) {
        return __pycuda_poisson_normal(curand_normal_double(state), mean);
    }
    return curand_poisson_gammainc(state, (float)mean);
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
    unsigned int four[4];
    double n[4];
    if (mean > 4000) {
        double2 a = curand_normal2_double(state);
        double2 b = curand_normal2_double(state);
        n[0] = a.x, n[1] = a.y, n[2] = b.x, n[3] = b.y;
    }
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        four[k] = mean > 4000 ? __pycuda_poisson_normal(n[k], mean)
                              : curand_poisson(state, mean);
    }
    return make_uint4(four[0], four[1], four[2], four[3]);
}
