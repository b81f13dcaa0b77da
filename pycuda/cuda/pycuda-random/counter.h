/* counter.h - cuRAND's generator for tests: the numbers count upwards.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"

struct curandStateTest {
    unsigned int v;
};
typedef curandStateTest curandStateTest_t;

__pycuda_fn void
skipahead(unsigned long long n, curandStateTest *state)
{
    state->v += (unsigned int)n;
}
/* A sequence begins 31337 numbers after the previous one. */
__pycuda_fn void
curand_init(unsigned long long seed, unsigned long long sequence,
            unsigned long long offset, curandStateTest *state)
{
    state->v = (unsigned int)(3 * seed + 31337 * sequence + offset);
}
__pycuda_fn unsigned int
curand(curandStateTest *state)
{
    return state->v++;
}
