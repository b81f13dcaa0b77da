/* execution_policy.h - thrust::seq, device and host: one thread executes the
 * algorithm.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

extern "C++" {
namespace thrust
{
namespace detail
{

struct policy {
    /* thrust::cuda::par.on(stream): the stream has no effect within a thread.
     */
    template <class Stream>
    __host__ __device__ constexpr policy
    on(Stream) const
    {
        return {};
    }
};
template <class T>
using if_policy = std::enable_if_t<std::is_base_of<policy, T>::value>;

} // namespace detail

constexpr detail::policy seq{}, device{}, host{};

namespace cuda
{
constexpr detail::policy par{}, par_nosync{};
}

} // namespace thrust
}

/* Overload of the algorithm NAME that takes an execution policy first. */
#define __PYCUDA_THRUST_POLICY(NAME)                                          \
    template <class Policy, class... Rest, class = detail::if_policy<Policy>> \
    __host__ __device__ auto NAME(const Policy &, Rest... rest)               \
    {                                                                         \
        return thrust::NAME(rest...);                                         \
    }
