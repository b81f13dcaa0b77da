/* reduce.h - reductions over groups within a warp.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define __PYCUDA_OPERATION(NAME, EXPRESSION)                                  \
    template <class T = void> struct NAME {                                   \
        __device__ T operator()(const T &a, const T &b) const                 \
        {                                                                     \
            return EXPRESSION;                                                \
        }                                                                     \
    };                                                                        \
    template <> struct NAME<void> {                                           \
        template <class T>                                                    \
        __device__ T operator()(const T &a, const T &b) const                 \
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

/* Every thread gets the result, taken in the order of ranks by halves. */
template <class Group, class T, class Operation>
__device__ inline T
reduce(const Group &group, T value, Operation operation)
{
    unsigned int rank = group.thread_rank(), size = group.size();
    for (unsigned int step = 1; step < size; step *= 2) {
        T other = group.shfl_down(value, step);
        if (rank % (2 * step) == 0 && rank + step < size) {
            value = operation(value, other);
        }
    }
    return group.shfl(value, 0);
}
template <class Group, class T, class Operation>
__device__ inline void
reduce_update(const Group &group, T &target, T value, Operation operation)
{
    value = reduce(group, value, operation);
    if (group.thread_rank() == 0) {
        target = operation(target, value);
    }
}
}
}
