/* backports/type_traits.h - traits of C++20 and later, which cuda::std has in
 * every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

template <class From, class To, bool = is_convertible<From, To>::value>
struct is_nothrow_convertible
    : bool_constant<is_void<From>::value && is_void<To>::value> {
};
template <class From, class To>
struct is_nothrow_convertible<From, To, true>
    : __pycuda_converts_quietly<To, From> {
};
template <class T> struct is_bounded_array : false_type {
};
template <class T, size_t N> struct is_bounded_array<T[N]> : true_type {
};
template <class T> struct is_unbounded_array : false_type {
};
template <class T> struct is_unbounded_array<T[]> : true_type {
};
template <class T, bool = __is_enum(T)> struct is_scoped_enum : false_type {
};
template <class T>
struct is_scoped_enum<T, true>
    : bool_constant<!is_convertible<T, __underlying_type(T)>::value> {
};
__host__ __device__ constexpr bool
is_constant_evaluated() noexcept
{
    return __builtin_is_constant_evaluated();
}

template <class From, class To>
constexpr bool is_nothrow_convertible_v =
    is_nothrow_convertible<From, To>::value;
template <class T>
constexpr bool is_bounded_array_v = is_bounded_array<T>::value;
template <class T>
constexpr bool is_unbounded_array_v = is_unbounded_array<T>::value;
template <class T> constexpr bool is_scoped_enum_v = is_scoped_enum<T>::value;
#ifdef __PYCUDA_CPU__
/* Whether a reference would be bound to a temporary object. */
template <class To, class From>
struct reference_constructs_from_temporary
    : bool_constant<__reference_constructs_from_temporary(To, From)> {
};
template <class To, class From>
struct reference_converts_from_temporary
    : bool_constant<__reference_converts_from_temporary(To, From)> {
};
template <class To, class From>
constexpr bool reference_constructs_from_temporary_v =
    reference_constructs_from_temporary<To, From>::value;
template <class To, class From>
constexpr bool reference_converts_from_temporary_v =
    reference_converts_from_temporary<To, From>::value;
#endif

/* common_reference: the type to which references of two types convert. A
 * program may specialise basic_common_reference in this namespace. */
template <class T, class S, template <class> class, template <class> class>
struct basic_common_reference {
};
template <class T> struct __pycuda_qualify {
    template <class U>
    using with = typename __pycuda_like<remove_reference_t<T>, U>::type;
};
template <class T> struct __pycuda_qualify<T &> {
    template <class U> using with = typename __pycuda_like<T, U>::type &;
};
template <class T> struct __pycuda_qualify<T &&> {
    template <class U> using with = typename __pycuda_like<T, U>::type &&;
};
template <class T, class S>
using __pycuda_choice =
    decltype(false ? declval<T (&)()>()() : declval<S (&)()>()());

/* For two reference types: the reference type to which both convert. */
template <class T, class S, class = void> struct __pycuda_reference {
};
template <class T, class S>
using __pycuda_both_like =
    __pycuda_choice<typename __pycuda_like<S, T>::type &,
                    typename __pycuda_like<T, S>::type &>;
template <class T, class S>
struct __pycuda_reference<
    T &, S &, enable_if_t<is_reference<__pycuda_both_like<T, S>>::value>>
    : type_identity<__pycuda_both_like<T, S>> {
};
template <class T, class S>
using __pycuda_both_moved =
    remove_reference_t<typename __pycuda_reference<T &, S &>::type> &&;
template <class T, class S>
struct __pycuda_reference<
    T &&, S &&,
    enable_if_t<is_convertible<T &&, __pycuda_both_moved<T, S>>::value &&
                is_convertible<S &&, __pycuda_both_moved<T, S>>::value>>
    : type_identity<__pycuda_both_moved<T, S>> {
};
template <class T, class S>
struct __pycuda_reference<
    T &&, S &,
    enable_if_t<is_convertible<
        T &&, typename __pycuda_reference<const T &, S &>::type>::value>>
    : __pycuda_reference<const T &, S &> {
};
template <class T, class S>
struct __pycuda_reference<T &, S &&,
                          void_t<typename __pycuda_reference<S &&, T &>::type>>
    : __pycuda_reference<S &&, T &> {
};

/* Ways to find the common type of two types, tried from the first to the
 * last. */
template <int Way, class T, class S, class = void>
struct __pycuda_common_way : __pycuda_common_way<Way + 1, T, S> {
};
template <class T, class S>
struct __pycuda_common_way<
    0, T, S,
    enable_if_t<is_reference<T>::value && is_reference<S>::value,
                void_t<typename __pycuda_reference<T, S>::type>>>
    : __pycuda_reference<T, S> {
};
template <class T, class S>
using __pycuda_basic = typename basic_common_reference<
    remove_cvref_t<T>, remove_cvref_t<S>, __pycuda_qualify<T>::template with,
    __pycuda_qualify<S>::template with>::type;
template <class T, class S>
struct __pycuda_common_way<1, T, S, void_t<__pycuda_basic<T, S>>>
    : type_identity<__pycuda_basic<T, S>> {
};
template <class T, class S>
struct __pycuda_common_way<2, T, S, void_t<__pycuda_choice<T, S>>>
    : type_identity<__pycuda_choice<T, S>> {
};
template <class T, class S>
struct __pycuda_common_way<3, T, S,
                           void_t<typename common_type<T, S>::type>>
    : common_type<T, S> {
};
template <class T, class S> struct __pycuda_common_way<4, T, S, void> {
};

template <class...> struct common_reference {
};
template <class T> struct common_reference<T> : type_identity<T> {
};
template <class T, class S>
struct common_reference<T, S> : __pycuda_common_way<0, T, S> {
};
template <class Void, class... T> struct __pycuda_common_rest {
};
template <class T, class S, class... More>
struct __pycuda_common_rest<void_t<typename common_reference<T, S>::type>, T,
                            S, More...>
    : common_reference<typename common_reference<T, S>::type, More...> {
};
template <class T, class S, class R, class... More>
struct common_reference<T, S, R, More...>
    : __pycuda_common_rest<void, T, S, R, More...> {
};
template <class... T>
using common_reference_t = typename common_reference<T...>::type;
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
