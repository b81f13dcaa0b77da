/* discrete.h - random numbers from distributions that the host has tabulated.
 *
 * A distribution is a square histogram (Marsaglia, Tsang and Wang, "Fast
 * Generation of Discrete Random Variables", Journal of Statistical Software
 * 11, 2004), a normal distribution with a mean and a standard deviation, or a
 * cumulative distribution, inverted by bisection (Devroye, "Non-Uniform Random
 * Variate Generation", 1986, III.2). The tables are in memory that kernels can
 * read, in the layout of cuRAND's host functions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "discrete_types.h"
#include "normal.h"

/* Returns the random number for u by the alias method: the index of the
 * histogram's column at u, or the alias of that column. */
template <class Word>
__pycuda_template_fn unsigned int
_curand_M2_double(Word x, curandDistributionM2Shift_t table)
{
    double u = _curand_uniform_double(x);
    unsigned int column = (unsigned int)(table->length * u);
    /* u may be 1, which is past the last column. */
    column = column < table->length ? column : table->length - 1;
    unsigned int number = u < table->histogram->V[column]
                              ? column
                              : table->histogram->K[column];
    return table->shift + number;
}
template <class State>
__pycuda_template_fn unsigned int
curand_M2_double(State *state, curandDistributionM2Shift_t table)
{
    return _curand_M2_double(curand(state), table);
}
template <class State>
__pycuda_template_fn uint4
curand_M2_double4(State *state, curandDistributionM2Shift_t table)
{
    uint4 x = curand4(state);
    return make_uint4(
        _curand_M2_double(x.x, table), _curand_M2_double(x.y, table),
        _curand_M2_double(x.z, table), _curand_M2_double(x.w, table));
}

/* The first number whose cumulative probability reaches u. */
template <class Word>
__pycuda_template_fn unsigned int
_curand_binary_search_double(Word x, curandDistributionShift_t table)
{
    double u = _curand_uniform_double(x);
    unsigned int low = 0, high = table->length - 1;
    while (low < high) {
        unsigned int middle = (low + high) / 2;
        if (u <= table->probability[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return table->shift + low;
}
template <class State>
__pycuda_template_fn unsigned int
curand_binary_search_double(State *state, curandDistributionShift_t table)
{
    return _curand_binary_search_double(curand(state), table);
}

/* Returns deviation * n + mean, rounded to the nearest integer. */
__pycuda_fn unsigned int
__pycuda_rounded_normal(double n, double deviation, double mean)
{
    return (unsigned int)(fma(deviation, n, mean) + 0.5);
}
template <class Word>
__pycuda_template_fn unsigned int
_curand_discrete(Word x, curandDiscreteDistribution_t table)
{
    return table->method == CURAND_M2
               ? _curand_M2_double(x, table->M2)
               : __pycuda_rounded_normal(_curand_normal_icdf_double(x),
                                         table->stddev, table->mean);
}
template <class State>
__pycuda_template_fn unsigned int
curand__discrete(State *state, curandDiscreteDistribution_t table)
{
    return table->method == CURAND_M2
               ? curand_M2_double(state, table->M2)
               : __pycuda_rounded_normal(curand_normal_double(state),
                                         table->stddev, table->mean);
}
#define __PYCUDA_DISCRETE(STATE)                                              \
    __pycuda_fn unsigned int curand_discrete(                                 \
        STATE *state, curandDiscreteDistribution_t table)                     \
    {                                                                         \
        return curand__discrete(state, table);                                \
    }
__PYCUDA_PAIR_STATES(__PYCUDA_DISCRETE)
__PYCUDA_QUANTILE_STATES(__PYCUDA_DISCRETE)
#undef __PYCUDA_DISCRETE

__pycuda_fn uint4
curand_discrete4(curandStatePhilox4_32_10 *state,
                 curandDiscreteDistribution_t table)
{
    if (table->method == CURAND_M2) {
        return curand_M2_double4(state, table->M2);
    }
    double2 a = curand_normal2_double(state);
    double2 b = curand_normal2_double(state);
    double deviation = table->stddev, mean = table->mean;
    return make_uint4(__pycuda_rounded_normal(a.x, deviation, mean),
                      __pycuda_rounded_normal(a.y, deviation, mean),
                      __pycuda_rounded_normal(b.x, deviation, mean),
                      __pycuda_rounded_normal(b.y, deviation, mean));
}
