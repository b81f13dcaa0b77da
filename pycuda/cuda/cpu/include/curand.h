/* curand.h - types and constants of cuRAND's host interface.
 *
 * Its functions are host functions and are not declared; kernels use
 * curand_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
extern "C++" {
#include "curand_enums.h"

#include <pycuda-random/discrete_types.h>
}

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 4
#define CURAND_VER_PATCH 0
#define CURAND_VER_BUILD 35
#define CURAND_VERSION                                                        \
    (CURAND_VER_MAJOR * 1000 + CURAND_VER_MINOR * 100 + CURAND_VER_PATCH)

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
