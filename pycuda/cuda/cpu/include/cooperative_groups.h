/* cooperative_groups.h - groups of threads: grid, block, tiles, coalesced.
 *
 * Groups within a warp (tiles of up to 32 threads, coalesced and labelled
 * groups) are sets of lanes; their operations number the lanes by rank.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "cooperative_groups/partitions.h"

extern "C++" {
namespace cooperative_groups
{

template <unsigned int MaxBlockSize>
__device__ inline thread_block
this_thread_block(block_tile_memory<MaxBlockSize> &)
{
    return this_thread_block();
}

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
