/* philox.h - Philox4x32-10: a counter encrypted in ten rounds.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* Count of words of `output` already returned. */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/* Returns the lower word of a product; the upper one is stored in *high. */
__pycuda_fn unsigned int
mulhilo32(unsigned int a, unsigned int b, unsigned int *high)
{
#ifdef __PYCUDA_CPU__
    /* The high and the low word are computed by two 32-bit operations. A
     * product of 64 bits would halve the number of lanes in a vector. */
    *high = __umulhi(a, b);
    return a * b;
#else
    unsigned long long product = (unsigned long long)a * b;
    *high = (unsigned int)(product >> 32);
    return (unsigned int)product;
#endif
}
__pycuda_fn uint4
_philox4x32round(uint4 c, uint2 key)
{
    unsigned int x, z;
    unsigned int w = mulhilo32(0xD2511F53u, c.x, &z);
    unsigned int y = mulhilo32(0xCD9E8D57u, c.z, &x);
    return make_uint4(x ^ c.y ^ key.x, y, z ^ c.w ^ key.y, w);
}
__pycuda_fn uint4
curand_Philox4x32_10(uint4 c, uint2 key)
{
#pragma unroll
    for (int round = 0; round < 10; round++) {
        c = _philox4x32round(c, key);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

/* Adds two words to the halves of the counter. */
__pycuda_fn void
__pycuda_philox_add(uint4 *c, unsigned long long n, unsigned long long upper)
{
    unsigned long long low = (unsigned long long)c->y << 32 | c->x;
    unsigned long long high = (unsigned long long)c->w << 32 | c->z;
    low += n;
    high += upper + (low < n);
    *c = make_uint4((unsigned int)low, (unsigned int)(low >> 32),
                    (unsigned int)high, (unsigned int)(high >> 32));
}
/* Functions that change the counter, but not the current output. */
__pycuda_fn void
Philox_State_Incr(curandStatePhilox4_32_10 *state, unsigned long long n)
{
    __pycuda_philox_add(&state->ctr, n, 0);
}
__pycuda_fn void
Philox_State_Incr(curandStatePhilox4_32_10 *state)
{
    __pycuda_philox_add(&state->ctr, 1, 0);
}
__pycuda_fn void
Philox_State_Incr_hi(curandStatePhilox4_32_10 *state, unsigned long long n)
{
    __pycuda_philox_add(&state->ctr, 0, n);
}
/* Adds n to the counter, or to its upper half if `upper` is true. */
__pycuda_fn void
__pycuda_philox_count(curandStatePhilox4_32_10 *state, unsigned long long n,
                      bool upper)
{
    __pycuda_philox_add(&state->ctr, upper ? 0 : n, upper ? n : 0);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
__pycuda_fn void
skipahead(unsigned long long n, curandStatePhilox4_32_10 *state)
{
    state->STATE += (unsigned int)(n & 3);
    n = n / 4 + state->STATE / 4;
    state->STATE %= 4;
    __pycuda_philox_count(state, n, false);
}
/* A sequence has 2^66 numbers. */
__pycuda_fn void
skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state)
{
    __pycuda_philox_count(state, n, true);
}
__pycuda_fn void
curand_init(unsigned long long seed, unsigned long long subsequence,
            unsigned long long offset, curandStatePhilox4_32_10 *state)
{
    *state = {};
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

__pycuda_fn unsigned int
curand(curandStatePhilox4_32_10 *state)
{
    const unsigned int words[4] = {state->output.x, state->output.y,
                                   state->output.z, state->output.w};
    unsigned int word = words[state->STATE++];
    if (state->STATE == 4) {
        state->STATE = 0;
        __pycuda_philox_count(state, 1, false);
    }
    return word;
}
/* Returns the next four numbers: parts of the current four and of the
 * following four. */
__pycuda_fn uint4
curand4(curandStatePhilox4_32_10 *state)
{
    uint4 a = state->output;
    __pycuda_philox_count(state, 1, false);
    uint4 b = state->output;
    switch (state->STATE) {
    case 1:
        return make_uint4(a.y, a.z, a.w, b.x);
    case 2:
        return make_uint4(a.z, a.w, b.x, b.y);
    case 3:
        return make_uint4(a.w, b.x, b.y, b.z);
    default:
        return a;
    }
}
