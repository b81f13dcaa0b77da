/* cuda_awbarrier_primitives.h - arrive-wait barriers of 64 bits.
 *
 * The word of a barrier has three fields: the arrivals that the current phase
 * still expects, the arrivals of each phase, and the number of ended phases.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
struct alignas(8) __mbarrier_t {
    unsigned long long __word;
};
/* A token is the barrier's word before the arrival. */
typedef unsigned long long __mbarrier_token_t;

/* A count has `bits` bits in the barrier's word. A barrier has at most `most`
 * threads, as in CUDA 13.0. */
enum {
    __pycuda_mbarrier_bits = 20,
    __pycuda_mbarrier_mask = (1 << 20) - 1,
    __pycuda_mbarrier_most = (1 << 14) - 1
};

__device__ inline unsigned int
__mbarrier_maximum_count()
{
    return __pycuda_mbarrier_most;
}
__device__ inline unsigned int
__mbarrier_token_pending_count(__mbarrier_token_t token)
{
    return (unsigned int)token & __pycuda_mbarrier_mask;
}
__device__ inline unsigned long long
__pycuda_mbarrier_phase(unsigned long long word)
{
    return word >> (2 * __pycuda_mbarrier_bits);
}
__device__ inline unsigned long long
__pycuda_mbarrier_read(const __mbarrier_t *barrier)
{
    return __atomic_load_n(&barrier->__word, __ATOMIC_ACQUIRE);
}
__device__ inline void
__mbarrier_init(__mbarrier_t *barrier, unsigned int expected)
{
    unsigned long long word = expected | (unsigned long long)expected
                                             << __pycuda_mbarrier_bits;
    __atomic_store_n(&barrier->__word, word, __ATOMIC_RELEASE);
}
__device__ inline void
__mbarrier_inval(__mbarrier_t *barrier)
{
    __atomic_store_n(&barrier->__word, 0ull, __ATOMIC_RELEASE);
}
/* Arrives once; the barrier expects `dropped` arrivals less from the next
 * phase on. */
__device__ inline __mbarrier_token_t
__pycuda_mbarrier_arrive(__mbarrier_t *barrier, unsigned int dropped)
{
    unsigned long long old = __pycuda_mbarrier_read(barrier), fresh;

    __threadfence_block();
    do {
        unsigned int missing = __mbarrier_token_pending_count(old) - 1;
        unsigned int expected =
            __mbarrier_token_pending_count(old >> __pycuda_mbarrier_bits) -
            dropped;
        unsigned long long phase = __pycuda_mbarrier_phase(old);
        if (missing == 0) {
            missing = expected;
            phase++;
        }
        fresh = missing |
                (unsigned long long)expected << __pycuda_mbarrier_bits |
                phase << (2 * __pycuda_mbarrier_bits);
    } while (!__atomic_compare_exchange_n(&barrier->__word, &old, fresh, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return old;
}
__device__ inline __mbarrier_token_t
__mbarrier_arrive(__mbarrier_t *barrier)
{
    return __pycuda_mbarrier_arrive(barrier, 0);
}
__device__ inline __mbarrier_token_t
__mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    return __pycuda_mbarrier_arrive(barrier, 1);
}
/* Returns `is_over`. If it is false, lets other threads run first: a thread
 * that waits in a loop around the call needs their arrivals. */
__device__ inline bool
__pycuda_mbarrier_yield(bool is_over)
{
    if (!is_over) {
        __nanosleep(0);
    }
    return is_over;
}
__device__ inline bool
__mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    return __pycuda_mbarrier_yield(
        __pycuda_mbarrier_phase(__pycuda_mbarrier_read(barrier)) !=
        __pycuda_mbarrier_phase(token));
}
/* Returns whether the latest phase whose number has the parity `parity` is
 * over; phases are numbered from 0. */
__device__ inline bool
__mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity)
{
    return __pycuda_mbarrier_yield(
        (__pycuda_mbarrier_phase(__pycuda_mbarrier_read(barrier)) & 1) !=
        parity);
}
__device__ inline bool
__mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token,
                    unsigned int)
{
    return __mbarrier_test_wait(barrier, token);
}
__device__ inline bool
__mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, unsigned int)
{
    return __mbarrier_test_wait_parity(barrier, parity);
}
}
