/* update.h - an atomic that is updated with the result of a group.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include "../cooperative_groups.h"
#include "../cuda/atomic"

namespace cooperative_groups
{

/* Sets an atomic to `operation(old, value)` and returns the old value. */
template <template <class, cuda::thread_scope> class Atomic, class T,
          cuda::thread_scope Scope, class Operation>
__device__ inline T
__pycuda_update(const Atomic<T, Scope> &target, T value, Operation operation)
{
    T old = target.load();
    while (!target.compare_exchange_weak(old, operation(old, value))) {
    }
    return old;
}

} // namespace cooperative_groups
}
