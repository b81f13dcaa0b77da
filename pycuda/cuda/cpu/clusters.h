/* clusters.h - thread block clusters, each of one block on the CPU device.
 *
 * A launch without cluster dimensions has clusters of one block on a GPU, too.
 * __cluster_dims__ marks a kernel for pycuda-jit, which rejects the kernel if
 * it requests a larger cluster and calls one of these functions. Other kernels
 * are unaffected.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C" {
/* Reports an error if the kernel's clusters have several blocks; otherwise has
 * no effect. */
__device__ void __pycuda_cluster(void);
}

#define __PYCUDA_CLUSTER(RESULT, NAME, DECLARE, VALUE)                        \
    __pycuda_fn RESULT NAME DECLARE                                           \
    {                                                                         \
        __pycuda_cluster();                                                   \
        return VALUE;                                                         \
    }
__PYCUDA_CLUSTER(dim3, __clusterDim, (), dim3(1, 1, 1))
__PYCUDA_CLUSTER(dim3, __clusterIdx, (), blockIdx)
__PYCUDA_CLUSTER(dim3, __clusterRelativeBlockIdx, (), dim3(0, 0, 0))
__PYCUDA_CLUSTER(dim3, __clusterGridDimInClusters, (), gridDim)
__PYCUDA_CLUSTER(unsigned int, __clusterRelativeBlockRank, (), 0)
__PYCUDA_CLUSTER(unsigned int, __clusterSizeInBlocks, (), 1)
__PYCUDA_CLUSTER(unsigned int, __clusterDimIsSpecified, (), 0)
__PYCUDA_CLUSTER(void *, __cluster_map_shared_rank,
                 (const void *pointer, unsigned int), (void *)pointer)
__PYCUDA_CLUSTER(unsigned int, __cluster_query_shared_rank, (const void *), 0)
#undef __PYCUDA_CLUSTER

__pycuda_fn void
__cluster_barrier_arrive()
{
    __pycuda_cluster();
}
__pycuda_fn void
__cluster_barrier_arrive_relaxed()
{
    __pycuda_cluster();
}
/* A barrier that waits until every thread waits is stricter than one that
 * waits for arrivals only, and is therefore correct. */
__pycuda_fn void
__cluster_barrier_wait()
{
    __pycuda_cluster();
    __syncthreads();
}
