/* synchronise.h - block barriers, fences, clocks, thread exit.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* __syncthreads is a clang builtin for this target: it can neither be declared
 * nor used unchanged, so the macro replaces it. */
#define __syncthreads() ((void)__pycuda_barrier(__PYCUDA_BARRIER_PLAIN, 0))
#define __syncthreads_count(predicate)                                        \
    __pycuda_barrier(__PYCUDA_BARRIER_COUNT, (predicate) != 0)
#define __syncthreads_and(predicate)                                          \
    __pycuda_barrier(__PYCUDA_BARRIER_AND, (predicate) != 0)
#define __syncthreads_or(predicate)                                           \
    __pycuda_barrier(__PYCUDA_BARRIER_OR, (predicate) != 0)

/* Numbered barriers; number 0 is the barrier of __syncthreads. */
__pycuda_fn void
__barrier_sync(unsigned int id)
{
    if (id == 0) {
        __syncthreads();
    } else {
        __pycuda_barrier_named(id, 0);
    }
}
__pycuda_fn void
__barrier_sync_count(unsigned int id, unsigned int count)
{
    __pycuda_barrier_named(id, count);
}

__pycuda_fn void
__threadfence_block()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
__pycuda_fn void
__threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
__pycuda_fn void
__threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

__pycuda_fn void
__nanosleep(unsigned int nanoseconds)
{
    __pycuda_nanosleep(nanoseconds);
}
__pycuda_fn clock_t
clock()
{
    return (clock_t)__pycuda_clock64();
}
__pycuda_fn long long
clock64()
{
    return (long long)__pycuda_clock64();
}

__pycuda_fn void
__trap()
{
    __pycuda_trap();
}
__pycuda_fn void
__brkpt()
{
}
/* Profiler triggers have no effect, as there is no profiler. */
__pycuda_fn void
__prof_trigger(int)
{
}
__pycuda_fn void
__exit()
{
    __pycuda_exit();
}
