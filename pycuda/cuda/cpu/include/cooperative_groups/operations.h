/* operations.h - plus, less and the other operations of reductions and scans.
 *
 * A separate header, because a program may include any header of this folder
 * without the others.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace cooperative_groups
{

#define __PYCUDA_OPERATION(NAME, EXPRESSION)                                  \
    template <class T> struct NAME {                                          \
        __device__ T                                                          \
        operator()(const T &a, const T &b) const                              \
        {                                                                     \
            return EXPRESSION;                                                \
        }                                                                     \
    };                                                                        \
    template <> struct NAME<void> {                                           \
        template <class T>                                                    \
        __device__ T                                                          \
        operator()(const T &a, const T &b) const                              \
        {                                                                     \
            return EXPRESSION;                                                \
        }                                                                     \
    };
__PYCUDA_OPERATION(plus, a + b)
__PYCUDA_OPERATION(less, b < a ? b : a)
__PYCUDA_OPERATION(greater, a < b ? b : a)
__PYCUDA_OPERATION(bit_and, a &b)
__PYCUDA_OPERATION(bit_or, a | b)
__PYCUDA_OPERATION(bit_xor, a ^ b)
#undef __PYCUDA_OPERATION

/* True for operations that accept values of type T. Specialised for plus, less
 * and the other operations. */
template <class T, class Operation> constexpr bool __pycuda_operates = true;
template <class T, template <class> class Operation, class U>
constexpr bool __pycuda_operates<T, Operation<U>> = __is_same(T,
                                                              __remove_cv(U));
/* Scans accept plus<void> and similar types; reductions do not, as with NVRTC.
 */
template <class T, class Operation>
constexpr bool __pycuda_scans = __pycuda_operates<T, Operation>;
template <class T, template <class> class Operation>
constexpr bool __pycuda_scans<T, Operation<void>> = true;

template <class T, class Operation>
__device__ constexpr void
__pycuda_check_result(const T &a, Operation &operation)
{
    static_assert(__is_same(__remove_cvref(decltype(operation(a, a))), T),
                  "the operation's result has another type than the value");
}
#define __PYCUDA_CHECK_OPERATION(KIND)                                        \
    static_assert(__pycuda_##KIND<T, Operation>,                              \
                  "the operation is for another type than the value's");      \
    __pycuda_check_result(value, operation)

} // namespace cooperative_groups
}
