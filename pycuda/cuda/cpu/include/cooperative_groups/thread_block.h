/* thread_block.h - the group of all threads of a block.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace cooperative_groups
{

/* Argument of the constructors of groups: programs get groups from functions,
 * and the classes of groups have no default constructor. */
struct __pycuda_made {
};

/* Base class of groups that can be copied but not assigned. */
struct __pycuda_unassignable {
    __pycuda_unassignable() = default;
    __pycuda_unassignable(const __pycuda_unassignable &) = default;
    __pycuda_unassignable &operator=(const __pycuda_unassignable &) = delete;
};

/* Constants that get_type() returns. */
enum __pycuda_group_type {
    __PYCUDA_GROUP_COALESCED = 1,
    __PYCUDA_GROUP_GRID = 3,
    __PYCUDA_GROUP_BLOCK = 4,
    __PYCUDA_GROUP_CLUSTER = 6,
};

__device__ inline unsigned int
__pycuda_block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

class thread_block : __pycuda_unassignable
{
  public:
    __device__ explicit thread_block(__pycuda_made)
    {
    }
    __device__ static unsigned int
    get_type()
    {
        return __PYCUDA_GROUP_BLOCK;
    }
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
    return thread_block(__pycuda_made());
}

} // namespace cooperative_groups
}
