/* backports/utility.h - parts of <utility> of C++20 and C++23, which cuda::std
 * has in every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <limits>
#include <utility>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

/* Comparisons of the values of two integers of any types. */
template <class T, class S>
__host__ __device__ constexpr bool
cmp_equal(T a, S b) noexcept
{
    return is_signed<T>::value == is_signed<S>::value ? a == static_cast<T>(b)
                                                            && b == static_cast<S>(a)
           : is_signed<T>::value
               ? a >= 0 && make_unsigned_t<T>(a) == b
               : b >= 0 && a == make_unsigned_t<S>(b);
}
template <class T, class S>
__host__ __device__ constexpr bool
cmp_less(T a, S b) noexcept
{
    return is_signed<T>::value == is_signed<S>::value ? a < b
           : is_signed<T>::value ? a < 0 || make_unsigned_t<T>(a) < b
                                 : b >= 0 && a < make_unsigned_t<S>(b);
}
template <class T, class S>
__host__ __device__ constexpr bool
cmp_not_equal(T a, S b) noexcept
{
    return !cmp_equal(a, b);
}
template <class T, class S>
__host__ __device__ constexpr bool
cmp_greater(T a, S b) noexcept
{
    return cmp_less(b, a);
}
template <class T, class S>
__host__ __device__ constexpr bool
cmp_less_equal(T a, S b) noexcept
{
    return !cmp_less(b, a);
}
template <class T, class S>
__host__ __device__ constexpr bool
cmp_greater_equal(T a, S b) noexcept
{
    return !cmp_less(a, b);
}
template <class R, class T>
__host__ __device__ constexpr bool
in_range(T value) noexcept
{
    return !cmp_less(value, numeric_limits<R>::min()) &&
           !cmp_less(numeric_limits<R>::max(), value);
}

template <class T>
__host__ __device__ constexpr underlying_type_t<T>
to_underlying(T value) noexcept
{
    return static_cast<underlying_type_t<T>>(value);
}
template <class From, class To>
using __pycuda_like_value =
    typename __pycuda_like<remove_reference_t<From>,
                           remove_reference_t<To>>::type;
/* Returns a reference to a member: const and an lvalue or rvalue as `From`,
 * the type of the object. */
template <class From, class To>
__host__ __device__ constexpr auto
forward_like(To &&value) noexcept
    -> conditional_t<is_lvalue_reference<From &&>::value,
                     __pycuda_like_value<From, To> &,
                     __pycuda_like_value<From, To> &&>
{
    return static_cast<conditional_t<is_lvalue_reference<From &&>::value,
                                     __pycuda_like_value<From, To> &,
                                     __pycuda_like_value<From, To> &&>>(value);
}
[[noreturn]] __host__ __device__ inline void
unreachable()
{
    __builtin_unreachable();
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
