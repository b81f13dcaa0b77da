/* cuda_pipeline_primitives.h - asynchronous copies of one thread.
 *
 * A copy is complete when the call returns, so waits return immediately.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cuda_awbarrier_primitives.h"

extern "C++" {
__device__ inline void
__pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                        size_t zeroed = 0)
{
    memcpy(to, from, bytes - zeroed);
    memset((char *)to + bytes - zeroed, 0, zeroed);
}
__device__ inline void
__pipeline_commit()
{
}
__device__ inline void
__pipeline_wait_prior(size_t)
{
}
/* The copies are complete: the barrier does not wait for them. */
__device__ inline void
__pipeline_arrive_on(__mbarrier_t *)
{
}
}
