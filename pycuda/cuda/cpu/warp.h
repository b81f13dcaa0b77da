/* warp.h - shuffles, votes, matches and reductions of a warp of 32 threads.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

__pycuda_fn void
__syncwarp(unsigned int mask = 0xffffffffu)
{
    __pycuda_warp_barrier(mask);
}

/* Values are transferred in the low bytes of a 64-bit word. */
template <class T>
__pycuda_template_fn T
__pycuda_shuffle_value(unsigned int mask, T value, int kind, int lane,
                       int width)
{
    static_assert(sizeof(T) <= 8, "a shuffled value has at most 8 bytes");
    unsigned long word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    word = __pycuda_shuffle(mask, word, kind, lane, width);
    __builtin_memcpy(&value, &word, sizeof(T));
    return value;
}

#define __PYCUDA_SHUFFLE(T)                                                   \
    __pycuda_fn T __shfl_sync(unsigned int mask, T value, int lane,           \
                              int width = warpSize)                           \
    {                                                                         \
        return __pycuda_shuffle_value(mask, value, __PYCUDA_SHUFFLE_IDX,      \
                                      lane, width);                           \
    }                                                                         \
    __pycuda_fn T __shfl_up_sync(unsigned int mask, T value,                  \
                                 unsigned int delta, int width = warpSize)    \
    {                                                                         \
        return __pycuda_shuffle_value(mask, value, __PYCUDA_SHUFFLE_UP,       \
                                      (int)delta, width);                     \
    }                                                                         \
    __pycuda_fn T __shfl_down_sync(unsigned int mask, T value,                \
                                   unsigned int delta, int width = warpSize)  \
    {                                                                         \
        return __pycuda_shuffle_value(mask, value, __PYCUDA_SHUFFLE_DOWN,     \
                                      (int)delta, width);                     \
    }                                                                         \
    __pycuda_fn T __shfl_xor_sync(unsigned int mask, T value, int lanes,      \
                                  int width = warpSize)                       \
    {                                                                         \
        return __pycuda_shuffle_value(mask, value, __PYCUDA_SHUFFLE_XOR,      \
                                      lanes, width);                          \
    }
__PYCUDA_SHUFFLE(int)
__PYCUDA_SHUFFLE(unsigned int)
__PYCUDA_SHUFFLE(long)
__PYCUDA_SHUFFLE(unsigned long)
__PYCUDA_SHUFFLE(long long)
__PYCUDA_SHUFFLE(unsigned long long)
__PYCUDA_SHUFFLE(float)
__PYCUDA_SHUFFLE(double)
#undef __PYCUDA_SHUFFLE

__pycuda_fn unsigned int
__ballot_sync(unsigned int mask, int predicate)
{
    return __pycuda_ballot(mask, predicate != 0);
}
__pycuda_fn int
__any_sync(unsigned int mask, int predicate)
{
    return __pycuda_warp_vote(mask, predicate != 0) != 0;
}
__pycuda_fn int
__all_sync(unsigned int mask, int predicate)
{
    return __pycuda_warp_vote(mask, predicate == 0) == 0;
}
__pycuda_fn int
__uni_sync(unsigned int mask, int predicate)
{
    return __pycuda_match_all(mask, predicate != 0) != 0;
}
/* NVRTC declares the deprecated names any and all but rejects calls of
 * them. */
__pycuda_fn bool any(bool) = delete;
__pycuda_fn bool all(bool) = delete;
__pycuda_fn unsigned int
__activemask()
{
    return __pycuda_activemask();
}

/* Values match if their bits are equal, as on a GPU. */
#define __PYCUDA_MATCH(T, BITS)                                               \
    __pycuda_fn unsigned int __match_any_sync(unsigned int mask, T value)     \
    {                                                                         \
        return __pycuda_match_any(mask, __builtin_bit_cast(BITS, value));     \
    }                                                                         \
    __pycuda_fn unsigned int __match_all_sync(unsigned int mask, T value,     \
                                              int *predicate)                 \
    {                                                                         \
        unsigned int lanes =                                                  \
            __pycuda_match_all(mask, __builtin_bit_cast(BITS, value));        \
        *predicate = lanes != 0;                                              \
        return lanes;                                                         \
    }
__PYCUDA_MATCH(int, unsigned int)
__PYCUDA_MATCH(unsigned int, unsigned int)
__PYCUDA_MATCH(float, unsigned int)
__PYCUDA_MATCH(long, unsigned long)
__PYCUDA_MATCH(unsigned long, unsigned long)
__PYCUDA_MATCH(long long, unsigned long)
__PYCUDA_MATCH(unsigned long long, unsigned long)
__PYCUDA_MATCH(double, unsigned long)
#undef __PYCUDA_MATCH

#define __PYCUDA_REDUCE(NAME, T, KIND)                                        \
    __pycuda_fn T NAME(unsigned int mask, T value)                            \
    {                                                                         \
        return (T)__pycuda_reduce(mask, (unsigned int)value, KIND);           \
    }
__PYCUDA_REDUCE(__reduce_add_sync, int, __PYCUDA_REDUCE_ADD)
__PYCUDA_REDUCE(__reduce_add_sync, unsigned int, __PYCUDA_REDUCE_ADD)
__PYCUDA_REDUCE(__reduce_min_sync, int, __PYCUDA_REDUCE_MIN_S32)
__PYCUDA_REDUCE(__reduce_min_sync, unsigned int, __PYCUDA_REDUCE_MIN_U32)
__PYCUDA_REDUCE(__reduce_max_sync, int, __PYCUDA_REDUCE_MAX_S32)
__PYCUDA_REDUCE(__reduce_max_sync, unsigned int, __PYCUDA_REDUCE_MAX_U32)
__PYCUDA_REDUCE(__reduce_and_sync, unsigned int, __PYCUDA_REDUCE_AND)
__PYCUDA_REDUCE(__reduce_or_sync, unsigned int, __PYCUDA_REDUCE_OR)
__PYCUDA_REDUCE(__reduce_xor_sync, unsigned int, __PYCUDA_REDUCE_XOR)
#undef __PYCUDA_REDUCE
