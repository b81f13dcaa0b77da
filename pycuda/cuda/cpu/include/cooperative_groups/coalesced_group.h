/* coalesced_group.h - some threads of one warp.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "lane_group.h"

extern "C++" {
namespace cooperative_groups
{

/* Some threads of one warp. */
class coalesced_group : public __pycuda_lane_group<coalesced_group>,
                        __pycuda_unassignable
{
    unsigned int members, group_rank, groups;

  public:
    __device__
    coalesced_group(__pycuda_made, unsigned int mask, unsigned int rank = 0,
                    unsigned int count = 1)
        : members(mask), group_rank(rank), groups(count)
    {
    }
    __device__ unsigned int
    get_type() const
    {
        return __PYCUDA_GROUP_COALESCED;
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
    return coalesced_group(__pycuda_made(), __activemask());
}

} // namespace cooperative_groups
}
