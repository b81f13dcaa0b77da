/* mrg32k3a.h - MRG32k3a: two linear recurrences of order three, combined.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"
#include "mrg32k3a_jump.h"

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

enum : unsigned long long {
    __PYCUDA_MRG_M1 = 4294967087ull,
    __PYCUDA_MRG_M2 = 4294944443ull,
};

/* Returns the generator's next number, in [1, M1]. */
__pycuda_fn unsigned int
__pycuda_mrg(curandStateMRG32k3a *state)
{
    unsigned int *a = state->s1, *b = state->s2;
    /* -a is represented as M - a, so that neither sum exceeds 64 bits. */
    unsigned long long p =
        (1403580ull * a[1] + 810728ull * (__PYCUDA_MRG_M1 - a[0])) %
        __PYCUDA_MRG_M1;
    unsigned long long q =
        (527612ull * b[2] + 1370589ull * (__PYCUDA_MRG_M2 - b[0])) %
        __PYCUDA_MRG_M2;
    a[0] = a[1];
    a[1] = a[2];
    a[2] = (unsigned int)p;
    b[0] = b[1];
    b[1] = b[2];
    b[2] = (unsigned int)q;
    return (unsigned int)(p > q ? p - q : p + __PYCUDA_MRG_M1 - q);
}
/* The generator's next number as a double, which represents it exactly. */
__pycuda_fn double
curand_MRG32k3a(curandStateMRG32k3a *state)
{
    return (double)__pycuda_mrg(state);
}
/* The generator's next number, scaled to 32 bits. */
__pycuda_fn unsigned int
curand(curandStateMRG32k3a *state)
{
    return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662);
}

/* Replaces x by a^n x modulo m. */
__pycuda_fn void
__pycuda_mrg_jump(unsigned int x[3], const unsigned int matrix[9],
                  unsigned long long n, unsigned long long m)
{
    unsigned long long a[9], b[9], y[3];
    for (int i = 0; i < 9; i++) {
        a[i] = matrix[i];
    }
    for (; n; n >>= 1) {
        for (int i = 0; n & 1 && i < 3; i++) {
            y[i] = (a[3 * i] * x[0] % m + a[3 * i + 1] * x[1] % m +
                    a[3 * i + 2] * x[2] % m) %
                   m;
        }
        for (int i = 0; n & 1 && i < 3; i++) {
            x[i] = (unsigned int)y[i];
        }
        for (int i = 0; n > 1 && i < 9; i++) {
            const unsigned long long *row = a + i / 3 * 3;
            b[i] = (row[0] * a[i % 3] % m + row[1] * a[3 + i % 3] % m +
                    row[2] * a[6 + i % 3] % m) %
                   m;
        }
        for (int i = 0; n > 1 && i < 9; i++) {
            a[i] = b[i];
        }
    }
}
#define __PYCUDA_MRG_SKIP(NAME, TABLE)                                        \
    __pycuda_fn void NAME(unsigned long long n, curandStateMRG32k3a *state)   \
    {                                                                         \
        __pycuda_mrg_jump(state->s1, TABLE[0], n, __PYCUDA_MRG_M1);           \
        __pycuda_mrg_jump(state->s2, TABLE[1], n, __PYCUDA_MRG_M2);           \
    }
__PYCUDA_MRG_SKIP(skipahead, __pycuda_mrg_offset)
/* A subsequence has 2^76 numbers, a sequence 2^127. */
__PYCUDA_MRG_SKIP(skipahead_subsequence, __pycuda_mrg_sub)
__PYCUDA_MRG_SKIP(skipahead_sequence, __pycuda_mrg_sequence)
#undef __PYCUDA_MRG_SKIP

__pycuda_fn void
curand_init(unsigned long long seed, unsigned long long subsequence,
            unsigned long long offset, curandStateMRG32k3a *state)
{
    unsigned long long x = (unsigned int)seed ^ 0x55555555u;
    unsigned long long y = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; i++) {
        state->s1[i] = state->s2[i] = 12345;
    }
    for (int i = 0; seed && i < 3; i++) {
        unsigned long long first = i == 1 ? y : x, second = i == 1 ? x : y;
        state->s1[i] = (unsigned int)(first * 12345 % __PYCUDA_MRG_M1);
        state->s2[i] = (unsigned int)(second * 12345 % __PYCUDA_MRG_M2);
    }
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}
