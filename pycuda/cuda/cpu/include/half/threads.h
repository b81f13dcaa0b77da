/* threads.h - atomics and shuffles of __half or __nv_bfloat16.
 *
 * Included once for each type, after the other files of the type.
 *
 * SPDX-License-Identifier: MIT */

__pycuda_fn __PYCUDA_T
atomicAdd(__PYCUDA_T *address, __PYCUDA_T value)
{
    unsigned short *word = (unsigned short *)address;
    unsigned short old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        word, &old, __hadd(__PYCUDA_T(__PYCUDA_RAW{old}), value).__x, false,
        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return __PYCUDA_T(__PYCUDA_RAW{old});
}
/* Both halves together. */
__pycuda_fn __PYCUDA_T2
atomicAdd(__PYCUDA_T2 *address, __PYCUDA_T2 value)
{
    unsigned int *word = (unsigned int *)address;
    unsigned int old = __atomic_load_n(word, __ATOMIC_RELAXED), next;
    do {
        __PYCUDA_T2 sum =
            __hadd2(__builtin_bit_cast(__PYCUDA_T2, old), value);
        next = (unsigned int)sum.y.__x << 16 | sum.x.__x;
    } while (!__atomic_compare_exchange_n(word, &old, next, false,
                                          __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return __builtin_bit_cast(__PYCUDA_T2, old);
}

#define __PYCUDA_HALF_SHUFFLE(TYPE, NAME, LANE, KIND)                         \
    __pycuda_fn TYPE NAME(unsigned int mask, TYPE value, LANE lane,           \
                          int width = warpSize)                               \
    {                                                                         \
        return __pycuda_shuffle_value(mask, value, KIND, (int)lane, width);   \
    }
#define __PYCUDA_HALF_SHUFFLES(TYPE)                                          \
    __PYCUDA_HALF_SHUFFLE(TYPE, __shfl_sync, int, __PYCUDA_SHUFFLE_IDX)       \
    __PYCUDA_HALF_SHUFFLE(TYPE, __shfl_up_sync, unsigned int,                 \
                          __PYCUDA_SHUFFLE_UP)                                \
    __PYCUDA_HALF_SHUFFLE(TYPE, __shfl_down_sync, unsigned int,               \
                          __PYCUDA_SHUFFLE_DOWN)                              \
    __PYCUDA_HALF_SHUFFLE(TYPE, __shfl_xor_sync, int, __PYCUDA_SHUFFLE_XOR)
__PYCUDA_HALF_SHUFFLES(__PYCUDA_T)
__PYCUDA_HALF_SHUFFLES(__PYCUDA_T2)
#undef __PYCUDA_HALF_SHUFFLES
#undef __PYCUDA_HALF_SHUFFLE
#undef __PYCUDA_ONE
#undef __PYCUDA_TWO
#undef __PYCUDA_BOTH_WAYS
#undef __PYCUDA_FUSED
#undef __PYCUDA_SATURATE
#undef __PYCUDA_DIRECT
#undef __PYCUDA_TO_FLOAT
#undef __PYCUDA_FROM_FLOAT
