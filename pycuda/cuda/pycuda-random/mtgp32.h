/* mtgp32.h - MTGP32: a Mersenne Twister with a state that a block shares.
 *
 * It is Saito and Matsumoto's recurrence ("Variants of Mersenne Twister
 * Suitable for Graphic Processors", ACM Transactions on Mathematical Software
 * 39, 2013) of 351 words in a ring buffer of 1024: each thread of the block
 * computes the word at its own index, and the block's first thread advances
 * the offset. All threads of the block must call a function together. The host
 * fills states and parameter tables, in the layout of cuRAND's host functions.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "device.h"

enum {
    __PYCUDA_MTGP_WORDS = 1024,
    __PYCUDA_MTGP_LENGTH = 351,
    __PYCUDA_MTGP_TABLES = 200,
};

/* One parameter set, in the layout of the host's table. */
struct mtgp32_params_fast {
    int mexp, pos, sh1, sh2;
    unsigned int tbl[16], tmp_tbl[16], flt_tmp_tbl[16];
    unsigned int mask;
    unsigned char poly_sha1[21];
};
typedef mtgp32_params_fast mtgp32_params_fast_t;

/* The parameter sets of a device. */
struct mtgp32_kernel_params {
    unsigned int pos_tbl[__PYCUDA_MTGP_TABLES];
    unsigned int param_tbl[__PYCUDA_MTGP_TABLES][16];
    unsigned int temper_tbl[__PYCUDA_MTGP_TABLES][16];
    unsigned int single_temper_tbl[__PYCUDA_MTGP_TABLES][16];
    unsigned int sh1_tbl[__PYCUDA_MTGP_TABLES];
    unsigned int sh2_tbl[__PYCUDA_MTGP_TABLES];
    unsigned int mask[1];
};
typedef mtgp32_kernel_params mtgp32_kernel_params_t;

struct curandStateMtgp32 {
    unsigned int s[__PYCUDA_MTGP_WORDS];
    int offset, pIdx;
    mtgp32_kernel_params *k;
};
typedef curandStateMtgp32 curandStateMtgp32_t;

/* The next word of the recurrence, with parameter set `set`. */
__pycuda_fn unsigned int
para_rec(mtgp32_kernel_params *k, unsigned int first, unsigned int second,
         unsigned int picked, int set)
{
    unsigned int x = (first & k->mask[0]) ^ second;
    x ^= x << k->sh1_tbl[set];
    unsigned int y = x ^ picked >> k->sh2_tbl[set];
    return y ^ k->param_tbl[set][y & 15];
}
/* Four bits of a state word, which select a row of a table. */
__pycuda_fn unsigned int
__pycuda_mtgp_row(unsigned int word)
{
    word ^= word >> 16;
    word ^= word >> 8;
    return word & 15;
}
__pycuda_fn unsigned int
temper(mtgp32_kernel_params *k, unsigned int word, unsigned int picked,
       int set)
{
    return word ^ k->temper_tbl[set][__pycuda_mtgp_row(picked)];
}
/* The bits of a float in [1, 2). */
__pycuda_fn unsigned int
temper_single(mtgp32_kernel_params *k, unsigned int word, unsigned int picked,
              int set)
{
    return word >> 9 ^ k->single_temper_tbl[set][__pycuda_mtgp_row(picked)];
}

__pycuda_fn unsigned int *
__pycuda_mtgp_word(curandStateMtgp32 *state, unsigned int index)
{
    return &state->s[index % __PYCUDA_MTGP_WORDS];
}
__pycuda_fn unsigned int
__pycuda_mtgp_next(curandStateMtgp32 *state, unsigned int index)
{
    unsigned int at = index + (unsigned int)state->offset;
    return para_rec(
        state->k, *__pycuda_mtgp_word(state, at),
        *__pycuda_mtgp_word(state, at + 1),
        *__pycuda_mtgp_word(state, at + state->k->pos_tbl[state->pIdx]),
        state->pIdx);
}
/* Returns the state word that is used to temper the number at `index`. */
__pycuda_fn unsigned int
__pycuda_mtgp_picked(curandStateMtgp32 *state, unsigned int index)
{
    unsigned int at = index + (unsigned int)state->offset;
    return *__pycuda_mtgp_word(
        state, at + state->k->pos_tbl[state->pIdx] - 1);
}
/* Waits until all threads have read the state, then advances it. */
__pycuda_fn void
__pycuda_mtgp_advance(curandStateMtgp32 *state, bool first, unsigned int count)
{
    __syncthreads();
    if (first) {
        state->offset = (int)(((unsigned int)state->offset + count) %
                              __PYCUDA_MTGP_WORDS);
    }
    __syncthreads();
}

__pycuda_fn unsigned int
__pycuda_mtgp_word_at(curandStateMtgp32 *state, unsigned int index,
                      unsigned int count)
{
    unsigned int word = __pycuda_mtgp_next(state, index);
    *__pycuda_mtgp_word(state, index + (unsigned int)state->offset +
                                   __PYCUDA_MTGP_LENGTH) = word;
    word = temper(state->k, word, __pycuda_mtgp_picked(state, index),
                  state->pIdx);
    __pycuda_mtgp_advance(state, index == 0, count);
    return word;
}
/* Other functions of this file write the new word to the ring buffer at its
 * offset plus an index. cuRAND's single-precision functions do not add the
 * offset, and this function does the same, so that it produces the same
 * numbers. */
__pycuda_fn float
__pycuda_mtgp_single_at(curandStateMtgp32 *state, unsigned int index,
                        unsigned int count)
{
    unsigned int word = __pycuda_mtgp_next(state, index);
    *__pycuda_mtgp_word(state, index) = word;
    word = temper_single(state->k, word, __pycuda_mtgp_picked(state, index),
                         state->pIdx);
    __pycuda_mtgp_advance(state, threadIdx.x == 0, count);
    return __uint_as_float(word);
}

__pycuda_fn unsigned int
curand(curandStateMtgp32 *state)
{
    /* cuRAND's index, which numbers the threads of 3-D blocks in this order.
     */
    unsigned int index = blockDim.z * blockDim.y * threadIdx.z +
                         blockDim.x * threadIdx.y + threadIdx.x;
    return __pycuda_mtgp_word_at(state, index,
                                 blockDim.x * blockDim.y * blockDim.z);
}
/* Returns the random word of the calling thread, which is thread `index` of
 * the `n` threads that call the function together. */
__pycuda_fn unsigned int
curand_mtgp32_specific(curandStateMtgp32 *state, unsigned char index,
                       unsigned char n)
{
    return __pycuda_mtgp_word_at(state, index, n);
}
__pycuda_fn float
curand_mtgp32_single(curandStateMtgp32 *state)
{
    unsigned int rows = blockDim.y * blockDim.z;
    return __pycuda_mtgp_single_at(state, rows + threadIdx.x,
                                   rows * blockDim.x);
}
__pycuda_fn float
curand_mtgp32_single_specific(curandStateMtgp32 *state, unsigned char index,
                              unsigned char n)
{
    return __pycuda_mtgp_single_at(state, index, n);
}
