/* backports/functional.h - parts of <functional> that C++20 and C++23 added or
 * C++20 removed. cuda::std has them in every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <functional>
#include <tuple>
#include "ranges_compare.h"

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

template <class R, class F, class... A>
__host__ __device__ constexpr enable_if_t<is_invocable_r<R, F, A...>::value, R>
invoke_r(F &&function, A &&...arguments) noexcept(
    is_nothrow_invocable_r<R, F, A...>::value)
{
    return static_cast<R>(std::invoke(static_cast<F &&>(function),
                                      static_cast<A &&>(arguments)...));
}

/* A function object and its first arguments. */
template <class Indices, class F, class... Bound> class __pycuda_front;
template <size_t... I, class F, class... Bound>
class __pycuda_front<index_sequence<I...>, F, Bound...>
{
    F function;
    tuple<Bound...> bound;

  public:
    template <class G, class... B>
    __host__ __device__ constexpr explicit __pycuda_front(int, G &&f, B &&...b)
        : function(static_cast<G &&>(f)), bound(static_cast<B &&>(b)...)
    {
    }
    template <class... A>
    __host__ __device__ constexpr invoke_result_t<F &, Bound &..., A...>
    operator()(A &&...arguments) &
    {
        return std::invoke(function, std::get<I>(bound)...,
                           static_cast<A &&>(arguments)...);
    }
    template <class... A>
    __host__ __device__ constexpr invoke_result_t<const F &, const Bound &...,
                                                  A...>
    operator()(A &&...arguments) const &
    {
        return std::invoke(function, std::get<I>(bound)...,
                           static_cast<A &&>(arguments)...);
    }
    template <class... A>
    __host__ __device__ constexpr invoke_result_t<F, Bound..., A...>
    operator()(A &&...arguments) &&
    {
        return std::invoke(static_cast<F &&>(function),
                           static_cast<Bound &&>(std::get<I>(bound))...,
                           static_cast<A &&>(arguments)...);
    }
};
template <class F, class... A>
__host__ __device__ constexpr auto
bind_front(F &&function, A &&...arguments)
{
    return __pycuda_front<index_sequence_for<A...>, decay_t<F>, decay_t<A>...>(
        0, static_cast<F &&>(function), static_cast<A &&>(arguments)...);
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
