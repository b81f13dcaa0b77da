/* pointer_traits.h - std::pointer_traits.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

extern "C++" {
namespace std
{

/* The first template argument of a class P; with<U> is the class with U as
 * first argument. */
template <class P> struct __pycuda_first_argument {
};
template <template <class, class...> class P, class T, class... More>
struct __pycuda_first_argument<P<T, More...>> : type_identity<T> {
    template <class U> using with = P<U, More...>;
};
template <class P, class = void>
struct __pycuda_element_type : __pycuda_first_argument<P> {
};
template <class P>
struct __pycuda_element_type<P, void_t<typename P::element_type>>
    : type_identity<typename P::element_type> {
};
template <class P, class = void>
struct __pycuda_pointer_difference : type_identity<ptrdiff_t> {
};
template <class P>
struct __pycuda_pointer_difference<P, void_t<typename P::difference_type>>
    : type_identity<typename P::difference_type> {
};
template <class P, class U, class = void> struct __pycuda_rebound {
    using type = typename __pycuda_first_argument<P>::template with<U>;
};
template <class P, class U>
struct __pycuda_rebound<P, U, void_t<typename P::template rebind<U>>> {
    using type = typename P::template rebind<U>;
};
template <class P, class = void> struct __pycuda_pointer_traits {
};
template <class P>
struct __pycuda_pointer_traits<
    P, void_t<typename __pycuda_element_type<P>::type>> {
    using pointer = P;
    using element_type = typename __pycuda_element_type<P>::type;
    using difference_type = typename __pycuda_pointer_difference<P>::type;
    template <class U> using rebind = typename __pycuda_rebound<P, U>::type;
    template <class E = element_type,
              class = enable_if_t<!is_void<E>::value>>
    __host__ __device__ static constexpr P
    pointer_to(E &value)
    {
        return P::pointer_to(value);
    }
};
template <class P> struct pointer_traits : __pycuda_pointer_traits<P> {
};
template <class T> struct pointer_traits<T *> {
    using pointer = T *;
    using element_type = T;
    using difference_type = ptrdiff_t;
    template <class U> using rebind = U *;
    template <class E = T, class = enable_if_t<!is_void<E>::value>>
    __host__ __device__ static constexpr T *
    pointer_to(E &value) noexcept
    {
        return std::addressof(value);
    }
};
} // namespace std
}
