/* lane_group.h - groups of lanes of one warp, and tiles of up to 32 threads.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "thread_block.h"

extern "C++" {
namespace cooperative_groups
{

/* Shuffles a value of any copyable type, which is transferred in words of 8
 * bytes. */
template <class T>
__device__ inline T
__pycuda_shuffle_words(unsigned int mask, T value, int kind, int lane,
                       int width)
{
    const int words = (sizeof(T) + 7) / 8;
    unsigned long word[words] = {};
    __builtin_memcpy(word, &value, sizeof(T));
    for (int i = 0; i < words; i++) {
        word[i] = __pycuda_shuffle(mask, word[i], kind, lane, width);
    }
    __builtin_memcpy(&value, word, sizeof(T));
    return value;
}

/* Converts a value to the 4 or 8 bytes that `match` compares. */
template <class T>
__device__ inline auto
__pycuda_matched(T value)
{
    static_assert(__is_integral(T) || __is_floating_point(T),
                  "groups match integers and floating-point numbers");
    if constexpr (sizeof(T) < sizeof(int)) {
        return (int)value;
    } else {
        return value;
    }
}

/* Operations over the lanes of `Group`, which has __mask(). */
template <class Group> class __pycuda_lane_group
{
    __device__ unsigned int
    mask() const
    {
        return static_cast<const Group *>(this)->__mask();
    }
    /* Returns the lane with the rank `rank`. If the group has no such rank,
     * the result is -1, which a shuffle interprets as lane 31. */
    __device__ int
    lane_of(unsigned int rank) const
    {
        return mask() == 0xffffffffu ? (int)rank
                                     : (int)__fns(mask(), 0, (int)rank + 1);
    }
    /* Converts a mask of lanes to a mask of ranks in the group. */
    __device__ unsigned int
    ranks_of(unsigned int set) const
    {
        unsigned int ranks = 0, rank = 0;
        for (int lane = 0; lane < 32; lane++) {
            if (mask() >> lane & 1u) {
                ranks |= (set >> lane & 1u) << rank++;
            }
        }
        return ranks;
    }

  public:
    __device__ void
    sync() const
    {
        __syncwarp(mask());
    }
    __device__ unsigned int
    size() const
    {
        return (unsigned int)__popc(mask());
    }
    __device__ unsigned int
    num_threads() const
    {
        return size();
    }
    __device__ unsigned int
    thread_rank() const
    {
        unsigned int lane = __pycuda_linear() % 32;
        return (unsigned int)__popc(mask() & ((1u << lane) - 1));
    }
    template <class T>
    __device__ T
    shfl(T value, unsigned int rank) const
    {
        return __pycuda_shuffle_words(mask(), value, __PYCUDA_SHUFFLE_IDX,
                                      lane_of(rank), 32);
    }
    template <class T>
    __device__ T
    shfl_up(T value, unsigned int by) const
    {
        unsigned int rank = thread_rank();
        return shfl(value, rank < by ? rank : rank - by);
    }
    template <class T>
    __device__ T
    shfl_down(T value, unsigned int by) const
    {
        unsigned int rank = thread_rank();
        return shfl(value, rank + by < size() ? rank + by : rank);
    }
    __device__ int
    any(int predicate) const
    {
        return __any_sync(mask(), predicate);
    }
    __device__ int
    all(int predicate) const
    {
        return __all_sync(mask(), predicate);
    }
    __device__ unsigned int
    ballot(int predicate) const
    {
        return ranks_of(__ballot_sync(mask(), predicate));
    }
    template <class T>
    __device__ unsigned int
    match_any(T value) const
    {
        return ranks_of(__match_any_sync(mask(), __pycuda_matched(value)));
    }
    template <class T>
    __device__ unsigned int
    match_all(T value, int &predicate) const
    {
        return ranks_of(
            __match_all_sync(mask(), __pycuda_matched(value), &predicate));
    }
};

/* `Size` consecutive threads. */
template <unsigned int Size>
class __pycuda_tile : public __pycuda_lane_group<__pycuda_tile<Size>>
{
    static_assert(Size && Size <= 32 && (Size & (Size - 1)) == 0,
                  "the CPU device has tiles of 1, 2, 4, 8, 16 and 32 threads");

    template <class T>
    __device__ static T
    shuffle(T value, int kind, unsigned int by)
    {
        return Size == 1 ? value
                         : __pycuda_shuffle_words(__mask(), value, kind,
                                                  (int)by, Size);
    }
    /* Converts a mask of lanes to a mask of ranks in the tile. */
    __device__ static unsigned int
    ranks_of(unsigned int set)
    {
        return set >> __pycuda_linear() % 32 / Size * Size;
    }

  public:
    __device__ static constexpr unsigned int
    size()
    {
        return Size;
    }
    __device__ static constexpr unsigned int
    num_threads()
    {
        return Size;
    }
    __device__ static unsigned int
    thread_rank()
    {
        return __pycuda_linear() % Size;
    }
    /* Mask of the tile's lanes. It includes lanes that the last warp of the
     * block does not have. */
    __device__ static unsigned int
    __mask()
    {
        unsigned int first = __pycuda_linear() % 32 / Size * Size;
        return Size == 32 ? 0xffffffffu : ((1u << Size % 32) - 1) << first;
    }
    template <class T>
    __device__ T
    shfl(T value, unsigned int rank) const
    {
        return shuffle(value, __PYCUDA_SHUFFLE_IDX, rank);
    }
    template <class T>
    __device__ T
    shfl_up(T value, unsigned int by) const
    {
        return shuffle(value, __PYCUDA_SHUFFLE_UP, by);
    }
    template <class T>
    __device__ T
    shfl_down(T value, unsigned int by) const
    {
        return shuffle(value, __PYCUDA_SHUFFLE_DOWN, by);
    }
    template <class T>
    __device__ T
    shfl_xor(T value, unsigned int by) const
    {
        return shuffle(value, __PYCUDA_SHUFFLE_XOR, by);
    }
    __device__ unsigned int
    ballot(int predicate) const
    {
        return ranks_of(__ballot_sync(__mask(), predicate));
    }
    template <class T>
    __device__ unsigned int
    match_any(T value) const
    {
        return ranks_of(__match_any_sync(__mask(), __pycuda_matched(value)));
    }
    template <class T>
    __device__ unsigned int
    match_all(T value, int &predicate) const
    {
        return ranks_of(
            __match_all_sync(__mask(), __pycuda_matched(value), &predicate));
    }
};

} // namespace cooperative_groups
}
