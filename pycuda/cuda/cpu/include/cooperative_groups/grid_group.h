/* grid_group.h - the group of all threads of a launch.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "thread_block.h"

extern "C++" {
namespace cooperative_groups
{

class grid_group : __pycuda_unassignable
{
  public:
    __device__ explicit grid_group(__pycuda_made)
    {
    }
    __device__ unsigned int
    get_type() const
    {
        return __PYCUDA_GROUP_GRID;
    }
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
    /* A barrier that waits for all threads is stricter than one that waits for
     * arrivals, and is therefore correct. */
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
    __device__ dim3
    dim_threads() const
    {
        return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y,
                    gridDim.z * blockDim.z);
    }
    __device__ dim3
    thread_index() const
    {
        return dim3(blockIdx.x * blockDim.x + threadIdx.x,
                    blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z);
    }
    __device__ dim3
    cluster_index() const
    {
        return __clusterIdx();
    }
    __device__ dim3
    dim_clusters() const
    {
        return __clusterGridDimInClusters();
    }
    /* On the CPU device a cluster has one block (clusters.h). */
    __device__ unsigned long long
    cluster_rank() const
    {
        return block_rank();
    }
    __device__ unsigned long long
    num_clusters() const
    {
        return num_blocks();
    }
};
__device__ inline grid_group
this_grid()
{
    return grid_group(__pycuda_made());
}

} // namespace cooperative_groups
}
