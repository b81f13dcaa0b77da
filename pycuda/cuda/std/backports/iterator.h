/* backports/iterator.h - iterators and sentinels of C++20, which cuda::std has
 * in every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <iterator>
#include "concepts.h"
#include "to_address.h"

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

struct contiguous_iterator_tag : random_access_iterator_tag {
};
struct default_sentinel_t {
};
inline constexpr default_sentinel_t default_sentinel{};
struct unreachable_sentinel_t {
    template <class I>
    __host__ __device__ friend constexpr bool
    operator==(unreachable_sentinel_t, const I &) noexcept
    {
        return false;
    }
    template <class I>
    __host__ __device__ friend constexpr bool
    operator!=(unreachable_sentinel_t, const I &) noexcept
    {
        return true;
    }
#if __cplusplus < 202002L
    template <class I>
    __host__ __device__ friend constexpr bool
    operator==(const I &, unreachable_sentinel_t) noexcept
    {
        return false;
    }
    template <class I>
    __host__ __device__ friend constexpr bool
    operator!=(const I &, unreachable_sentinel_t) noexcept
    {
        return true;
    }
#endif
};
inline constexpr unreachable_sentinel_t unreachable_sentinel{};
template <class S> class move_sentinel
{
    S last;

  public:
    __host__ __device__ constexpr move_sentinel() : last()
    {
    }
    __host__ __device__ constexpr explicit move_sentinel(S s)
        : last(static_cast<S &&>(s))
    {
    }
    template <class T>
    __host__ __device__ constexpr move_sentinel(const move_sentinel<T> &other)
        : last(other.base())
    {
    }
    __host__ __device__ constexpr S
    base() const
    {
        return last;
    }
    template <class I>
    __host__ __device__ friend constexpr bool
    operator==(const move_iterator<I> &a, const move_sentinel &b)
    {
        return a.base() == b.last;
    }
    template <class I>
    __host__ __device__ friend constexpr bool
    operator!=(const move_iterator<I> &a, const move_sentinel &b)
    {
        return !(a.base() == b.last);
    }
};
template <class Container>
__host__ __device__ constexpr auto
ssize(const Container &container)
    -> common_type_t<ptrdiff_t, make_signed_t<decltype(container.size())>>
{
    return static_cast<
        common_type_t<ptrdiff_t, make_signed_t<decltype(container.size())>>>(
        container.size());
}
template <class T, ptrdiff_t N>
__host__ __device__ constexpr ptrdiff_t
ssize(const T (&)[N]) noexcept
{
    return N;
}

/* Types that belong to an iterator type I. */
template <class I> using __pycuda_member_difference =
    typename I::difference_type;
template <class I> using __pycuda_traits_difference =
    typename iterator_traits<I>::difference_type;
template <class I>
using __pycuda_minus = decltype(declval<const I &>() - declval<const I &>());
template <class I, int Way = 0, class = void>
struct __pycuda_difference : __pycuda_difference<I, Way + 1> {
};
template <class I>
struct __pycuda_difference<I, 0, void_t<__pycuda_member_difference<I>>> {
    using difference_type = typename I::difference_type;
};
template <class I>
struct __pycuda_difference<
    I, 1, enable_if_t<is_integral<__pycuda_minus<I>>::value>> {
    using difference_type = make_signed_t<__pycuda_minus<I>>;
};
template <class I> struct __pycuda_difference<I, 2, void> {
};
template <class I> struct incrementable_traits : __pycuda_difference<I> {
};
template <class T>
struct incrementable_traits<T *>
    : conditional_t<is_object<T>::value,
                    iterator<random_access_iterator_tag, int>,
                    type_identity<void>> {
};
template <class I>
struct incrementable_traits<const I> : incrementable_traits<I> {
};
template <class I>
using __pycuda_own_difference =
    typename incrementable_traits<I>::difference_type;
template <class I, bool = __pycuda_valid<__pycuda_own_difference, I>>
struct __pycuda_difference_of : incrementable_traits<I> {
};
template <class I>
struct __pycuda_difference_of<I, false> : iterator_traits<I> {
};
template <class I>
using iter_difference_t =
    typename __pycuda_difference_of<remove_cvref_t<I>>::difference_type;

template <class I> using __pycuda_member_value = typename I::value_type;
template <class I> using __pycuda_member_element = typename I::element_type;
template <class T, bool = is_object<T>::value> struct __pycuda_value_type {
};
template <class T> struct __pycuda_value_type<T, true> {
    using value_type = remove_cv_t<T>;
};
template <class I, int Way = 0, class = void>
struct __pycuda_readable : __pycuda_readable<I, Way + 1> {
};
template <class I>
struct __pycuda_readable<I, 0, void_t<__pycuda_member_value<I>>>
    : __pycuda_value_type<typename I::value_type> {
};
template <class I>
struct __pycuda_readable<I, 1, void_t<__pycuda_member_element<I>>>
    : __pycuda_value_type<typename I::element_type> {
};
template <class I> struct __pycuda_readable<I, 2, void> {
};
template <class I> struct indirectly_readable_traits : __pycuda_readable<I> {
};
template <class T>
struct indirectly_readable_traits<T *> : __pycuda_value_type<T> {
};
template <class T, size_t N> struct indirectly_readable_traits<T[N]> {
    using value_type = remove_cv_t<T>;
};
template <class I>
struct indirectly_readable_traits<const I> : indirectly_readable_traits<I> {
};
template <class T, size_t N>
struct indirectly_readable_traits<const T[N]>
    : indirectly_readable_traits<T[N]> {
};
template <class I>
using __pycuda_own_value =
    typename indirectly_readable_traits<I>::value_type;
template <class I, bool = __pycuda_valid<__pycuda_own_value, I>>
struct __pycuda_value_of : indirectly_readable_traits<I> {
};
template <class I> using __pycuda_traits_value =
    typename iterator_traits<I>::value_type;
template <class I, bool = __pycuda_valid<__pycuda_traits_value, I>>
struct __pycuda_value_of_traits {
};
template <class I>
struct __pycuda_value_of_traits<I, true>
    : __pycuda_value_type<__pycuda_traits_value<I>> {
};
template <class I>
struct __pycuda_value_of<I, false> : __pycuda_value_of_traits<I> {
};
template <class I>
using iter_value_t =
    typename __pycuda_value_of<remove_cvref_t<I>>::value_type;
template <class I> using iter_reference_t = decltype(*declval<I &>());

/* ranges::iter_move and ranges::iter_swap. */
namespace __pycuda_move_lookup
{
__host__ __device__ void iter_move() = delete;
template <class I> using op = decltype(iter_move(declval<I>()));
struct function {
    template <class I, enable_if_t<__pycuda_valid<op, I>, int> = 0>
    __host__ __device__ constexpr auto
    operator()(I &&it) const -> decltype(iter_move(static_cast<I &&>(it)))
    {
        return iter_move(static_cast<I &&>(it));
    }
    template <class I, enable_if_t<!__pycuda_valid<op, I>, int> = 0>
    __host__ __device__ constexpr auto
    operator()(I &&it) const -> conditional_t<
        is_lvalue_reference<decltype(*static_cast<I &&>(it))>::value,
        remove_reference_t<decltype(*static_cast<I &&>(it))> &&,
        decltype(*static_cast<I &&>(it))>
    {
        using R = conditional_t<
            is_lvalue_reference<decltype(*static_cast<I &&>(it))>::value,
            remove_reference_t<decltype(*static_cast<I &&>(it))> &&,
            decltype(*static_cast<I &&>(it))>;
        return static_cast<R>(*static_cast<I &&>(it));
    }
};
}
namespace ranges
{
inline namespace __pycuda_objects
{
inline constexpr __pycuda_move_lookup::function iter_move{};
}
}
template <class I>
using iter_rvalue_reference_t =
    decltype(ranges::iter_move(declval<I &>()));
template <class I>
using iter_common_reference_t =
    common_reference_t<iter_reference_t<I>, iter_value_t<I> &>;
template <class S, class I>
inline constexpr bool disable_sized_sentinel_for = false;
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}

#include "iterator_concepts.h"
