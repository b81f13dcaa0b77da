/* backports/to_address.h - pointer_traits and to_address, which cuda::std has
 * in every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../pointer_traits.h"

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

template <class T>
__host__ __device__ constexpr T *
to_address(T *pointer) noexcept
{
    static_assert(!is_function<T>::value,
                  "std::to_address: a pointer to an object was expected");
    return pointer;
}
template <class P, class = void>
struct __pycuda_address {
    __host__ __device__ static constexpr auto
    of(const P &pointer) noexcept
    {
        return to_address(pointer.operator->());
    }
};
template <class P>
struct __pycuda_address<
    P, void_t<decltype(pointer_traits<P>::to_address(declval<const P &>()))>> {
    __host__ __device__ static constexpr auto
    of(const P &pointer) noexcept
    {
        return pointer_traits<P>::to_address(pointer);
    }
};
template <class P, class = enable_if_t<is_class<P>::value>>
__host__ __device__ constexpr auto
to_address(const P &pointer) noexcept
    -> decltype(pointer.operator->(), __pycuda_address<P>::of(pointer))
{
    return __pycuda_address<P>::of(pointer);
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
