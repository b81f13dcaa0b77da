/* reduce.h - reductions over groups within a warp.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include "../cooperative_groups.h"
#include "operations.h"
#include "update.h"

namespace cooperative_groups
{

/* The reduction function of a whole warp for this type and operation; `found`
 * is false if there is none. */
template <class T, class Operation> struct __pycuda_reduction {
    static constexpr bool found = false;
    __device__ static T
    of(T value)
    {
        return value;
    }
};
#define __PYCUDA_REDUCTION(T, OPERATION, FUNCTION)                            \
    template <> struct __pycuda_reduction<T, OPERATION<T>> {                  \
        static constexpr bool found = true;                                   \
        __device__ static T                                                   \
        of(T value)                                                           \
        {                                                                     \
            return (T)FUNCTION(0xffffffffu, value);                           \
        }                                                                     \
    };
#define __PYCUDA_REDUCTIONS(T)                                                \
    __PYCUDA_REDUCTION(T, plus, __reduce_add_sync)                            \
    __PYCUDA_REDUCTION(T, less, __reduce_min_sync)                            \
    __PYCUDA_REDUCTION(T, greater, __reduce_max_sync)                         \
    __PYCUDA_REDUCTION(T, bit_and, __reduce_and_sync)                         \
    __PYCUDA_REDUCTION(T, bit_or, __reduce_or_sync)                           \
    __PYCUDA_REDUCTION(T, bit_xor, __reduce_xor_sync)
__PYCUDA_REDUCTIONS(int)
__PYCUDA_REDUCTIONS(unsigned int)
#undef __PYCUDA_REDUCTIONS
#undef __PYCUDA_REDUCTION

/* Returns the result of the tile's reduction to every thread of the tile.
 * Values are combined in the order of a GPU, on which the rounding of float
 * sums depends. Absent lanes contribute 0, as on a GPU. */
template <unsigned int Size, class T, class Operation>
__device__ inline T
__pycuda_reduce_tile(const __pycuda_tile<Size> &tile, T value,
                     Operation operation)
{
    if constexpr (Size == 32 && __pycuda_reduction<T, Operation>::found) {
        return __pycuda_reduction<T, Operation>::of(value);
    } else {
        for (unsigned int step = Size / 2; step; step /= 2) {
            value = operation(value, tile.shfl_xor(value, step));
        }
        return value;
    }
}
template <unsigned int Size, class Parent, class T, class Operation>
__device__ inline T
reduce(const thread_block_tile<Size, Parent> &tile, T value,
       Operation operation)
{
    __PYCUDA_CHECK_OPERATION(operates);
    if constexpr (Size > 32) {
        return tile.__fold(value, operation, 0, Size);
    } else {
        return __pycuda_reduce_tile<Size>(tile, value, operation);
    }
}
template <class T, class Operation>
__device__ inline T
reduce(const coalesced_group &group, T value, Operation operation)
{
    __PYCUDA_CHECK_OPERATION(operates);
    unsigned int rank = group.thread_rank(), size = group.size();
    if (size == 32) {
        return __pycuda_reduce_tile<32>(__pycuda_tile<32>(), value, operation);
    }
    for (unsigned int step = 1; step < size; step *= 2) {
        T other = group.shfl_up(value, step);
        if (rank >= step) {
            value = operation(value, other);
        }
    }
    return group.shfl(value, size - 1);
}
/* Stores the result of the group's reduction in `target` before the call
 * returns. */
template <class Group, class T, class Value, class Operation>
__device__ inline void
reduce_store_async(const Group &group, T *target, Value value,
                   Operation operation)
{
    T sum = reduce(group, (T)value, operation);
    if (group.thread_rank() == 0) {
        *target = sum;
    }
}
template <class Group, template <class, cuda::thread_scope> class Atomic,
          class T, cuda::thread_scope Scope, class Value, class Operation>
__device__ inline void
reduce_store_async(const Group &group, const Atomic<T, Scope> &target,
                   Value value, Operation operation)
{
    T sum = reduce(group, (T)value, operation);
    if (group.thread_rank() == 0) {
        target.store(sum);
    }
}
/* Combines the atomic `target` with the result of the group's reduction, by
 * the same operation. */
template <class Group, template <class, cuda::thread_scope> class Atomic,
          class T, cuda::thread_scope Scope, class Value, class Operation>
__device__ inline void
reduce_update_async(const Group &group, const Atomic<T, Scope> &target,
                    Value value, Operation operation)
{
    T sum = reduce(group, (T)value, operation);
    if (group.thread_rank() == 0) {
        __pycuda_update(target, sum, operation);
    }
}
} // namespace cooperative_groups
}
