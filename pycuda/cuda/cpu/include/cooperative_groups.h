/* cooperative_groups.h - the groups of one block: thread_block, tiles.
 *
 * A tile is up to 32 threads that lie next to each other in a warp; its
 * operations are the warp's, with the tile's mask.  Groups over the grid need
 * a cooperative launch and are not offered.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace cooperative_groups
{

class thread_block
{
  public:
    __device__ void sync() const
    {
        __syncthreads();
    }
    __device__ unsigned int thread_rank() const
    {
        return __pycuda_linear();
    }
    __device__ unsigned int size() const
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    __device__ unsigned int num_threads() const
    {
        return size();
    }
    __device__ dim3 group_index() const
    {
        return blockIdx;
    }
    __device__ dim3 thread_index() const
    {
        return threadIdx;
    }
    __device__ dim3 group_dim() const
    {
        return blockDim;
    }
    __device__ dim3 dim_threads() const
    {
        return blockDim;
    }
};

__device__ inline thread_block
this_thread_block()
{
    return thread_block();
}

/* `Size` threads, a power of two of at most 32. */
template <unsigned int Size, class Parent = thread_block>
class thread_block_tile
{
    static_assert(Size && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

    __device__ unsigned int mask() const
    {
        unsigned int first = __pycuda_linear() % 32 / Size * Size;
        return (unsigned int)(((1ul << Size) - 1) << first);
    }

  public:
    __device__ void sync() const
    {
        __syncwarp(mask());
    }
    __device__ unsigned int thread_rank() const
    {
        return __pycuda_linear() % Size;
    }
    __device__ static constexpr unsigned int size()
    {
        return Size;
    }
    __device__ static constexpr unsigned int num_threads()
    {
        return Size;
    }
    __device__ unsigned int meta_group_rank() const
    {
        return __pycuda_linear() / Size;
    }
    __device__ unsigned int meta_group_size() const
    {
        return (thread_block().size() + Size - 1) / Size;
    }
    template <class T> __device__ T shfl(T value, int rank) const
    {
        return __pycuda_shuffle_value(mask(), value, __PYCUDA_SHUFFLE_IDX,
                                      rank, Size);
    }
    template <class T> __device__ T shfl_up(T value, unsigned int by) const
    {
        return __pycuda_shuffle_value(mask(), value, __PYCUDA_SHUFFLE_UP,
                                      (int)by, Size);
    }
    template <class T> __device__ T shfl_down(T value, unsigned int by) const
    {
        return __pycuda_shuffle_value(mask(), value, __PYCUDA_SHUFFLE_DOWN,
                                      (int)by, Size);
    }
    template <class T> __device__ T shfl_xor(T value, unsigned int by) const
    {
        return __pycuda_shuffle_value(mask(), value, __PYCUDA_SHUFFLE_XOR,
                                      (int)by, Size);
    }
    __device__ int any(int predicate) const
    {
        return __any_sync(mask(), predicate);
    }
    __device__ int all(int predicate) const
    {
        return __all_sync(mask(), predicate);
    }
    __device__ unsigned int ballot(int predicate) const
    {
        unsigned int first = __pycuda_linear() % 32 / Size * Size;
        return __ballot_sync(mask(), predicate) >> first;
    }
    template <class T> __device__ unsigned int match_any(T value) const
    {
        unsigned int first = __pycuda_linear() % 32 / Size * Size;
        return __match_any_sync(mask(), value) >> first;
    }
};

template <unsigned int Size, class Parent>
__device__ inline thread_block_tile<Size, Parent>
tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

/* The threads of a warp that stand at the call. */
class coalesced_group
{
    unsigned int members;

    __device__ static unsigned int lane()
    {
        return __pycuda_linear() % 32;
    }
    __device__ int lane_of(unsigned int rank) const
    {
        return __fns(members, 0, (int)rank + 1);
    }

  public:
    __device__ explicit coalesced_group(unsigned int mask) : members(mask)
    {
    }
    __device__ void sync() const
    {
        __syncwarp(members);
    }
    __device__ unsigned int size() const
    {
        return (unsigned int)__popc(members);
    }
    __device__ unsigned int num_threads() const
    {
        return size();
    }
    __device__ unsigned int thread_rank() const
    {
        return (unsigned int)__popc(members & ((1u << lane()) - 1));
    }
    template <class T> __device__ T shfl(T value, unsigned int rank) const
    {
        return __pycuda_shuffle_value(members, value, __PYCUDA_SHUFFLE_IDX,
                                      lane_of(rank), 32);
    }
    __device__ int any(int predicate) const
    {
        return __any_sync(members, predicate);
    }
    __device__ int all(int predicate) const
    {
        return __all_sync(members, predicate);
    }
};

__device__ inline coalesced_group
coalesced_threads()
{
    return coalesced_group(__activemask());
}

template <class Group>
__device__ inline void
sync(const Group &group)
{
    group.sync();
}
}
}
