/* operations.h - plus, less and the others that reductions and scans take.
 *
 * A header of its own: each of the headers of this folder may come first.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace cooperative_groups
{

#define __PYCUDA_OPERATION(NAME, EXPRESSION)                                  \
    template <class T = void> struct NAME {                                   \
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

}
}
