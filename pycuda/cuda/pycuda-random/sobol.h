/* sobol.h - Sobol' sequences of 32 and 64 bits, plain and scrambled.
 *
 * Numbers are generated in Gray code order: number i differs from the next one
 * by the direction vector of the lowest zero bit of i.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define __PYCUDA_SOBOL(STATE, T, BITS)                                        \
    struct STATE {                                                            \
        T i, x, c;                                                            \
        T direction_vectors[BITS];                                            \
    };                                                                        \
    typedef STATE STATE##_t;                                                  \
    __pycuda_fn void skipahead(T n, STATE *state)                             \
    {                                                                         \
        state->i += n;                                                        \
        T gray = state->i ^ state->i >> 1;                                    \
        state->x = state->c;                                                  \
        for (int k = 0; k < BITS; k++) {                                      \
            state->x ^= (gray >> k & 1) ? state->direction_vectors[k] : 0;    \
        }                                                                     \
    }                                                                         \
    __pycuda_fn T curand(STATE *state)                                        \
    {                                                                         \
        T result = state->x;                                                  \
        unsigned int zero = __ffsll(~(long long)state->i) - 1;                \
        state->x ^= state->direction_vectors[zero < BITS ? zero : BITS - 1];  \
        state->i++;                                                           \
        return result;                                                        \
    }
#define __PYCUDA_SOBOL_INIT(STATE, T, BITS, DECLARE, SCRAMBLE)                \
    __pycuda_fn void curand_init(DECLARE T offset, STATE *state)              \
    {                                                                         \
        for (int k = 0; k < BITS; k++) {                                      \
            state->direction_vectors[k] = direction_vectors[k];               \
        }                                                                     \
        state->c = SCRAMBLE;                                                  \
        state->i = 0;                                                         \
        skipahead(offset, state);                                             \
    }
#define __PYCUDA_PLAIN(T)     const T *direction_vectors,
#define __PYCUDA_SCRAMBLED(T) const T *direction_vectors, T scramble_c,
__PYCUDA_SOBOL(curandStateSobol32, unsigned int, 32)
__PYCUDA_SOBOL(curandStateScrambledSobol32, unsigned int, 32)
__PYCUDA_SOBOL(curandStateSobol64, unsigned long long, 64)
__PYCUDA_SOBOL(curandStateScrambledSobol64, unsigned long long, 64)
__PYCUDA_SOBOL_INIT(curandStateSobol32, unsigned int, 32,
                    __PYCUDA_PLAIN(unsigned int), 0)
__PYCUDA_SOBOL_INIT(curandStateScrambledSobol32, unsigned int, 32,
                    __PYCUDA_SCRAMBLED(unsigned int), scramble_c)
__PYCUDA_SOBOL_INIT(curandStateSobol64, unsigned long long, 64,
                    __PYCUDA_PLAIN(unsigned long long), 0)
__PYCUDA_SOBOL_INIT(curandStateScrambledSobol64, unsigned long long, 64,
                    __PYCUDA_SCRAMBLED(unsigned long long), scramble_c)
#undef __PYCUDA_SOBOL
#undef __PYCUDA_SOBOL_INIT
#undef __PYCUDA_PLAIN
#undef __PYCUDA_SCRAMBLED
