/* wide_tile.h - tiles of 64 to 1,024 threads, partitions of a block.
 *
 * The threads of a tile synchronise at a numbered barrier of the block (number
 * 16 and up, src/cpu/run/named_barrier.c), and exchange values in shared
 * memory, with one slot per thread.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "thread_block.h"

extern "C++" {
namespace cooperative_groups
{

/* Programs declare this object for tiles of more than a warp on GPUs before
 * sm_80. The CPU device ignores it: its runtime has memory for the barriers of
 * tiles and for the values that their threads exchange. */
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    static_assert(MaxBlockSize && MaxBlockSize <= 1024,
                  "a block has at most 1024 threads");
    char unused[16];
};

/* One value per thread of the block, of any copyable class. */
template <class T> struct __pycuda_places {
    alignas(T) char bytes[sizeof(T)];
};

template <unsigned int Size> class __pycuda_wide_tile : __pycuda_unassignable
{
    static_assert(Size >= 64 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4 ... or 1024 threads");

    __device__ static unsigned int
    first()
    {
        return __pycuda_linear() / Size * Size;
    }
    template <class T>
    __device__ static __pycuda_places<T> *
    places()
    {
        static __shared__ __pycuda_places<T> all[1024];
        return all;
    }
    template <class T>
    __device__ static void
    put(const T &value)
    {
        sync(); /* waits until all threads have read the previous values */
        __builtin_memcpy(places<T>() + __pycuda_linear(), &value, sizeof(T));
        sync();
    }
    template <class T>
    __device__ static T
    get(unsigned int rank)
    {
        __pycuda_places<T> bytes = places<T>()[first() + rank];
        return __builtin_bit_cast(T, bytes);
    }

  public:
    __device__ static unsigned int
    thread_rank()
    {
        return __pycuda_linear() % Size;
    }
    __device__ static unsigned int
    size()
    {
        return Size;
    }
    __device__ static unsigned int
    num_threads()
    {
        return Size;
    }
    /* Barrier numbers of the sizes 64, 128, ... are consecutive. */
    __device__ static void
    sync()
    {
        unsigned int begin = 16 + (32 - 2048 / Size);
        unsigned int left = __pycuda_block_threads() - first();
        __pycuda_barrier_named(begin + first() / Size,
                               left < Size ? left : Size);
    }
    template <class T>
    __device__ static T
    shfl(T value, unsigned int source)
    {
        static_assert(sizeof(T) <= 8, "collectives of tiles of more than 32 "
                                      "threads take types of up to 8 bytes");
        put(value);
        return get<T>(source % Size);
    }
    __device__ static int
    any(int predicate)
    {
        return count(predicate) != 0;
    }
    __device__ static int
    all(int predicate)
    {
        return count(!predicate) == 0;
    }
    /* Returns the values of the threads with ranks from `from` to `to` - 1,
     * combined in the order of their ranks. Ranks beyond the end of the block
     * are skipped. */
    template <class T, class Operation>
    __device__ static T
    __fold(T value, Operation operation, unsigned int from, unsigned int to)
    {
        unsigned int left = __pycuda_block_threads() - first();
        put(value);
        T sum = get<T>(from);
        for (unsigned int i = from + 1; i < to && i < left; i++) {
            sum = operation(sum, get<T>(i));
        }
        return sum;
    }

  private:
    __device__ static int
    count(int predicate)
    {
        return __fold(
            predicate != 0, [](int a, int b) { return a + b; }, 0, Size);
    }
};

template <unsigned int Size, bool wide> struct __pycuda_tile_of {
    typedef __pycuda_tile<Size> type;
};
template <unsigned int Size> struct __pycuda_tile_of<Size, true> {
    typedef __pycuda_wide_tile<Size> type;
};

} // namespace cooperative_groups
}
