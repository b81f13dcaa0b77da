/* cuda_pipeline.h - pipelines of asynchronous copies, as in CUDA 11.
 *
 * A copy is complete when the call returns, so waits return immediately.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

extern "C++" {
namespace nvcuda
{
namespace experimental
{

class pipeline
{
    size_t batch; /* Number of commits. */

  public:
    __device__
    pipeline()
        : batch(0)
    {
    }
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    __device__ size_t
    commit()
    {
        return batch++;
    }
    __device__ void
    commit_and_wait()
    {
        commit();
    }
    __device__ void
    wait(size_t)
    {
    }
    template <unsigned int Prior>
    __device__ void
    wait_prior()
    {
    }
    __device__ void
    arrive_on(awbarrier &)
    {
    }
};

template <class T>
__device__ inline void
memcpy_async(T &to, const T &from, pipeline &)
{
    memcpy(&to, &from, sizeof(T));
}

} // namespace experimental
} // namespace nvcuda
}
