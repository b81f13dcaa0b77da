/* backports/concepts.h - the concepts of C++20. cuda::std has them in every
 * standard: before C++20 they are constants of type bool.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "type_traits.h"

#if __cplusplus >= 202002L
#define __PYCUDA_CONCEPT concept
#else
#define __PYCUDA_CONCEPT constexpr bool
#endif

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

/* Whether Op<T...> is a type. */
template <class, template <class...> class Op, class... T>
struct __pycuda_detect : false_type {
};
template <template <class...> class Op, class... T>
struct __pycuda_detect<void_t<Op<T...>>, Op, T...> : true_type {
};
template <template <class...> class Op, class... T>
constexpr bool __pycuda_valid = __pycuda_detect<void, Op, T...>::value;
/* Rest<T...>::value, which is not instantiated if `Ready` is false. */
template <bool Ready, template <class...> class Rest, class... T>
struct __pycuda_lazily : false_type {
};
template <template <class...> class Rest, class... T>
struct __pycuda_lazily<true, Rest, T...>
    : bool_constant<bool(Rest<T...>::value)> {
};
template <bool Ready, template <class...> class Rest, class... T>
constexpr bool __pycuda_then = __pycuda_lazily<Ready, Rest, T...>::value;
/* Whether Op<T...> is the type R, or converts to bool. */
template <class, class R, template <class...> class Op, class... T>
struct __pycuda_yields : false_type {
};
template <class R, template <class...> class Op, class... T>
struct __pycuda_yields<void_t<Op<T...>>, R, Op, T...>
    : is_same<R, Op<T...>> {
};
template <class R, template <class...> class Op, class... T>
constexpr bool __pycuda_gives_type =
    __pycuda_yields<void, R, Op, T...>::value;
template <class, template <class...> class Op, class... T>
struct __pycuda_tests : false_type {
};
template <template <class...> class Op, class... T>
struct __pycuda_tests<void_t<Op<T...>>, Op, T...>
    : is_convertible<Op<T...>, bool> {
};
template <template <class...> class Op, class... T>
constexpr bool __pycuda_boolean = __pycuda_tests<void, Op, T...>::value;

template <class T>
using __pycuda_const_ref =
    add_lvalue_reference_t<const remove_reference_t<T>>;
template <class T, class S>
using __pycuda_op_cast = decltype(static_cast<S>(declval<T>()));
template <class T, class S>
using __pycuda_op_assign = decltype(declval<T>() = declval<S>());
template <class T, class S>
using __pycuda_op_eq = decltype(declval<T>() == declval<S>());
template <class T, class S>
using __pycuda_op_ne = decltype(declval<T>() != declval<S>());
template <class T, class S>
using __pycuda_op_lt = decltype(declval<T>() < declval<S>());
template <class T, class S>
using __pycuda_op_gt = decltype(declval<T>() > declval<S>());
template <class T, class S>
using __pycuda_op_le = decltype(declval<T>() <= declval<S>());
template <class T, class S>
using __pycuda_op_ge = decltype(declval<T>() >= declval<S>());

/* Relations of types. */
template <class T, class S>
__PYCUDA_CONCEPT __pycuda_same_as = is_same<T, S>::value;
template <class T, class S>
__PYCUDA_CONCEPT same_as = __pycuda_same_as<T, S> && __pycuda_same_as<S, T>;
template <class D, class B>
__PYCUDA_CONCEPT derived_from =
    is_base_of<B, D>::value &&
    is_convertible<const volatile D *, const volatile B *>::value;
template <class T, class S>
__PYCUDA_CONCEPT convertible_to =
    is_convertible<T, S>::value &&
    (is_void<S>::value || __pycuda_valid<__pycuda_op_cast, T, S>);
template <class T, class S> struct __pycuda_reference_with {
    using R = common_reference_t<T, S>;
    static constexpr bool value =
        is_same<R, common_reference_t<S, T>>::value &&
        convertible_to<T, R> && convertible_to<S, R>;
};
template <class T, class S>
__PYCUDA_CONCEPT common_reference_with =
    __pycuda_then<__pycuda_valid<common_reference_t, T, S> &&
                      __pycuda_valid<common_reference_t, S, T>,
                  __pycuda_reference_with, T, S>;
template <class T, class S> struct __pycuda_common_with {
    using R = common_type_t<T, S>;
    static constexpr bool value =
        is_same<R, common_type_t<S, T>>::value && convertible_to<T, R> &&
        convertible_to<S, R> &&
        common_reference_with<add_lvalue_reference_t<const T>,
                              add_lvalue_reference_t<const S>> &&
        common_reference_with<
            add_lvalue_reference_t<R>,
            common_reference_t<add_lvalue_reference_t<const T>,
                               add_lvalue_reference_t<const S>>>;
};
template <class T, class S>
__PYCUDA_CONCEPT common_with =
    __pycuda_then<__pycuda_valid<common_type_t, T, S> &&
                      __pycuda_valid<common_type_t, S, T> &&
                      __pycuda_valid<common_reference_t,
                                     add_lvalue_reference_t<const T>,
                                     add_lvalue_reference_t<const S>>,
                  __pycuda_common_with, T, S>;

/* Arithmetic types. */
template <class T>
__PYCUDA_CONCEPT integral = is_integral<T>::value;
template <class T>
__PYCUDA_CONCEPT signed_integral = integral<T> && is_signed<T>::value;
template <class T>
__PYCUDA_CONCEPT unsigned_integral = integral<T> && !signed_integral<T>;
template <class T>
__PYCUDA_CONCEPT floating_point = is_floating_point<T>::value;

/* Lifetime and assignment. */
template <class T>
__PYCUDA_CONCEPT destructible = is_nothrow_destructible<T>::value;
template <class T, class... A>
__PYCUDA_CONCEPT constructible_from =
    destructible<T> && is_constructible<T, A...>::value;
template <class T> using __pycuda_op_braces = decltype(T{});
template <class T> using __pycuda_op_new = decltype(::new T);
template <class T>
__PYCUDA_CONCEPT default_initializable =
    constructible_from<T> && __pycuda_valid<__pycuda_op_braces, T> &&
    __pycuda_valid<__pycuda_op_new, T>;
template <class T>
__PYCUDA_CONCEPT move_constructible =
    constructible_from<T, T> && convertible_to<T, T>;
template <class T>
__PYCUDA_CONCEPT copy_constructible =
    move_constructible<T> &&
    constructible_from<T, add_lvalue_reference_t<T>> &&
    convertible_to<add_lvalue_reference_t<T>, T> &&
    constructible_from<T, add_lvalue_reference_t<const T>> &&
    convertible_to<add_lvalue_reference_t<const T>, T> &&
    constructible_from<T, const T> && convertible_to<const T, T>;
template <class T, class S>
__PYCUDA_CONCEPT assignable_from =
    is_lvalue_reference<T>::value &&
    common_reference_with<__pycuda_const_ref<T>, __pycuda_const_ref<S>> &&
    __pycuda_gives_type<T, __pycuda_op_assign, T, S>;

/* ranges::swap: calls the swap function of the type's namespace if there is
 * one, and otherwise moves the values. */
namespace __pycuda_swap_lookup
{
template <class T> __host__ __device__ void swap(T &, T &) = delete;
template <class T, class S>
using op = decltype(swap(declval<T>(), declval<S>()));
struct function {
    template <class T, class S,
              enable_if_t<__pycuda_valid<op, T, S> &&
                              (is_class<remove_cvref_t<T>>::value ||
                               is_enum<remove_cvref_t<T>>::value ||
                               is_union<remove_cvref_t<T>>::value),
                          int> = 0>
    __PYCUDA_STD void
    operator()(T &&a, S &&b) const noexcept(noexcept(swap(a, b)))
    {
        swap(static_cast<T &&>(a), static_cast<S &&>(b));
    }
    template <class T,
              enable_if_t<!__pycuda_valid<op, T &, T &> &&
                              move_constructible<T> && assignable_from<T &, T>,
                          int> = 0>
    __PYCUDA_STD void
    operator()(T &a, T &b) const
        noexcept(is_nothrow_move_constructible<T>::value &&
                 is_nothrow_move_assignable<T>::value)
    {
        T old = static_cast<T &&>(a);
        a = static_cast<T &&>(b);
        b = static_cast<T &&>(old);
    }
    template <class T, class S, size_t N>
    __PYCUDA_STD auto
    operator()(T (&a)[N], S (&b)[N]) const
        -> decltype((*this)(a[0], b[0]))
    {
        for (size_t i = 0; i < N; i++) {
            (*this)(a[i], b[i]);
        }
    }
};
}
namespace ranges
{
inline namespace __pycuda_objects
{
inline constexpr __pycuda_swap_lookup::function swap{};
}
}
template <class T, class S>
using __pycuda_op_swap = decltype(ranges::swap(declval<T>(), declval<S>()));
template <class T>
__PYCUDA_CONCEPT swappable =
    __pycuda_valid<__pycuda_op_swap, add_lvalue_reference_t<T>,
                   add_lvalue_reference_t<T>>;
template <class T, class S>
__PYCUDA_CONCEPT swappable_with =
    common_reference_with<T, S> && __pycuda_valid<__pycuda_op_swap, T, T> &&
    __pycuda_valid<__pycuda_op_swap, S, S> &&
    __pycuda_valid<__pycuda_op_swap, T, S> &&
    __pycuda_valid<__pycuda_op_swap, S, T>;

template <class T>
__PYCUDA_CONCEPT movable =
    is_object<T>::value && move_constructible<T> &&
    assignable_from<add_lvalue_reference_t<T>, T> && swappable<T>;
template <class T>
__PYCUDA_CONCEPT copyable =
    copy_constructible<T> && movable<T> &&
    assignable_from<add_lvalue_reference_t<T>, add_lvalue_reference_t<T>> &&
    assignable_from<add_lvalue_reference_t<T>,
                    add_lvalue_reference_t<const T>> &&
    assignable_from<add_lvalue_reference_t<T>, const T>;
template <class T>
__PYCUDA_CONCEPT semiregular = copyable<T> && default_initializable<T>;

/* Comparisons. */
template <class T, class S>
__PYCUDA_CONCEPT __pycuda_equality_with =
    __pycuda_boolean<__pycuda_op_eq, __pycuda_const_ref<T>,
                     __pycuda_const_ref<S>> &&
    __pycuda_boolean<__pycuda_op_ne, __pycuda_const_ref<T>,
                     __pycuda_const_ref<S>> &&
    __pycuda_boolean<__pycuda_op_eq, __pycuda_const_ref<S>,
                     __pycuda_const_ref<T>> &&
    __pycuda_boolean<__pycuda_op_ne, __pycuda_const_ref<S>,
                     __pycuda_const_ref<T>>;
template <class T, class S>
__PYCUDA_CONCEPT __pycuda_ordered_with =
    __pycuda_boolean<__pycuda_op_lt, __pycuda_const_ref<T>,
                     __pycuda_const_ref<S>> &&
    __pycuda_boolean<__pycuda_op_gt, __pycuda_const_ref<T>,
                     __pycuda_const_ref<S>> &&
    __pycuda_boolean<__pycuda_op_le, __pycuda_const_ref<T>,
                     __pycuda_const_ref<S>> &&
    __pycuda_boolean<__pycuda_op_ge, __pycuda_const_ref<T>,
                     __pycuda_const_ref<S>>;
template <class T>
__PYCUDA_CONCEPT equality_comparable = __pycuda_equality_with<T, T>;
template <class T, class S>
struct __pycuda_equality_common
    : bool_constant<equality_comparable<
          common_reference_t<__pycuda_const_ref<T>, __pycuda_const_ref<S>>>> {
};
template <class T, class S>
__PYCUDA_CONCEPT equality_comparable_with =
    equality_comparable<T> && equality_comparable<S> &&
    common_reference_with<__pycuda_const_ref<T>, __pycuda_const_ref<S>> &&
    __pycuda_then<
        common_reference_with<__pycuda_const_ref<T>, __pycuda_const_ref<S>>,
        __pycuda_equality_common, T, S> &&
    __pycuda_equality_with<T, S>;
template <class T>
__PYCUDA_CONCEPT totally_ordered =
    equality_comparable<T> && __pycuda_ordered_with<T, T>;
template <class T, class S>
struct __pycuda_order_common
    : bool_constant<totally_ordered<
          common_reference_t<__pycuda_const_ref<T>, __pycuda_const_ref<S>>>> {
};
template <class T, class S>
__PYCUDA_CONCEPT totally_ordered_with =
    totally_ordered<T> && totally_ordered<S> &&
    equality_comparable_with<T, S> &&
    __pycuda_then<equality_comparable_with<T, S>, __pycuda_order_common, T,
                  S> &&
    __pycuda_ordered_with<T, S> && __pycuda_ordered_with<S, T>;
template <class T>
__PYCUDA_CONCEPT regular = semiregular<T> && equality_comparable<T>;

/* Callables. */
template <class F, class... A>
__PYCUDA_CONCEPT invocable = is_invocable<F, A...>::value;
template <class F, class... A>
__PYCUDA_CONCEPT regular_invocable = invocable<F, A...>;
template <class F, class... A>
__PYCUDA_CONCEPT predicate =
    regular_invocable<F, A...> && is_invocable_r<bool, F, A...>::value;
template <class R, class T, class S>
__PYCUDA_CONCEPT relation = predicate<R, T, T> && predicate<R, S, S> &&
                            predicate<R, T, S> && predicate<R, S, T>;
template <class R, class T, class S>
__PYCUDA_CONCEPT equivalence_relation = relation<R, T, S>;
template <class R, class T, class S>
__PYCUDA_CONCEPT strict_weak_order = relation<R, T, S>;
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
