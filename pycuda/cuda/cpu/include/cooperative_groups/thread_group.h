/* thread_group.h - type-erased group, for functions that accept all groups.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "cluster_group.h"
#include "coalesced_group.h"
#include "grid_group.h"
#include "thread_block_tile.h"

extern "C++" {
namespace cooperative_groups
{

class thread_group : __pycuda_unassignable
{
    unsigned int type;  /* one of __pycuda_group_type */
    unsigned int lanes; /* mask of the lanes of a group within a warp */

  public:
    __device__
    thread_group(const thread_block &)
        : type(__PYCUDA_GROUP_BLOCK), lanes(0)
    {
    }
    __device__
    thread_group(const grid_group &)
        : type(__PYCUDA_GROUP_GRID), lanes(0)
    {
    }
    __device__
    thread_group(const cluster_group &)
        : type(__PYCUDA_GROUP_CLUSTER), lanes(0)
    {
    }
    template <class Group>
    __device__
    thread_group(const __pycuda_lane_group<Group> &group)
        : type(__PYCUDA_GROUP_COALESCED),
          lanes(static_cast<const Group &>(group).__mask())
    {
    }
    __device__ unsigned int
    get_type() const
    {
        return type;
    }
    __device__ void
    sync() const
    {
        if (type == __PYCUDA_GROUP_COALESCED) {
            __syncwarp(lanes);
        } else if (type == __PYCUDA_GROUP_GRID) {
            this_grid().sync();
        } else if (type == __PYCUDA_GROUP_CLUSTER) {
            cluster_group::sync();
        } else {
            __syncthreads();
        }
    }
    __device__ unsigned long long
    size() const
    {
        return type == __PYCUDA_GROUP_COALESCED ? (unsigned int)__popc(lanes)
               : type == __PYCUDA_GROUP_GRID    ? this_grid().size()
                                                : thread_block::size();
    }
    __device__ unsigned long long
    num_threads() const
    {
        return size();
    }
    __device__ unsigned long long
    thread_rank() const
    {
        return type == __PYCUDA_GROUP_COALESCED
                   ? coalesced_group(__pycuda_made(), lanes).thread_rank()
               : type == __PYCUDA_GROUP_GRID ? this_grid().thread_rank()
                                             : thread_block::thread_rank();
    }
    /* Returns the mask of the lanes of a group that is inside one warp. */
    __device__ unsigned int
    __mask() const
    {
        return lanes;
    }
};

} // namespace cooperative_groups
}
