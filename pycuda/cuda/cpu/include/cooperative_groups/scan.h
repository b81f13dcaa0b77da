/* scan.h - prefix scans over groups within a warp, and over larger tiles.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include "operations.h"
#include "update.h"

namespace cooperative_groups
{

/* Scans over tiles larger than a warp. */
template <unsigned int Size, class Parent, class T, class Operation>
__device__ inline typename __pycuda_if<(Size > 32), T>::type
inclusive_scan(const thread_block_tile<Size, Parent> &tile, T value,
               Operation operation)
{
    __PYCUDA_CHECK_OPERATION(scans);
    return tile.__fold(value, operation, 0, tile.thread_rank() + 1);
}
template <unsigned int Size, class Parent, class T, class Operation>
__device__ inline typename __pycuda_if<(Size > 32), T>::type
exclusive_scan(const thread_block_tile<Size, Parent> &tile, T value,
               Operation operation)
{
    __PYCUDA_CHECK_OPERATION(scans);
    T sum = tile.__fold(value, operation, 0, tile.thread_rank());
    return tile.thread_rank() ? sum : T();
}
template <class Group, class T, class Operation>
__device__ inline T
inclusive_scan(const Group &group, T value, Operation operation)
{
    __PYCUDA_CHECK_OPERATION(scans);
    unsigned int rank = group.thread_rank(), size = group.size();
    for (unsigned int step = 1; step < size; step *= 2) {
        T other = group.shfl_up(value, step);
        if (rank >= step) {
            value = operation(other, value);
        }
    }
    return value;
}
template <class Group, class T>
__device__ inline T
inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
/* For integers, the exclusive sum is the inclusive sum minus the last term,
 * even if lanes are absent. */
template <class T, class Operation>
constexpr bool __pycuda_subtracts = (__is_same(Operation, plus<T>) ||
                                     __is_same(Operation, plus<void>)) &&
                                    __is_integral(T);

/* In an exclusive scan, the result of the group's first thread is T(). */
template <class Group, class T, class Operation>
__device__ inline T
exclusive_scan(const Group &group, T value, Operation operation)
{
    T all = inclusive_scan(group, value, operation);
    if constexpr (__pycuda_subtracts<T, Operation>) {
        return all - value;
    } else {
        T before = group.shfl_up(all, 1);
        return group.thread_rank() == 0 ? T() : before;
    }
}
template <class Group, class T>
__device__ inline T
exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

/* ---- scans that start from the value of an atomic, and add to it ---- */

/* Returns the previous value of the atomic to all threads of the group. */
template <class Group, template <class, cuda::thread_scope> class Atomic,
          class T, cuda::thread_scope Scope, class Operation>
__device__ inline T
__pycuda_begin_scan(const Group &group, const Atomic<T, Scope> &target,
                    T inclusive, Operation operation)
{
    T old = T();
    if (group.thread_rank() == group.size() - 1) {
        old = __pycuda_update(target, inclusive, operation);
    }
    return group.shfl(old, group.size() - 1);
}
template <class Group, template <class, cuda::thread_scope> class Atomic,
          class T, cuda::thread_scope Scope, class Value,
          class Operation = plus<T>>
__device__ inline T
inclusive_scan_update(const Group &group, const Atomic<T, Scope> &target,
                      Value value, Operation operation = Operation())
{
    T sum = inclusive_scan(group, (T)value, operation);
    return operation(__pycuda_begin_scan(group, target, sum, operation), sum);
}
template <class Group, template <class, cuda::thread_scope> class Atomic,
          class T, cuda::thread_scope Scope, class Value,
          class Operation = plus<T>>
__device__ inline T
exclusive_scan_update(const Group &group, const Atomic<T, Scope> &target,
                      Value value, Operation operation = Operation())
{
    T sum = inclusive_scan(group, (T)value, operation);
    T old = __pycuda_begin_scan(group, target, sum, operation);
    T before =
        group.shfl(sum, group.thread_rank() ? group.thread_rank() - 1 : 0);
    return group.thread_rank() ? operation(old, before) : old;
}
} // namespace cooperative_groups
}
