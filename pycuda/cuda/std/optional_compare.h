/* optional_compare.h - comparisons of optionals; an empty optional is less
 * than a value.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "host_headers.h"
#if __cplusplus >= 202002L
#include <compare>
#endif

extern "C++" {
namespace std
{

/* The result type of a comparison, if the values can be compared. */
template <class Result>
using __pycuda_compares =
    enable_if_t<is_convertible<Result, bool>::value, bool>;

/* Defines the comparison by OPERATOR. Its result is RIGHT if only the right
 * operand has a value, and LEFT if only the left operand has one. */
#define __PYCUDA_BY(OPERATOR, RIGHT, LEFT)                                    \
    template <class T, class S>                                               \
    __host__ __device__ constexpr auto operator OPERATOR(                     \
        const optional<T> &a, const optional<S> &b)                           \
        ->__pycuda_compares<decltype(*a OPERATOR * b)>                        \
    {                                                                         \
        return a.has_value() && b.has_value()                                 \
                   ? static_cast<bool>(*a OPERATOR * b)                       \
                   : a.has_value() OPERATOR b.has_value();                    \
    }                                                                         \
    template <class T, class S>                                               \
    __host__ __device__ constexpr auto operator OPERATOR(                     \
        const optional<T> &a, const S &b)                                     \
        ->__pycuda_compares<decltype(*a OPERATOR b)>                          \
    {                                                                         \
        return a.has_value() ? static_cast<bool>(*a OPERATOR b) : RIGHT;      \
    }                                                                         \
    template <class T, class S>                                               \
    __host__ __device__ constexpr auto operator OPERATOR(                     \
        const S &a, const optional<T> &b)                                     \
        ->__pycuda_compares<decltype(a OPERATOR * b)>                         \
    {                                                                         \
        return b.has_value() ? static_cast<bool>(a OPERATOR * b) : LEFT;      \
    }                                                                         \
    template <class T>                                                        \
    __host__ __device__ constexpr bool operator OPERATOR(                     \
        const optional<T> &a, nullopt_t) noexcept                             \
    {                                                                         \
        return a.has_value() OPERATOR false;                                  \
    }                                                                         \
    template <class T>                                                        \
    __host__ __device__ constexpr bool operator OPERATOR(                     \
        nullopt_t, const optional<T> &b) noexcept                             \
    {                                                                         \
        return false OPERATOR b.has_value();                                  \
    }
__PYCUDA_BY(==, false, false)
__PYCUDA_BY(!=, true, true)
__PYCUDA_BY(<, true, false)
__PYCUDA_BY(>, false, true)
__PYCUDA_BY(<=, true, false)
__PYCUDA_BY(>=, false, true)
#undef __PYCUDA_BY

#if __cplusplus >= 202002L
template <class T, class S>
__host__ __device__ constexpr auto
operator<=>(const optional<T> &a, const optional<S> &b) -> decltype(*a <=> *b)
{
    if (a.has_value() && b.has_value()) {
        return *a <=> *b;
    }
    return a.has_value() <=> b.has_value();
}
template <class T>
__host__ __device__ constexpr strong_ordering
operator<=>(const optional<T> &a, nullopt_t) noexcept
{
    return a.has_value() <=> false;
}
#endif

} // namespace std
}
