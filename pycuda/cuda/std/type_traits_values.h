/* type_traits_values.h - the _v variable templates of type_traits.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#if __cplusplus >= 201402L
extern "C++" {
namespace std
{
#define __PYCUDA_VALUE(NAME)                                                  \
    template <class T> constexpr bool NAME##_v = NAME<T>::value;
__PYCUDA_VALUE(is_void)
__PYCUDA_VALUE(is_null_pointer)
__PYCUDA_VALUE(is_floating_point)
__PYCUDA_VALUE(is_integral)
__PYCUDA_VALUE(is_arithmetic)
__PYCUDA_VALUE(is_fundamental)
__PYCUDA_VALUE(is_compound)
__PYCUDA_VALUE(is_const)
__PYCUDA_VALUE(is_volatile)
__PYCUDA_VALUE(is_lvalue_reference)
__PYCUDA_VALUE(is_rvalue_reference)
__PYCUDA_VALUE(is_reference)
__PYCUDA_VALUE(is_array)
__PYCUDA_VALUE(is_pointer)
__PYCUDA_VALUE(is_member_pointer)
__PYCUDA_VALUE(is_function)
__PYCUDA_VALUE(is_enum)
__PYCUDA_VALUE(is_union)
__PYCUDA_VALUE(is_class)
__PYCUDA_VALUE(is_empty)
__PYCUDA_VALUE(is_final)
__PYCUDA_VALUE(is_abstract)
__PYCUDA_VALUE(is_polymorphic)
__PYCUDA_VALUE(is_trivial)
__PYCUDA_VALUE(is_trivially_copyable)
__PYCUDA_VALUE(is_standard_layout)
__PYCUDA_VALUE(is_aggregate)
__PYCUDA_VALUE(has_virtual_destructor)
__PYCUDA_VALUE(is_scalar)
__PYCUDA_VALUE(is_object)
__PYCUDA_VALUE(is_signed)
__PYCUDA_VALUE(is_unsigned)
__PYCUDA_VALUE(is_destructible)
__PYCUDA_VALUE(is_trivially_destructible)
__PYCUDA_VALUE(negation)
__PYCUDA_VALUE(is_default_constructible)
__PYCUDA_VALUE(is_copy_constructible)
__PYCUDA_VALUE(is_move_constructible)
__PYCUDA_VALUE(is_copy_assignable)
__PYCUDA_VALUE(is_move_assignable)
__PYCUDA_VALUE(is_nothrow_default_constructible)
__PYCUDA_VALUE(is_nothrow_copy_constructible)
__PYCUDA_VALUE(is_nothrow_move_constructible)
__PYCUDA_VALUE(is_nothrow_copy_assignable)
__PYCUDA_VALUE(is_nothrow_move_assignable)
__PYCUDA_VALUE(is_trivially_default_constructible)
__PYCUDA_VALUE(is_trivially_copy_constructible)
__PYCUDA_VALUE(is_trivially_move_constructible)
__PYCUDA_VALUE(is_trivially_copy_assignable)
__PYCUDA_VALUE(is_trivially_move_assignable)
__PYCUDA_VALUE(is_member_function_pointer)
__PYCUDA_VALUE(is_member_object_pointer)
__PYCUDA_VALUE(is_nothrow_destructible)
__PYCUDA_VALUE(is_pod)
__PYCUDA_VALUE(is_literal_type)
__PYCUDA_VALUE(is_swappable)
__PYCUDA_VALUE(is_nothrow_swappable)
__PYCUDA_VALUE(has_unique_object_representations)
#undef __PYCUDA_VALUE
#define __PYCUDA_VALUE(NAME)                                                  \
    template <class T, class S> constexpr bool NAME##_v = NAME<T, S>::value;
__PYCUDA_VALUE(is_same)
__PYCUDA_VALUE(is_base_of)
__PYCUDA_VALUE(is_convertible)
__PYCUDA_VALUE(is_assignable)
__PYCUDA_VALUE(is_nothrow_assignable)
__PYCUDA_VALUE(is_trivially_assignable)
__PYCUDA_VALUE(is_swappable_with)
__PYCUDA_VALUE(is_nothrow_swappable_with)
#undef __PYCUDA_VALUE
#define __PYCUDA_VALUE(NAME)                                                  \
    template <class T, class... A>                                            \
    constexpr bool NAME##_v = NAME<T, A...>::value;
__PYCUDA_VALUE(is_constructible)
__PYCUDA_VALUE(is_nothrow_constructible)
__PYCUDA_VALUE(is_trivially_constructible)
__PYCUDA_VALUE(is_invocable)
__PYCUDA_VALUE(is_nothrow_invocable)
__PYCUDA_VALUE(is_invocable_r)
__PYCUDA_VALUE(is_nothrow_invocable_r)
#undef __PYCUDA_VALUE
template <class... B> constexpr bool conjunction_v = conjunction<B...>::value;
template <class... B> constexpr bool disjunction_v = disjunction<B...>::value;
template <class T> constexpr size_t alignment_of_v = alignment_of<T>::value;
template <class T> constexpr size_t rank_v = rank<T>::value;
template <class T, unsigned I = 0>
constexpr size_t extent_v = extent<T, I>::value;
} // namespace std
}
#endif
