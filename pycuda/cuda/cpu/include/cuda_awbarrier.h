/* cuda_awbarrier.h - the class of CUDA 11 for arrive-wait barriers.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "cuda_awbarrier_primitives.h"

extern "C++" {
namespace nvcuda
{
namespace experimental
{

class awbarrier
{
    __mbarrier_t barrier;

  public:
    class arrival_token
    {
        friend class awbarrier;
        __mbarrier_token_t token;
        __device__
        arrival_token(__mbarrier_token_t value)
            : token(value)
        {
        }

      public:
        arrival_token() = default;
        __device__ unsigned int
        pending_count() const
        {
            return __mbarrier_token_pending_count(token);
        }
    };

    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;
    __device__ friend void
    init(awbarrier *self, unsigned int expected)
    {
        __mbarrier_init(&self->barrier, expected);
    }
    __device__ arrival_token
    arrive()
    {
        return arrival_token(__mbarrier_arrive(&barrier));
    }
    __device__ arrival_token
    arrive_and_drop()
    {
        return arrival_token(__mbarrier_arrive_and_drop(&barrier));
    }
    __device__ bool
    timed_wait(arrival_token token, unsigned int)
    {
        return __mbarrier_test_wait(&barrier, token.token);
    }
    __device__ bool
    timed_wait_parity(bool parity, unsigned int)
    {
        return __mbarrier_test_wait_parity(&barrier, parity);
    }
    __device__ void
    wait(arrival_token token)
    {
        while (!__mbarrier_test_wait(&barrier, token.token)) {
        }
    }
    __device__ void
    arrive_and_wait()
    {
        wait(arrive());
    }
    __device__ static constexpr unsigned int
    max()
    {
        return __pycuda_mbarrier_most;
    }
};

} // namespace experimental
} // namespace nvcuda
}
