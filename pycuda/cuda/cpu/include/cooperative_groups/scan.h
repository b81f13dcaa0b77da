/* scan.h - prefix sums over groups within a warp.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include "operations.h"
#include "reduce.h"

namespace cooperative_groups
{

/* Tiles of more than a warp. */
template <unsigned int Size, class Parent, class T, class Operation>
__device__ inline typename __pycuda_if<(Size > 32), T>::type
inclusive_scan(const thread_block_tile<Size, Parent> &tile, T value,
               Operation operation)
{
    return tile.__fold(value, operation, 0, tile.thread_rank() + 1);
}
template <unsigned int Size, class Parent, class T, class Operation>
__device__ inline typename __pycuda_if<(Size > 32), T>::type
exclusive_scan(const thread_block_tile<Size, Parent> &tile, T value,
               Operation operation)
{
    T sum = tile.__fold(value, operation, 0, tile.thread_rank());
    return tile.thread_rank() ? sum : T();
}
template <class Group, class T, class Operation>
__device__ inline T
inclusive_scan(const Group &group, T value, Operation operation)
{
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
/* Of integers a sum less the last term is the sum before, whatever lanes are
 * absent. */
template <class T, class Operation>
constexpr bool __pycuda_subtracts = (__is_same(Operation, plus<T>) ||
                                     __is_same(Operation, plus<void>)) &&
                                    __is_integral(T);

/* The first thread gets T(). */
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
} // namespace cooperative_groups
}
