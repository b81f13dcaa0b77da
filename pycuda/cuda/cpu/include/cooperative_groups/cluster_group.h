/* cluster_group.h - a cluster, which always has one block here (clusters.h).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "thread_block.h"

extern "C++" {
namespace cooperative_groups
{

class cluster_group : __pycuda_unassignable
{
  public:
    __device__ explicit cluster_group(__pycuda_made)
    {
    }
    __device__ static unsigned int
    get_type()
    {
        return __PYCUDA_GROUP_CLUSTER;
    }
    struct arrival_token {
    };
    __device__ static void
    sync()
    {
        barrier_wait();
    }
    __device__ static arrival_token
    barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    __device__ static void
    barrier_wait()
    {
        __cluster_barrier_wait();
    }
    __device__ static void
    barrier_wait(arrival_token &&)
    {
        __cluster_barrier_wait();
    }
    __device__ static unsigned int
    query_shared_rank(const void *pointer)
    {
        return __cluster_query_shared_rank(pointer);
    }
    template <class T>
    __device__ static T *
    map_shared_rank(T *pointer, int rank)
    {
        return (T *)__cluster_map_shared_rank(pointer, (unsigned int)rank);
    }
    __device__ static dim3
    block_index()
    {
        return __clusterRelativeBlockIdx();
    }
    __device__ static unsigned int
    block_rank()
    {
        return __clusterRelativeBlockRank();
    }
    __device__ static dim3
    thread_index()
    {
        return threadIdx;
    }
    __device__ static unsigned int
    thread_rank()
    {
        return __pycuda_linear();
    }
    __device__ static dim3
    dim_blocks()
    {
        return __clusterDim();
    }
    __device__ static unsigned int
    num_blocks()
    {
        return __clusterSizeInBlocks();
    }
    __device__ static dim3
    dim_threads()
    {
        return blockDim;
    }
    __device__ static unsigned int
    num_threads()
    {
        return __pycuda_block_threads();
    }
    __device__ static unsigned int
    size()
    {
        return num_threads();
    }
};
__device__ inline cluster_group
this_cluster()
{
    return cluster_group(__pycuda_made());
}

} // namespace cooperative_groups
}
