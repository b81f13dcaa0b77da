/* thread_block_tile.h - tiles of 1 to 1,024 threads, with or without a parent.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "lane_group.h"
#include "wide_tile.h"

extern "C++" {
namespace cooperative_groups
{

/* The tile as a partition of `Parent`, a block or a larger tile. */
template <unsigned int Size, class Parent = void>
class thread_block_tile : public __pycuda_tile_of<Size, (Size > 32)>::type
{
  public:
    __device__ explicit thread_block_tile(__pycuda_made)
    {
    }
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
/* A tile of any parent group. */
template <unsigned int Size>
class thread_block_tile<Size, void>
    : public __pycuda_tile_of<Size, (Size > 32)>::type, __pycuda_unassignable
{
    unsigned int group_rank, groups;

  public:
    __device__ explicit thread_block_tile(__pycuda_made)
        : group_rank(0), groups(1)
    {
    }
    __device__ unsigned int
    get_type() const
    {
        return __PYCUDA_GROUP_COALESCED;
    }
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
/* A group that consists of this thread only. */
__device__ inline thread_block_tile<1>
this_thread()
{
    return thread_block_tile<1>(__pycuda_made());
}

} // namespace cooperative_groups
}
