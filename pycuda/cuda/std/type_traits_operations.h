/* type_traits_operations.h - calls and swaps of <type_traits>, and the traits
 * that need them.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace std
{

template <class T> class reference_wrapper;

template <class T>
__host__ __device__ constexpr T *
addressof(T &value) noexcept
{
    return __builtin_addressof(value);
}
template <class T> const T *addressof(const T &&) = delete;

/* The object whose member of class C is accessed: the argument, the target of
 * a reference_wrapper, or the target of a pointer. */
template <class T> struct __pycuda_is_wrapper : false_type {
};
template <class T>
struct __pycuda_is_wrapper<reference_wrapper<T>> : true_type {
};
template <class C, class O,
          enable_if_t<is_base_of<C, decay_t<O>>::value, int> = 0>
__host__ __device__ constexpr O &&
__pycuda_owner(O &&object) noexcept
{
    return static_cast<O &&>(object);
}
template <class C, class O,
          enable_if_t<!is_base_of<C, decay_t<O>>::value &&
                          __pycuda_is_wrapper<decay_t<O>>::value,
                      int> = 0>
__host__ __device__ constexpr auto
__pycuda_owner(O &&object) noexcept -> decltype(object.get())
{
    return object.get();
}
template <class C, class O,
          enable_if_t<!is_base_of<C, decay_t<O>>::value &&
                          !__pycuda_is_wrapper<decay_t<O>>::value,
                      int> = 0>
__host__ __device__ constexpr auto
__pycuda_owner(O &&object) noexcept(noexcept(*static_cast<O &&>(object)))
    -> decltype(*static_cast<O &&>(object))
{
    return *static_cast<O &&>(object);
}

/* Calls a function, a function object or a member of a class, as INVOKE of
 * the standard defines. */
#define __PYCUDA_RETURN(...)                                                  \
    noexcept(noexcept(__VA_ARGS__))->decltype(__VA_ARGS__)                    \
    {                                                                         \
        return __VA_ARGS__;                                                   \
    }
template <class F, class... A>
__host__ __device__ constexpr auto
__pycuda_call(F &&function, A &&...arguments)
    __PYCUDA_RETURN(static_cast<F &&>(function)(static_cast<A &&>(arguments)...))
template <class M, class C, class O, class... A,
          enable_if_t<is_function<M>::value, int> = 0>
__host__ __device__ constexpr auto
__pycuda_call(M C::*member, O &&object, A &&...arguments)
    __PYCUDA_RETURN((__pycuda_owner<C>(static_cast<O &&>(object)).*
                     member)(static_cast<A &&>(arguments)...))
template <class M, class C, class O,
          enable_if_t<!is_function<M>::value, int> = 0>
__host__ __device__ constexpr auto
__pycuda_call(M C::*member, O &&object)
    __PYCUDA_RETURN(__pycuda_owner<C>(static_cast<O &&>(object)).*member)
#undef __PYCUDA_RETURN

/* Tells whether a call is possible (`there`), its result, and whether it
 * cannot throw (`quiet`). */
template <class, class F, class... A> struct __pycuda_invoke {
    static constexpr bool there = false, quiet = false;
};
template <class F, class... A>
struct __pycuda_invoke<
    void_t<decltype(std::__pycuda_call(declval<F>(), declval<A>()...))>, F,
    A...> {
    static constexpr bool there = true;
    static constexpr bool quiet =
        noexcept(std::__pycuda_call(declval<F>(), declval<A>()...));
    using type = decltype(std::__pycuda_call(declval<F>(), declval<A>()...));
};
template <class R, bool There, class Call>
struct __pycuda_gives : false_type {
};
template <class R, class Call>
struct __pycuda_gives<R, true, Call>
    : bool_constant<is_void<R>::value ||
                    is_convertible<typename Call::type, R>::value> {
};
template <class R, class From, bool = is_void<R>::value>
struct __pycuda_converts_quietly : true_type {
};
template <class To> __host__ __device__ void __pycuda_take(To) noexcept;
template <class To, class From>
struct __pycuda_converts_quietly<To, From, false>
    : bool_constant<noexcept(std::__pycuda_take<To>(declval<From>()))> {
};
template <class R, bool Quiet, class Call>
struct __pycuda_gives_quietly : false_type {
};
template <class R, class Call>
struct __pycuda_gives_quietly<R, true, Call>
    : __pycuda_converts_quietly<R, typename Call::type> {
};

template <class F, class... A>
struct invoke_result : __pycuda_invoke<void, F, A...> {
};
template <class> struct result_of {
};
template <class F, class... A>
struct result_of<F(A...)> : invoke_result<F, A...> {
};
template <class F, class... A>
struct is_invocable : bool_constant<__pycuda_invoke<void, F, A...>::there> {
};
template <class F, class... A>
struct is_nothrow_invocable
    : bool_constant<__pycuda_invoke<void, F, A...>::quiet> {
};
template <class R, class F, class... A>
struct is_invocable_r
    : __pycuda_gives<R, is_invocable<F, A...>::value,
                     __pycuda_invoke<void, F, A...>> {
};
template <class R, class F, class... A>
struct is_nothrow_invocable_r
    : __pycuda_gives_quietly<R,
                             is_invocable_r<R, F, A...>::value &&
                                 is_nothrow_invocable<F, A...>::value,
                             __pycuda_invoke<void, F, A...>> {
};
template <class F, class... A>
using invoke_result_t = typename invoke_result<F, A...>::type;
template <class T> using result_of_t = typename result_of<T>::type;

/* swap of values and of arrays, and traits of unqualified calls of swap:
 * whether one is found, and whether it cannot throw. */
template <class T> struct is_swappable;
template <class T> struct is_nothrow_swappable;
template <class T>
__PYCUDA_STD
    enable_if_t<is_move_constructible<T>::value && is_move_assignable<T>::value>
    swap(T &left, T &right) noexcept(is_nothrow_move_constructible<T>::value &&
                                     is_nothrow_move_assignable<T>::value)
{
    T saved = static_cast<T &&>(left);
    left = static_cast<T &&>(right);
    right = static_cast<T &&>(saved);
}
template <class T, size_t N>
__PYCUDA_STD enable_if_t<is_swappable<T>::value>
swap(T (&left)[N], T (&right)[N]) noexcept(is_nothrow_swappable<T>::value)
{
    for (size_t i = 0; i < N; i++) {
        swap(left[i], right[i]);
    }
}
template <class T, class S, class = void> struct __pycuda_swap {
    static constexpr bool there = false, quiet = false;
};
template <class T, class S>
struct __pycuda_swap<T, S,
                     void_t<decltype(swap(declval<T>(), declval<S>())),
                            decltype(swap(declval<S>(), declval<T>()))>> {
    static constexpr bool there = true;
    static constexpr bool quiet = noexcept(swap(declval<T>(), declval<S>())) &&
                                  noexcept(swap(declval<S>(), declval<T>()));
};
template <class T, class S>
struct is_swappable_with : bool_constant<__pycuda_swap<T, S>::there> {
};
template <class T, class S>
struct is_nothrow_swappable_with : bool_constant<__pycuda_swap<T, S>::quiet> {
};
template <class T, class R = typename __pycuda_references<T>::lvalue>
struct __pycuda_swap_of : __pycuda_swap<R, R> {
};
template <class T> struct __pycuda_swap_of<T, T> {
    static constexpr bool there = __pycuda_swap<T, T>::there,
                          quiet = __pycuda_swap<T, T>::quiet;
};
template <class T>
struct is_swappable : bool_constant<__pycuda_swap_of<T>::there> {
};
template <class T>
struct is_nothrow_swappable : bool_constant<__pycuda_swap_of<T>::quiet> {
};

/* Types of members, and traits of destruction and storage. */
template <class T> struct __pycuda_member_of : type_identity<void> {
};
template <class T, class C>
struct __pycuda_member_of<T C::*> : type_identity<T> {
};
template <class T>
struct is_member_function_pointer
    : is_function<typename __pycuda_member_of<remove_cv_t<T>>::type> {
};
template <> struct is_member_function_pointer<void> : false_type {
};
template <class T>
struct is_member_object_pointer
    : bool_constant<is_member_pointer<T>::value &&
                    !is_member_function_pointer<T>::value> {
};
template <class T, class = void>
struct is_nothrow_destructible : is_reference<T> {
};
template <class T>
struct is_nothrow_destructible<T, void_t<decltype(declval<T &>().~T())>>
    : bool_constant<noexcept(declval<T &>().~T())> {
};
template <class T, size_t N>
struct is_nothrow_destructible<T[N], void> : is_nothrow_destructible<T> {
};
template <class T>
struct is_pod : bool_constant<__is_pod(T)> {
};
template <class T>
struct is_literal_type : bool_constant<__is_literal_type(T)> {
};
template <class T>
struct has_unique_object_representations
    : bool_constant<__has_unique_object_representations(
          remove_cv_t<typename remove_all_extents<T>::type>)> {
};
template <size_t... N> struct __pycuda_greatest;
template <size_t N>
struct __pycuda_greatest<N> : integral_constant<size_t, N> {
};
template <size_t A, size_t B, size_t... More>
struct __pycuda_greatest<A, B, More...>
    : __pycuda_greatest<(A < B ? B : A), More...> {
};
template <size_t Size, class... T>
struct aligned_union
    : aligned_storage<__pycuda_greatest<Size, sizeof(T)...>::value,
                      __pycuda_greatest<alignof(T)...>::value> {
    static constexpr size_t alignment_value =
        __pycuda_greatest<alignof(T)...>::value;
};
template <size_t Size, class... T>
using aligned_union_t = typename aligned_union<Size, T...>::type;
} // namespace std
}
