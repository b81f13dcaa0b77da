/* backports/iterator_concepts.h - the concepts of iterators of C++20, and of
 * operations on their elements.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "iterator.h"
#include "ranges_compare.h"

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

/* The iterator category that decides which iterator concepts I may satisfy. */
template <class I> using __pycuda_member_concept =
    typename I::iterator_concept;
template <class I> using __pycuda_traits_category =
    typename iterator_traits<I>::iterator_category;
template <class I, int Way = 0, class = void>
struct __pycuda_concept_of : __pycuda_concept_of<I, Way + 1> {
};
template <class T>
struct __pycuda_concept_of<T *, 0, void>
    : type_identity<contiguous_iterator_tag> {
};
template <class I>
struct __pycuda_concept_of<I, 0, void_t<__pycuda_member_concept<I>>>
    : type_identity<typename I::iterator_concept> {
};
template <class I>
struct __pycuda_concept_of<I, 1, void_t<__pycuda_traits_category<I>>>
    : type_identity<__pycuda_traits_category<I>> {
};
template <class I>
struct __pycuda_concept_of<I, 2, void>
    : type_identity<random_access_iterator_tag> {
};
template <class I, class Tag>
constexpr bool __pycuda_has_tag =
    is_base_of<Tag, typename __pycuda_concept_of<I>::type>::value;

template <class I>
using __pycuda_op_before = decltype(++declval<I &>());
template <class I> using __pycuda_op_after = decltype(declval<I &>()++);
template <class I>
using __pycuda_op_down_before = decltype(--declval<I &>());
template <class I>
using __pycuda_op_down_after = decltype(declval<I &>()--);
template <class T, class S>
using __pycuda_op_minus =
    decltype(declval<const T &>() - declval<const S &>());
template <class T, class S>
using __pycuda_op_plus = decltype(declval<const T &>() + declval<const S &>());
template <class T, class S>
using __pycuda_op_add = decltype(declval<T &>() += declval<const S &>());
template <class T, class S>
using __pycuda_op_take = decltype(declval<T &>() -= declval<const S &>());
template <class T, class S>
using __pycuda_op_index =
    decltype(declval<const T &>()[declval<const S &>()]);
template <class T> using __pycuda_op_reference = T &;

/* ---- types that can be incremented ---- */
template <class I>
struct __pycuda_signed_difference
    : bool_constant<signed_integral<iter_difference_t<I>>> {
};
template <class I>
__PYCUDA_CONCEPT weakly_incrementable =
    movable<I> && __pycuda_then<__pycuda_valid<iter_difference_t, I>,
                                __pycuda_signed_difference, I> &&
    __pycuda_gives_type<add_lvalue_reference_t<I>, __pycuda_op_before,
                        I> &&
    __pycuda_valid<__pycuda_op_after, I>;
template <class I>
__PYCUDA_CONCEPT incrementable =
    regular<I> && weakly_incrementable<I> &&
    __pycuda_gives_type<I, __pycuda_op_after, I>;
template <class I>
using __pycuda_op_target = __pycuda_op_reference<iter_reference_t<I>>;
template <class I>
__PYCUDA_CONCEPT input_or_output_iterator =
    __pycuda_valid<__pycuda_op_target, I> && weakly_incrementable<I>;
template <class S, class I>
__PYCUDA_CONCEPT sentinel_for =
    semiregular<S> && input_or_output_iterator<I> &&
    __pycuda_equality_with<S, I>;
template <class S, class I>
struct __pycuda_sized_sentinel
    : bool_constant<
          !disable_sized_sentinel_for<remove_cv_t<S>, remove_cv_t<I>> &&
          __pycuda_gives_type<iter_difference_t<I>, __pycuda_op_minus, S, I> &&
          __pycuda_gives_type<iter_difference_t<I>, __pycuda_op_minus, I, S>> {
};
template <class S, class I>
__PYCUDA_CONCEPT sized_sentinel_for =
    sentinel_for<S, I> &&
    __pycuda_then<sentinel_for<S, I>, __pycuda_sized_sentinel, S, I>;

/* ---- types that can be read and written through * ---- */
template <class I> struct __pycuda_reads {
    using R = iter_reference_t<I>;
    using V = iter_value_t<I>;
    using M = iter_rvalue_reference_t<I>;
    static constexpr bool value =
        __pycuda_gives_type<R, iter_reference_t, const I> &&
        __pycuda_gives_type<M, iter_rvalue_reference_t, const I> &&
        common_reference_with<R &&, V &> && common_reference_with<R &&, M &&> &&
        common_reference_with<M &&, const V &>;
};
template <class I>
__PYCUDA_CONCEPT indirectly_readable =
    __pycuda_then<__pycuda_valid<iter_value_t, I> &&
                      __pycuda_valid<iter_reference_t, I> &&
                      __pycuda_valid<iter_rvalue_reference_t, I>,
                  __pycuda_reads, remove_cvref_t<I>>;
template <class I, class T>
using __pycuda_op_write = decltype(*declval<I &>() = declval<T>());
template <class I, class T>
using __pycuda_op_write_moved = decltype(*declval<I>() = declval<T>());
template <class I, class T>
using __pycuda_op_write_const = decltype(
    const_cast<const iter_reference_t<I> &&>(*declval<I &>()) = declval<T>());
template <class I, class T>
using __pycuda_op_write_const_moved = decltype(
    const_cast<const iter_reference_t<I> &&>(*declval<I>()) = declval<T>());
template <class I, class T>
__PYCUDA_CONCEPT indirectly_writable =
    __pycuda_valid<__pycuda_op_write, I, T> &&
    __pycuda_valid<__pycuda_op_write_moved, I, T> &&
    __pycuda_valid<__pycuda_op_write_const, I, T> &&
    __pycuda_valid<__pycuda_op_write_const_moved, I, T>;

/* The concepts of iterator categories, such as input_iterator. */
template <class I>
__PYCUDA_CONCEPT input_iterator =
    input_or_output_iterator<I> && indirectly_readable<I> &&
    __pycuda_has_tag<I, input_iterator_tag>;
template <class I, class T>
using __pycuda_op_write_after = decltype(*declval<I &>()++ = declval<T>());
template <class I, class T>
__PYCUDA_CONCEPT output_iterator =
    input_or_output_iterator<I> && indirectly_writable<I, T> &&
    __pycuda_valid<__pycuda_op_write_after, I, T>;
template <class I>
__PYCUDA_CONCEPT forward_iterator =
    input_iterator<I> && __pycuda_has_tag<I, forward_iterator_tag> &&
    incrementable<I> && sentinel_for<I, I>;
template <class I>
__PYCUDA_CONCEPT bidirectional_iterator =
    forward_iterator<I> && __pycuda_has_tag<I, bidirectional_iterator_tag> &&
    __pycuda_gives_type<add_lvalue_reference_t<I>,
                        __pycuda_op_down_before, I> &&
    __pycuda_gives_type<I, __pycuda_op_down_after, I>;
template <class I> struct __pycuda_jumps {
    using D = iter_difference_t<I>;
    static constexpr bool value =
        __pycuda_gives_type<I &, __pycuda_op_add, I, D> &&
        __pycuda_gives_type<I, __pycuda_op_plus, I, D> &&
        __pycuda_gives_type<I, __pycuda_op_plus, D, I> &&
        __pycuda_gives_type<I &, __pycuda_op_take, I, D> &&
        __pycuda_gives_type<I, __pycuda_op_minus, I, D> &&
        __pycuda_gives_type<iter_reference_t<I>, __pycuda_op_index, I, D>;
};
template <class I>
__PYCUDA_CONCEPT random_access_iterator =
    bidirectional_iterator<I> &&
    __pycuda_has_tag<I, random_access_iterator_tag> && totally_ordered<I> &&
    sized_sentinel_for<I, I> &&
    __pycuda_then<bidirectional_iterator<I>, __pycuda_jumps, I>;
template <class I>
using __pycuda_op_address = decltype(to_address(declval<const I &>()));
template <class I>
struct __pycuda_adjoins
    : bool_constant<
          is_lvalue_reference<iter_reference_t<I>>::value &&
          is_same<iter_value_t<I>, remove_cvref_t<iter_reference_t<I>>>::value &&
          __pycuda_gives_type<add_pointer_t<iter_reference_t<I>>,
                              __pycuda_op_address, I>> {
};
template <class I>
__PYCUDA_CONCEPT contiguous_iterator =
    random_access_iterator<I> &&
    __pycuda_has_tag<I, contiguous_iterator_tag> &&
    __pycuda_then<random_access_iterator<I>, __pycuda_adjoins, I>;

/* ---- calls with the elements of iterators as arguments ---- */
template <class F, class... I>
using indirect_result_t = invoke_result_t<F, iter_reference_t<I>...>;
template <class F, class I> struct __pycuda_calls {
    using V = iter_value_t<I> &;
    using R = iter_reference_t<I>;
    using C = iter_common_reference_t<I>;
    static constexpr bool value = invocable<F &, V> && invocable<F &, R> &&
                                  invocable<F &, C>;
};
template <class F, class I>
struct __pycuda_calls_agree
    : bool_constant<common_reference_with<
          invoke_result_t<F &, iter_value_t<I> &>,
          invoke_result_t<F &, iter_reference_t<I>>>> {
};
template <class F, class I>
__PYCUDA_CONCEPT indirectly_unary_invocable =
    indirectly_readable<I> && copy_constructible<F> &&
    __pycuda_then<indirectly_readable<I>, __pycuda_calls, F, I> &&
    __pycuda_then<__pycuda_then<indirectly_readable<I>, __pycuda_calls, F, I>,
                  __pycuda_calls_agree, F, I>;
template <class F, class I>
__PYCUDA_CONCEPT indirectly_regular_unary_invocable =
    indirectly_unary_invocable<F, I>;
template <class F, class I>
struct __pycuda_predicate_of
    : bool_constant<predicate<F &, iter_value_t<I> &> &&
                    predicate<F &, iter_reference_t<I>> &&
                    predicate<F &, iter_common_reference_t<I>>> {
};
template <class F, class I>
__PYCUDA_CONCEPT indirect_unary_predicate =
    indirectly_readable<I> && copy_constructible<F> &&
    __pycuda_then<indirectly_readable<I>, __pycuda_predicate_of, F, I>;
#define __PYCUDA_INDIRECT(NAME, CONCEPT)                                      \
    template <class F, class I, class J>                                      \
    struct __pycuda_##NAME                                                    \
        : bool_constant<                                                      \
              CONCEPT<F &, iter_value_t<I> &, iter_value_t<J> &> &&           \
              CONCEPT<F &, iter_value_t<I> &, iter_reference_t<J>> &&         \
              CONCEPT<F &, iter_reference_t<I>, iter_value_t<J> &> &&         \
              CONCEPT<F &, iter_reference_t<I>, iter_reference_t<J>> &&       \
              CONCEPT<F &, iter_common_reference_t<I>,                        \
                      iter_common_reference_t<J>>> {                          \
    };                                                                        \
    template <class F, class I, class J = I>                                  \
    __PYCUDA_CONCEPT NAME =                                                   \
        indirectly_readable<I> && indirectly_readable<J> &&                   \
        copy_constructible<F> &&                                              \
        __pycuda_then<indirectly_readable<I> && indirectly_readable<J>,       \
                      __pycuda_##NAME, F, I, J>;
__PYCUDA_INDIRECT(indirect_binary_predicate, predicate)
__PYCUDA_INDIRECT(indirect_equivalence_relation, equivalence_relation)
__PYCUDA_INDIRECT(indirect_strict_weak_order, strict_weak_order)
#undef __PYCUDA_INDIRECT

/* ---- moves, copies and swaps of the elements of iterators ---- */
template <class I, class O>
struct __pycuda_move_to
    : bool_constant<indirectly_writable<O, iter_rvalue_reference_t<I>>> {
};
template <class I, class O>
__PYCUDA_CONCEPT indirectly_movable =
    indirectly_readable<I> &&
    __pycuda_then<indirectly_readable<I>, __pycuda_move_to, I, O>;
template <class I, class O>
struct __pycuda_move_through
    : bool_constant<
          indirectly_writable<O, iter_value_t<I>> &&
          movable<iter_value_t<I>> &&
          constructible_from<iter_value_t<I>, iter_rvalue_reference_t<I>> &&
          assignable_from<iter_value_t<I> &, iter_rvalue_reference_t<I>>> {
};
template <class I, class O>
__PYCUDA_CONCEPT indirectly_movable_storable =
    indirectly_movable<I, O> &&
    __pycuda_then<indirectly_movable<I, O>, __pycuda_move_through, I, O>;
template <class I, class O>
struct __pycuda_copy_to
    : bool_constant<indirectly_writable<O, iter_reference_t<I>>> {
};
template <class I, class O>
__PYCUDA_CONCEPT indirectly_copyable =
    indirectly_readable<I> &&
    __pycuda_then<indirectly_readable<I>, __pycuda_copy_to, I, O>;
template <class I, class O>
struct __pycuda_copy_through
    : bool_constant<
          indirectly_writable<O, iter_value_t<I> &> &&
          indirectly_writable<O, const iter_value_t<I> &> &&
          indirectly_writable<O, iter_value_t<I> &&> &&
          indirectly_writable<O, const iter_value_t<I> &&> &&
          copyable<iter_value_t<I>> &&
          constructible_from<iter_value_t<I>, iter_reference_t<I>> &&
          assignable_from<iter_value_t<I> &, iter_reference_t<I>>> {
};
template <class I, class O>
__PYCUDA_CONCEPT indirectly_copyable_storable =
    indirectly_copyable<I, O> &&
    __pycuda_then<indirectly_copyable<I, O>, __pycuda_copy_through, I, O>;

/* ranges::iter_swap: calls the iter_swap of the iterators' namespace, or swaps
 * the elements. */
namespace __pycuda_iter_swap_lookup
{
template <class I, class J> __host__ __device__ void iter_swap(I, J) = delete;
template <class I, class J>
using op = decltype(iter_swap(declval<I>(), declval<J>()));
struct function {
    template <class I, class J, enable_if_t<__pycuda_valid<op, I, J>, int> = 0>
    __PYCUDA_STD void
    operator()(I &&a, J &&b) const
    {
        iter_swap(static_cast<I &&>(a), static_cast<J &&>(b));
    }
    template <class I, class J,
              enable_if_t<!__pycuda_valid<op, I, J> &&
                              swappable_with<iter_reference_t<I>,
                                             iter_reference_t<J>>,
                          int> = 0>
    __PYCUDA_STD void
    operator()(I &&a, J &&b) const
    {
        ranges::swap(*a, *b);
    }
    template <class I, class J,
              enable_if_t<!__pycuda_valid<op, I, J> &&
                              !swappable_with<iter_reference_t<I>,
                                              iter_reference_t<J>> &&
                              indirectly_movable_storable<I, J> &&
                              indirectly_movable_storable<J, I>,
                          int> = 0>
    __PYCUDA_STD void
    operator()(I &&a, J &&b) const
    {
        iter_value_t<I> old(ranges::iter_move(a));
        *a = ranges::iter_move(b);
        *b = static_cast<iter_value_t<I> &&>(old);
    }
};
}
namespace ranges
{
inline namespace __pycuda_objects
{
inline constexpr __pycuda_iter_swap_lookup::function iter_swap{};
}
}
template <class I, class J>
using __pycuda_op_iter_swap =
    decltype(ranges::iter_swap(declval<I>(), declval<J>()));
template <class I, class J = I>
__PYCUDA_CONCEPT indirectly_swappable =
    indirectly_readable<I> && indirectly_readable<J> &&
    __pycuda_valid<__pycuda_op_iter_swap, const I &, const I &> &&
    __pycuda_valid<__pycuda_op_iter_swap, const J &, const J &> &&
    __pycuda_valid<__pycuda_op_iter_swap, const I &, const J &> &&
    __pycuda_valid<__pycuda_op_iter_swap, const J &, const I &>;

/* The iterator type whose elements are the results of a projection, for
 * concepts such as sortable. */
template <class I, bool = weakly_incrementable<I>>
struct __pycuda_projected_difference {
};
template <class I> struct __pycuda_projected_difference<I, true> {
    using difference_type = iter_difference_t<I>;
};
template <class I, class Projection, bool> struct __pycuda_projected {
};
template <class I, class Projection>
struct __pycuda_projected<I, Projection, true>
    : __pycuda_projected_difference<I> {
    using value_type = remove_cvref_t<indirect_result_t<Projection &, I>>;
    __host__ __device__ indirect_result_t<Projection &, I> operator*() const;
};
template <class I, class Projection>
struct projected
    : __pycuda_projected<I, Projection,
                         indirectly_regular_unary_invocable<Projection, I>> {
};
template <class I, class J, class R, class P = identity, class Q = identity>
__PYCUDA_CONCEPT indirectly_comparable =
    indirect_binary_predicate<R, projected<I, P>, projected<J, Q>>;
template <class I>
__PYCUDA_CONCEPT permutable =
    forward_iterator<I> && indirectly_movable_storable<I, I> &&
    indirectly_swappable<I, I>;
template <class I, class J, class O, class R = ranges::less,
          class P = identity, class Q = identity>
__PYCUDA_CONCEPT mergeable =
    input_iterator<I> && input_iterator<J> && weakly_incrementable<O> &&
    indirectly_copyable<I, O> && indirectly_copyable<J, O> &&
    indirect_strict_weak_order<R, projected<I, P>, projected<J, Q>>;
template <class I, class R = ranges::less, class P = identity>
__PYCUDA_CONCEPT sortable =
    permutable<I> && indirect_strict_weak_order<R, projected<I, P>>;
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
