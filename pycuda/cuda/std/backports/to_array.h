/* backports/to_array.h - std::to_array of C++20, which cuda::std has in every
 * standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <array>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

template <class T, size_t N, size_t... I>
__host__ __device__ constexpr array<remove_cv_t<T>, N>
__pycuda_array_of(T (&values)[N], index_sequence<I...>)
{
    return {{values[I]...}};
}
template <class T, size_t N, size_t... I>
__host__ __device__ constexpr array<remove_cv_t<T>, N>
__pycuda_array_of_moved(T (&values)[N], index_sequence<I...>)
{
    return {{static_cast<T &&>(values[I])...}};
}
template <class T, size_t N>
__host__ __device__ constexpr array<remove_cv_t<T>, N>
to_array(T (&values)[N])
{
    return __pycuda_array_of(values, make_index_sequence<N>());
}
template <class T, size_t N>
__host__ __device__ constexpr array<remove_cv_t<T>, N>
to_array(T (&&values)[N])
{
    return __pycuda_array_of_moved(values, make_index_sequence<N>());
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
