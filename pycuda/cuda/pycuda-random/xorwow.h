/* xorwow.h - XORWOW: five words of a shift register and a Weyl counter. n
 * steps of the register are a polynomial in one step, evaluated by Horner's
 * rule; the table holds the polynomials of single base-16 digits of n.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"
#include "xorwow_jump.h"

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;

__pycuda_fn void
__pycuda_xorwow_step(unsigned int v[5])
{
    unsigned int t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
__pycuda_fn unsigned int
curand(curandStateXORWOW *state)
{
    __pycuda_xorwow_step(state->v);
    state->d += 362437;
    return state->v[4] + state->d;
}

/* Replaces v by p(S) v, where S is the linear map of one step of the shift
 * register, and p is a polynomial over GF(2): bit i of p is the coefficient of
 * S^i. */
__pycuda_fn void
__pycuda_xorwow_apply(unsigned int v[5], const unsigned int p[5])
{
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 5; i++) {
        unsigned int bits = p[i];
        for (int j = 0; j < 32; j++, bits >>= 1) {
            unsigned int mask = 0u - (bits & 1u);
            for (int k = 0; k < 5; k++) {
                sum[k] ^= v[k] & mask;
            }
            __pycuda_xorwow_step(v);
        }
    }
    for (int k = 0; k < 5; k++) {
        v[k] = sum[k];
    }
}
__pycuda_fn void
__pycuda_xorwow_jump(unsigned int v[5], unsigned long long n,
                     const unsigned int table[16][15][5])
{
    for (int digit = 0; n; digit++, n >>= 4) {
        if (n & 15) {
            __pycuda_xorwow_apply(v, table[digit][(n & 15) - 1]);
        }
    }
}

__pycuda_fn void
skipahead(unsigned long long n, curandStateXORWOW *state)
{
    __pycuda_xorwow_jump(state->v, n, __pycuda_xorwow_offset);
    state->d += 362437u * (unsigned int)n;
}
/* A sequence has 2^67 numbers. Skipping one does not change the counter d,
 * which has a period of 2^32. */
__pycuda_fn void
skipahead_sequence(unsigned long long n, curandStateXORWOW *state)
{
    __pycuda_xorwow_jump(state->v, n, __pycuda_xorwow_sequence);
}
__pycuda_fn void
curand_init(unsigned long long seed, unsigned long long sequence,
            unsigned long long offset, curandStateXORWOW *state)
{
    unsigned int low = (unsigned int)seed ^ 0xaad26b49u;
    unsigned int high = (unsigned int)(seed >> 32) ^ 0xf7dcefddu;
    unsigned int t0 = 1099087573u * low, t1 = 2591861531u * high;
    state->d = 6615241u + t1 + t0;
    state->v[0] = 123456789u + t0;
    state->v[1] = 362436069u ^ t0;
    state->v[2] = 521288629u + t1;
    state->v[3] = 88675123u ^ t1;
    state->v[4] = 5783321u + t0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}
