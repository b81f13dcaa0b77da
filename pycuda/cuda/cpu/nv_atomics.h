/* nv_atomics.h - __nv_atomic_load, _store, _exchange, _fetch_add and so on.
 *
 * Only the compiler checks the scope: the CPU device has one coherent memory.
 * Objects of 16 bytes use __pycuda_exchange_16, which
 * src/jit/retarget/intrinsics.c turns into one instruction.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#pragma clang system_header

enum {
    __NV_ATOMIC_RELAXED = __ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME = __ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE = __ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE = __ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL = __ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST = __ATOMIC_SEQ_CST,
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM,
};

extern "C" {
/* Stores *desired in *at if *at equals *expected (16 bytes each). Stores the
 * previous value of *at in *found. */
__device__ void __pycuda_exchange_16(void *at, const void *expected,
                                     const void *desired, void *found);
}

/* Template constraint: accepts objects of `least` to `most` bytes. */
template <class T, int least, int most, class Result = void>
using __pycuda_if_sized =
    typename __pycuda_if<(sizeof(T) >= least && sizeof(T) <= most &&
                          (sizeof(T) & (sizeof(T) - 1)) == 0),
                         Result>::type;
template <class T, int least, class Result = void>
using __pycuda_if_whole =
    typename __pycuda_if<__is_integral(T) && (sizeof(T) >= least),
                         Result>::type;

/* Compares the bytes, as the hardware instruction does. */
template <class T>
__pycuda_template_fn bool
__pycuda_cas_16(T *at, T *expected, const T *desired)
{
    T found;
    __pycuda_exchange_16((void *)at, expected, desired, &found);
    if (__builtin_bit_cast(unsigned __int128, found) ==
        __builtin_bit_cast(unsigned __int128, *expected)) {
        return true;
    }
    *expected = found;
    return false;
}
template <class T>
__pycuda_template_fn T
__pycuda_load_16(T *at)
{
    T value = {};
    __pycuda_exchange_16((void *)at, &value, &value, &value);
    return value;
}
template <class T>
__pycuda_template_fn T
__pycuda_swap_16(T *at, const T *value)
{
    T old = __pycuda_load_16(at);
    while (!__pycuda_cas_16(at, &old, value)) {
    }
    return old;
}

/* Follows NVRTC: the memory order is a constant and must be valid for the
 * operation. */
#define __PYCUDA_CONSTANT_ORDER                                               \
    __attribute__((diagnose_if(                                               \
        !__builtin_constant_p(order),                                         \
        "an atomic operation's memory order has to be a constant", "error")))
#define __PYCUDA_LOAD_ORDER                                                   \
    __PYCUDA_CONSTANT_ORDER __attribute__((diagnose_if(                       \
        order == __NV_ATOMIC_RELEASE || order == __NV_ATOMIC_ACQ_REL,         \
        "a load's memory order cannot be release or acq_rel", "error")))
#define __PYCUDA_STORE_ORDER                                                  \
    __PYCUDA_CONSTANT_ORDER __attribute__((                                   \
        diagnose_if(order == __NV_ATOMIC_CONSUME ||                           \
                        order == __NV_ATOMIC_ACQUIRE ||                       \
                        order == __NV_ATOMIC_ACQ_REL,                         \
                    "a store's memory order cannot be consume, acquire or "   \
                    "acq_rel",                                                \
                    "error")))

template <class T>
__pycuda_template_fn __pycuda_if_sized<T, 1, 16>
__nv_atomic_load(T *at, T *result, int order,
                 int = __NV_THREAD_SCOPE_SYSTEM)
    __PYCUDA_LOAD_ORDER
{
    if constexpr (sizeof(T) == 16) {
        *result = __pycuda_load_16(at);
    } else {
        __atomic_load(at, result, order);
    }
}
template <class T>
__pycuda_template_fn __pycuda_if_whole<T, 1, T>
__nv_atomic_load_n(T *at, int order, int = __NV_THREAD_SCOPE_SYSTEM)
    __PYCUDA_LOAD_ORDER
{
    if constexpr (sizeof(T) == 16) {
        return __pycuda_load_16(at);
    } else {
        return __atomic_load_n(at, order);
    }
}
template <class T>
__pycuda_template_fn __pycuda_if_sized<T, 1, 16>
__nv_atomic_store(T *at, T *value, int order, int = __NV_THREAD_SCOPE_SYSTEM)
    __PYCUDA_STORE_ORDER
{
    if constexpr (sizeof(T) == 16) {
        __pycuda_swap_16(at, value);
    } else {
        __atomic_store(at, value, order);
    }
}
template <class T>
__pycuda_template_fn __pycuda_if_whole<T, 1>
__nv_atomic_store_n(T *at, typename __pycuda_same<T>::type value, int order,
                    int = __NV_THREAD_SCOPE_SYSTEM)
    __PYCUDA_STORE_ORDER
{
    if constexpr (sizeof(T) == 16) {
        __pycuda_swap_16(at, &value);
    } else {
        __atomic_store_n(at, value, order);
    }
}
template <class T>
__pycuda_template_fn __pycuda_if_sized<T, 4, 16>
__nv_atomic_exchange(T *at, T *value, T *result, int order,
                     int = __NV_THREAD_SCOPE_SYSTEM)
    __PYCUDA_CONSTANT_ORDER
{
    if constexpr (sizeof(T) == 16) {
        *result = __pycuda_swap_16(at, value);
    } else {
        __atomic_exchange(at, value, result, order);
    }
}
template <class T>
__pycuda_template_fn __pycuda_if_whole<T, 4, T>
__nv_atomic_exchange_n(T *at, typename __pycuda_same<T>::type value, int order,
                       int = __NV_THREAD_SCOPE_SYSTEM)
    __PYCUDA_CONSTANT_ORDER
{
    if constexpr (sizeof(T) == 16) {
        return __pycuda_swap_16(at, &value);
    } else {
        return __atomic_exchange_n(at, value, order);
    }
}
template <class T>
__pycuda_template_fn __pycuda_if_sized<T, 2, 16, bool>
__nv_atomic_compare_exchange(T *at, T *expected, T *desired, bool, int order,
                             int, int = __NV_THREAD_SCOPE_SYSTEM)
{
    if constexpr (sizeof(T) == 16) {
        return __pycuda_cas_16(at, expected, desired);
    } else {
        return __atomic_compare_exchange(at, expected, desired, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}
template <class T>
__pycuda_template_fn __pycuda_if_whole<T, 2, bool>
__nv_atomic_compare_exchange_n(T *at, T *expected,
                               typename __pycuda_same<T>::type desired, bool,
                               int, int, int = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_compare_exchange(at, expected, &desired, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#define __PYCUDA_NV_FETCH(T, NAME)                                            \
    __pycuda_fn T __nv_atomic_fetch_##NAME(T *at, T value, int order,         \
                                           int = __NV_THREAD_SCOPE_SYSTEM)    \
        __PYCUDA_CONSTANT_ORDER                                               \
    {                                                                         \
        return __atomic_fetch_##NAME(at, value, order);                       \
    }                                                                         \
    __pycuda_fn void __nv_atomic_##NAME(T *at, T value, int order,            \
                                        int = __NV_THREAD_SCOPE_SYSTEM)       \
        __PYCUDA_CONSTANT_ORDER                                               \
    {                                                                         \
        __atomic_fetch_##NAME(at, value, order);                              \
    }
#define __PYCUDA_NV_SUMS(T)                                                   \
    __PYCUDA_NV_FETCH(T, add)                                                 \
    __PYCUDA_NV_FETCH(T, sub)
#define __PYCUDA_NV_FETCHES(T)                                                \
    __PYCUDA_NV_FETCH(T, and)                                                 \
    __PYCUDA_NV_FETCH(T, or)                                                  \
    __PYCUDA_NV_FETCH(T, xor)                                                 \
    __PYCUDA_NV_FETCH(T, max)                                                 \
    __PYCUDA_NV_FETCH(T, min)
__PYCUDA_NV_FETCHES(int)
__PYCUDA_NV_FETCHES(unsigned int)
__PYCUDA_NV_FETCHES(long)
__PYCUDA_NV_FETCHES(unsigned long)
__PYCUDA_NV_FETCHES(long long)
__PYCUDA_NV_FETCHES(unsigned long long)
/* NVRTC rejects additions of signed integers of 8 bytes. */
__PYCUDA_NV_SUMS(int)
__PYCUDA_NV_SUMS(unsigned int)
__PYCUDA_NV_SUMS(unsigned long)
__PYCUDA_NV_SUMS(unsigned long long)
__PYCUDA_NV_SUMS(float)
__PYCUDA_NV_SUMS(double)
#undef __PYCUDA_NV_FETCHES
#undef __PYCUDA_NV_SUMS
#undef __PYCUDA_NV_FETCH

__pycuda_fn void
__nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* atomicExch and atomicCAS for objects of 16 bytes. */
#define __PYCUDA_ATOMIC_16(ENDING)                                            \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_sized<T, 16, 16, T> atomicExch##ENDING(  \
        T *at, T value)                                                       \
    {                                                                         \
        return __pycuda_swap_16(at, &value);                                  \
    }                                                                         \
    template <class T>                                                        \
    __pycuda_template_fn __pycuda_if_sized<T, 16, 16, T> atomicCAS##ENDING(   \
        T *at, T expected, T value)                                           \
    {                                                                         \
        __pycuda_cas_16(at, &expected, &value);                               \
        return expected;                                                      \
    }
__PYCUDA_ATOMIC_16()
__PYCUDA_ATOMIC_16(_block)
__PYCUDA_ATOMIC_16(_system)
#undef __PYCUDA_ATOMIC_16

/* Vectors of floats are added element by element; each addition is one atomic
 * operation, but the vector as a whole is not atomic. */
#define __PYCUDA_ATOMIC_VECTOR(T, ENDING, MORE)                               \
    __pycuda_fn T atomicAdd##ENDING(T *at, T value)                           \
    {                                                                         \
        value.x = atomicAdd(&at->x, value.x);                                 \
        value.y = atomicAdd(&at->y, value.y);                                 \
        MORE;                                                                 \
        return value;                                                         \
    }
#define __PYCUDA_ATOMIC_VECTORS(ENDING)                                       \
    __PYCUDA_ATOMIC_VECTOR(float2, ENDING, )                                  \
    __PYCUDA_ATOMIC_VECTOR(float4, ENDING,                                    \
                           value.z = atomicAdd(&at->z, value.z);              \
                           value.w = atomicAdd(&at->w, value.w))
__PYCUDA_ATOMIC_VECTORS()
__PYCUDA_ATOMIC_VECTORS(_block)
__PYCUDA_ATOMIC_VECTORS(_system)
#undef __PYCUDA_ATOMIC_VECTORS
#undef __PYCUDA_ATOMIC_VECTOR
#undef __PYCUDA_CONSTANT_ORDER
#undef __PYCUDA_LOAD_ORDER
#undef __PYCUDA_STORE_ORDER
