/* cooperative_groups.h - groups of threads: grid, block, tiles, coalesced.
 *
 * Groups within a warp (tiles of up to 32 threads, coalesced and labelled
 * ones) are a set of lanes; their operations number the lanes by rank.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace cooperative_groups
{

__device__ inline unsigned int
__pycuda_block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* ---- grid and block ---- */

class grid_group
{
  public:
    __device__ bool
    is_valid() const
    {
        return __pycuda_grid_valid();
    }
    __device__ void
    sync() const
    {
        __pycuda_grid_barrier();
    }
    /* Waiting for all to come to the wait itself is waiting for more. */
    struct arrival_token {
    };
    __device__ arrival_token
    barrier_arrive() const
    {
        return arrival_token();
    }
    __device__ void
    barrier_wait(arrival_token &&) const
    {
        sync();
    }
    __device__ unsigned long long
    num_blocks() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __device__ unsigned long long
    block_rank() const
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) *
                   gridDim.x +
               blockIdx.x;
    }
    __device__ unsigned long long
    size() const
    {
        return num_blocks() * __pycuda_block_threads();
    }
    __device__ unsigned long long
    num_threads() const
    {
        return size();
    }
    __device__ unsigned long long
    thread_rank() const
    {
        return block_rank() * __pycuda_block_threads() + __pycuda_linear();
    }
    __device__ dim3
    dim_blocks() const
    {
        return gridDim;
    }
    __device__ dim3
    group_dim() const
    {
        return gridDim;
    }
    __device__ dim3
    block_index() const
    {
        return blockIdx;
    }
};
__device__ inline grid_group
this_grid()
{
    return grid_group();
}

class thread_block
{
  public:
    __device__ static void
    sync()
    {
        __syncthreads();
    }
    struct arrival_token {
    };
    __device__ static arrival_token
    barrier_arrive()
    {
        return arrival_token();
    }
    __device__ static void
    barrier_wait(arrival_token &&)
    {
        sync();
    }
    __device__ static unsigned int
    thread_rank()
    {
        return __pycuda_linear();
    }
    __device__ static unsigned int
    size()
    {
        return __pycuda_block_threads();
    }
    __device__ static unsigned int
    num_threads()
    {
        return size();
    }
    __device__ static dim3
    group_index()
    {
        return blockIdx;
    }
    __device__ static dim3
    thread_index()
    {
        return threadIdx;
    }
    __device__ static dim3
    group_dim()
    {
        return blockDim;
    }
    __device__ static dim3
    dim_threads()
    {
        return blockDim;
    }
};
__device__ inline thread_block
this_thread_block()
{
    return thread_block();
}

/* ---- groups within a warp ---- */

/* Any type that may be copied, a word of 8 bytes at a time. */
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

/* Operations over the lanes of `Group`, which has __mask(). */
template <class Group> class __pycuda_lane_group
{
    __device__ unsigned int
    mask() const
    {
        return static_cast<const Group *>(this)->__mask();
    }
    /* No lane has a rank beyond: -1, which a shuffle takes for 31. */
    __device__ int
    lane_of(unsigned int rank) const
    {
        return mask() == 0xffffffffu ? (int)rank
                                     : (int)__fns(mask(), 0, (int)rank + 1);
    }
    /* The lanes of `set` among the group's, by rank. */
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
    template <class T>
    __device__ T
    shfl_xor(T value, unsigned int by) const
    {
        unsigned int rank = thread_rank();
        return shfl(value, (rank ^ by) < size() ? rank ^ by : rank);
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
        return ranks_of(__match_any_sync(mask(), value));
    }
    template <class T>
    __device__ unsigned int
    match_all(T value, int &predicate) const
    {
        return ranks_of(__match_all_sync(mask(), value, &predicate));
    }
};

/* `Size` threads that lie next to each other. */
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
    /* Lanes of the tile, by rank. */
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
    /* The lanes, also those that the block's last warp lacks. */
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
        return ranks_of(__match_any_sync(__mask(), value));
    }
    template <class T>
    __device__ unsigned int
    match_all(T value, int &predicate) const
    {
        return ranks_of(__match_all_sync(__mask(), value, &predicate));
    }
};
} // namespace cooperative_groups
}
#include "cooperative_groups/wide_tile.h"

extern "C++" {
namespace cooperative_groups
{
/* The tile as a part of `Parent`, a block or a larger tile. */
template <unsigned int Size, class Parent = void>
class thread_block_tile : public __pycuda_tile_of<Size, (Size > 32)>::type
{
  public:
    __device__ static unsigned int
    meta_group_rank()
    {
        return Parent::thread_rank() / Size;
    }
    __device__ static unsigned int
    meta_group_size()
    {
        return (Parent::size() + Size - 1) / Size;
    }
};
/* A tile of any parent. */
template <unsigned int Size>
class thread_block_tile<Size, void>
    : public __pycuda_tile_of<Size, (Size > 32)>::type
{
    unsigned int group_rank, groups;

  public:
    template <class Parent>
    __device__
    thread_block_tile(const thread_block_tile<Size, Parent> &tile)
        : group_rank(tile.meta_group_rank()), groups(tile.meta_group_size())
    {
    }
    __device__ unsigned int
    meta_group_rank() const
    {
        return group_rank;
    }
    __device__ unsigned int
    meta_group_size() const
    {
        return groups;
    }
};

/* Some threads of one warp. */
class coalesced_group : public __pycuda_lane_group<coalesced_group>
{
    unsigned int members, group_rank, groups;

  public:
    __device__ explicit coalesced_group(unsigned int mask,
                                        unsigned int rank = 0,
                                        unsigned int count = 1)
        : members(mask), group_rank(rank), groups(count)
    {
    }
    __device__ unsigned int
    __mask() const
    {
        return members;
    }
    __device__ unsigned int
    meta_group_rank() const
    {
        return group_rank;
    }
    __device__ unsigned int
    meta_group_size() const
    {
        return groups;
    }
};
__device__ inline coalesced_group
coalesced_threads()
{
    return coalesced_group(__activemask());
}
/* A group of this thread alone. */
__device__ inline coalesced_group
this_thread()
{
    return coalesced_group(1u << __pycuda_linear() % 32);
}

/* A block, or some threads of one warp: what functions take that do not say
 * which. */
class thread_group
{
    unsigned int lanes; /* 0: the whole block */

  public:
    __device__
    thread_group(const thread_block &)
        : lanes(0)
    {
    }
    template <class Group>
    __device__
    thread_group(const __pycuda_lane_group<Group> &group)
        : lanes(static_cast<const Group &>(group).__mask())
    {
    }
    __device__ void
    sync() const
    {
        if (lanes) {
            __syncwarp(lanes);
        } else {
            __syncthreads();
        }
    }
    __device__ unsigned long long
    size() const
    {
        return lanes ? coalesced_group(lanes).size() : thread_block::size();
    }
    __device__ unsigned long long
    num_threads() const
    {
        return size();
    }
    __device__ unsigned long long
    thread_rank() const
    {
        return lanes ? coalesced_group(lanes).thread_rank()
                     : thread_block::thread_rank();
    }
    __device__ unsigned int
    __mask() const
    {
        return lanes;
    }
};

template <unsigned int MaxBlockSize>
__device__ inline thread_block
this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return thread_block();
}

/* ---- partitions ---- */

template <unsigned int Size>
__device__ inline thread_block_tile<Size, thread_block>
tiled_partition(const thread_block &)
{
    return thread_block_tile<Size, thread_block>();
}
template <unsigned int Size, unsigned int ParentSize, class Parent>
__device__ inline thread_block_tile<Size,
                                    thread_block_tile<ParentSize, Parent>>
tiled_partition(const thread_block_tile<ParentSize, Parent> &)
{
    static_assert(Size < ParentSize, "a tile is a part of its parent");
    return thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>();
}
/* The lanes of `mask` whose ranks lie in the same row of `size`. */
__device__ inline coalesced_group
__pycuda_rows(unsigned int mask, unsigned int rank, unsigned int count,
              unsigned int size)
{
    unsigned int members = 0;
    for (unsigned int i = rank / size * size, end = i + size;
         i < end && i < count; i++) {
        members |= 1u << __fns(mask, 0, (int)i + 1);
    }
    return coalesced_group(members, rank / size, (count + size - 1) / size);
}
__device__ inline coalesced_group
tiled_partition(const coalesced_group &parent, unsigned int size)
{
    return __pycuda_rows(parent.__mask(), parent.thread_rank(), parent.size(),
                         size);
}
__device__ inline coalesced_group
tiled_partition(const thread_block &parent, unsigned int size)
{
    unsigned int first = __pycuda_linear() / size * size % 32;
    return coalesced_group((unsigned int)(((1ul << size) - 1) << first),
                           __pycuda_linear() / size,
                           (parent.size() + size - 1) / size);
}
__device__ inline thread_group
tiled_partition(const thread_group &parent, unsigned int size)
{
    if (parent.__mask()) {
        return tiled_partition(coalesced_group(parent.__mask()), size);
    }
    return tiled_partition(this_thread_block(), size);
}

/* Groups of the threads with the same label, in the order of first lanes. */
template <class Parent, class Label>
__device__ inline coalesced_group
labeled_partition(const Parent &parent, Label label)
{
    unsigned int mask = parent.__mask();
    unsigned int mine = __match_any_sync(mask, (long long)label);
    bool first = __ffs((int)mine) - 1 == (int)(__pycuda_linear() % 32);
    unsigned int leaders = __ballot_sync(mask, first);
    unsigned int before = leaders & ((mine & (0u - mine)) - 1);
    return coalesced_group(mine, (unsigned int)__popc(before),
                           (unsigned int)__popc(leaders));
}
template <class Parent>
__device__ inline coalesced_group
binary_partition(const Parent &parent, bool predicate)
{
    unsigned int mask = parent.__mask();
    unsigned int yes = __ballot_sync(mask, predicate);
    unsigned int no = __ballot_sync(mask, !predicate);
    return coalesced_group(predicate ? yes : no, predicate ? 0u : 1u, 2u);
}

/* ---- for any group ---- */

template <class Group>
__device__ inline void
sync(const Group &group)
{
    group.sync();
}
template <class Group>
__device__ inline auto
thread_rank(const Group &group)
{
    return group.thread_rank();
}
template <class Group>
__device__ inline auto
group_size(const Group &group)
{
    return group.size();
}
template <class Group, class Function, class... Arguments>
__device__ inline void
invoke_one(const Group &group, Function function, Arguments... arguments)
{
    if (group.thread_rank() == 0) {
        function(arguments...);
    }
}
template <class Group, class Function, class... Arguments>
__device__ inline auto
invoke_one_broadcast(const Group &group, Function function,
                     Arguments... arguments)
{
    decltype(function(arguments...)) value = {};
    if (group.thread_rank() == 0) {
        value = function(arguments...);
    }
    return group.shfl(value, 0);
}
} // namespace cooperative_groups
}
#include "cooperative_groups/memcpy_async.h"
#include "cooperative_groups/reduce.h"
#include "cooperative_groups/scan.h"
