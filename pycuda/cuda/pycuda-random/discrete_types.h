/* discrete_types.h - memory layout of distributions that the host has
 * tabulated.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

enum curandMethod {
    CURAND_CHOOSE_BEST = 0,
    CURAND_ITR,
    CURAND_KNUTH,
    CURAND_HITR,
    CURAND_M1,
    CURAND_M2,
    CURAND_BINARY_SEARCH,
    CURAND_DISCRETE_GAUSS,
    CURAND_REJECTION,
    CURAND_DEVICE_API,
    CURAND_FAST_REJECTION,
    CURAND_3RD,
    CURAND_DEFINITION,
    CURAND_POISSON,
};
typedef enum curandMethod curandMethod_t;

typedef double curandDistribution_st, curandHistogramM2V_st;
typedef unsigned int curandHistogramM2K_st;
typedef double *curandDistribution_t, *curandHistogramM2V_t;
typedef unsigned int *curandHistogramM2K_t;

struct curandDistributionShift_st {
    curandDistribution_t probability, host_probability;
    unsigned int shift, length, host_gen;
};
struct curandHistogramM2_st {
    curandHistogramM2V_t V, host_V;
    curandHistogramM2K_t K, host_K;
    unsigned int host_gen;
};
struct curandDistributionM2Shift_st {
    struct curandHistogramM2_st *histogram, *host_histogram;
    unsigned int shift, length, host_gen;
};
struct curandDiscreteDistribution_st {
    struct curandDiscreteDistribution_st *self_host_ptr;
    struct curandDistributionM2Shift_st *M2, *host_M2;
    double stddev, mean;
    enum curandMethod method;
    unsigned int host_gen;
};
typedef struct curandDistributionShift_st *curandDistributionShift_t;
typedef struct curandHistogramM2_st *curandHistogramM2_t;
typedef struct curandDistributionM2Shift_st *curandDistributionM2Shift_t;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;
