/* backports/memory.h - parts of <memory> of C++20, which cuda::std has in
 * every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <memory>
#include "to_address.h"

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

template <size_t N, class T>
[[nodiscard]] __host__ __device__ constexpr T *
assume_aligned(T *pointer)
{
    static_assert(N != 0 && (N & (N - 1)) == 0,
                  "std::assume_aligned: the alignment is no power of two");
    return static_cast<T *>(__builtin_assume_aligned(pointer, N));
}
template <class T, class... A>
__host__ __device__ constexpr auto
construct_at(T *at, A &&...arguments)
    -> decltype(::new((void *)at) T(declval<A>()...))
{
    return ::new ((void *)at) T(static_cast<A &&>(arguments)...);
}
template <class T>
__host__ __device__ enable_if_t<!is_array<T>::value, unique_ptr<T>>
make_unique_for_overwrite()
{
    return unique_ptr<T>(new T);
}
template <class T>
__host__ __device__
    enable_if_t<is_array<T>::value && extent<T>::value == 0, unique_ptr<T>>
    make_unique_for_overwrite(size_t count)
{
    return unique_ptr<T>(new remove_extent_t<T>[count]);
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
