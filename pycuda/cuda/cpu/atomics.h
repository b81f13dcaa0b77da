/* atomics.h - atomicAdd and the other atomic functions.
 *
 * All use relaxed memory order, as CUDA's do. The _block and _system forms are
 * identical to the plain ones: the CPU device has one coherent memory.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_ATOMIC(NAME, T, OPERATION)                                   \
    __pycuda_fn T NAME(T *address, T value)                                   \
    {                                                                         \
        return OPERATION(address, value, __ATOMIC_RELAXED);                   \
    }                                                                         \
    __pycuda_fn T NAME##_block(T *address, T value)                           \
    {                                                                         \
        return OPERATION(address, value, __ATOMIC_RELAXED);                   \
    }                                                                         \
    __pycuda_fn T NAME##_system(T *address, T value)                          \
    {                                                                         \
        return OPERATION(address, value, __ATOMIC_RELAXED);                   \
    }

#define __PYCUDA_ATOMIC_BITS(T)                                               \
    __PYCUDA_ATOMIC(atomicMin, T, __atomic_fetch_min)                         \
    __PYCUDA_ATOMIC(atomicMax, T, __atomic_fetch_max)                         \
    __PYCUDA_ATOMIC(atomicAnd, T, __atomic_fetch_and)                         \
    __PYCUDA_ATOMIC(atomicOr, T, __atomic_fetch_or)                           \
    __PYCUDA_ATOMIC(atomicXor, T, __atomic_fetch_xor)
__PYCUDA_ATOMIC_BITS(int)
__PYCUDA_ATOMIC_BITS(unsigned int)
__PYCUDA_ATOMIC_BITS(long long)
__PYCUDA_ATOMIC_BITS(unsigned long long)
#undef __PYCUDA_ATOMIC_BITS

__PYCUDA_ATOMIC(atomicAdd, int, __atomic_fetch_add)
__PYCUDA_ATOMIC(atomicAdd, unsigned int, __atomic_fetch_add)
__PYCUDA_ATOMIC(atomicAdd, unsigned long long, __atomic_fetch_add)
__PYCUDA_ATOMIC(atomicAdd, float, __atomic_fetch_add)
__PYCUDA_ATOMIC(atomicAdd, double, __atomic_fetch_add)
__PYCUDA_ATOMIC(atomicSub, int, __atomic_fetch_sub)
__PYCUDA_ATOMIC(atomicSub, unsigned int, __atomic_fetch_sub)
__PYCUDA_ATOMIC(atomicExch, int, __atomic_exchange_n)
__PYCUDA_ATOMIC(atomicExch, unsigned int, __atomic_exchange_n)
__PYCUDA_ATOMIC(atomicExch, unsigned long long, __atomic_exchange_n)

__pycuda_fn float
__pycuda_exchange_float(float *address, float value, int)
{
    return __builtin_bit_cast(
        float, __atomic_exchange_n((unsigned int *)address,
                                   __builtin_bit_cast(unsigned int, value),
                                   __ATOMIC_RELAXED));
}
__PYCUDA_ATOMIC(atomicExch, float, __pycuda_exchange_float)

/* Counters that wrap at `limit`: ((old >= limit) ? 0 : old + 1), and
 * ((old == 0 || old > limit) ? limit : old - 1). */
__pycuda_fn unsigned int
__pycuda_wrap_up(unsigned int *address, unsigned int limit, int order)
{
    unsigned int old = __atomic_load_n(address, order);
    while (!__atomic_compare_exchange_n(address, &old,
                                        old >= limit ? 0u : old + 1, false,
                                        order, order)) {
    }
    return old;
}
__pycuda_fn unsigned int
__pycuda_wrap_down(unsigned int *address, unsigned int limit, int order)
{
    unsigned int old = __atomic_load_n(address, order);
    while (!__atomic_compare_exchange_n(
        address, &old, old == 0 || old > limit ? limit : old - 1, false,
        order, order)) {
    }
    return old;
}
__PYCUDA_ATOMIC(atomicInc, unsigned int, __pycuda_wrap_up)
__PYCUDA_ATOMIC(atomicDec, unsigned int, __pycuda_wrap_down)
#undef __PYCUDA_ATOMIC

#define __PYCUDA_CAS(NAME, T)                                                 \
    __pycuda_fn T NAME(T *address, T expected, T value)                       \
    {                                                                         \
        __atomic_compare_exchange_n(address, &expected, value, false,         \
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);      \
        return expected;                                                      \
    }
#define __PYCUDA_CAS_ALL(T)                                                   \
    __PYCUDA_CAS(atomicCAS, T)                                                \
    __PYCUDA_CAS(atomicCAS_block, T)                                          \
    __PYCUDA_CAS(atomicCAS_system, T)
__PYCUDA_CAS_ALL(int)
__PYCUDA_CAS_ALL(unsigned int)
__PYCUDA_CAS_ALL(unsigned long long)
__PYCUDA_CAS(atomicCAS, unsigned short)
#undef __PYCUDA_CAS_ALL
#undef __PYCUDA_CAS
