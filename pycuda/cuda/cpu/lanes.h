/* lanes.h - vectors of 64 bytes, for kernels whose threads run sequentially.
 *
 * Used by the package's own kernels where the compiler does not vectorise the
 * code automatically, such as sorts. `__pycuda_has_lanes()` is a constant that
 * pycuda-jit substitutes (src/jit/retarget/lanes.c). Where it is false,
 * everything here still works, but element by element.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C" __device__ int __pycuda_has_lanes(void) __PYCUDA_CONST;

/* Vectors of unsigned integers of the given size in bytes. All functions are
 * templates; qualifiers.h gives the reason. */
template <int BYTES, class = void> struct __pycuda_lanes;

/* Types of the vectors and of their masks, and LLVM's intrinsics for them by
 * name. */
#define __PYCUDA_LANES(BYTES, T, COUNT, BITS)                                 \
    typedef T __pycuda_vector##BYTES __attribute__((ext_vector_type(COUNT))); \
    typedef bool __pycuda_mask##BYTES                                         \
        __attribute__((ext_vector_type(COUNT)));                              \
    extern "C" {                                                              \
    __device__ __pycuda_vector##BYTES __pycuda_compress##BYTES(               \
        __pycuda_vector##BYTES, __pycuda_mask##BYTES,                         \
        __pycuda_vector##BYTES) __asm("llvm.experimental.vector.compress."    \
                                      "v" #COUNT "i" #BITS);                  \
    __device__ __pycuda_vector##BYTES __pycuda_load##BYTES(                   \
        const T *, int, __pycuda_mask##BYTES,                                 \
        __pycuda_vector##BYTES) __asm("llvm.masked.load.v" #COUNT "i" #BITS   \
                                      ".p0");                                 \
    __device__ void __pycuda_store##BYTES(                                    \
        __pycuda_vector##BYTES, T *, int,                                     \
        __pycuda_mask##BYTES) __asm("llvm.masked.store.v" #COUNT "i" #BITS    \
                                    ".p0");                                   \
    }                                                                         \
    template <class NONE> struct __pycuda_lanes<BYTES, NONE> {                \
        typedef __pycuda_vector##BYTES vector;                                \
        typedef __pycuda_mask##BYTES mask;                                    \
        /* Moves selected lanes to the front. */                              \
        static __device__ __forceinline__ vector                              \
        compress(vector v, mask m)                                            \
        {                                                                     \
            return __pycuda_compress##BYTES(v, m, (vector)(T)0);              \
        }                                                                     \
        static __device__ __forceinline__ int                                 \
        count(mask m)                                                         \
        {                                                                     \
            return __builtin_popcount(                                        \
                __builtin_bit_cast(__pycuda_bits##BYTES, m));                 \
        }                                                                     \
        static __device__ __forceinline__ vector                              \
        load(const T *from, mask m, vector others)                            \
        {                                                                     \
            return __pycuda_load##BYTES(from, BYTES, m, others);              \
        }                                                                     \
        static __device__ __forceinline__ void                                \
        store(T *to, vector v, mask m)                                        \
        {                                                                     \
            __pycuda_store##BYTES(v, to, BYTES, m);                           \
        }                                                                     \
        /* Moves the value of lane i ^ X to lane i. */                        \
        template <int X>                                                      \
        static __device__ __forceinline__ vector                              \
        exchange(vector v)                                                    \
        {                                                                     \
            return __builtin_shufflevector(                                   \
                v, v, __PYCUDA_EACH##BYTES(__PYCUDA_XOR));                    \
        }                                                                     \
        /* Lane i of the result is from w if i & BIT, otherwise from v. */    \
        template <int BIT>                                                    \
        static __device__ __forceinline__ vector                              \
        join(vector v, vector w)                                              \
        {                                                                     \
            enum { LANES = COUNT };                                           \
            return __builtin_shufflevector(                                   \
                v, w, __PYCUDA_EACH##BYTES(__PYCUDA_CHOOSE));                 \
        }                                                                     \
        static __device__ __forceinline__ vector                              \
        numbers()                                                             \
        {                                                                     \
            return vector{__PYCUDA_EACH##BYTES()};                            \
        }                                                                     \
    };
typedef unsigned short __pycuda_bits4;
typedef unsigned char __pycuda_bits8;
#define __PYCUDA_XOR(i)    (i) ^ X
#define __PYCUDA_CHOOSE(i) (i) & BIT ? (i) + LANES : (i)
#define __PYCUDA_EACH8(OF)                                                    \
    OF(0), OF(1), OF(2), OF(3), OF(4), OF(5), OF(6), OF(7)
#define __PYCUDA_EACH4(OF)                                                    \
    __PYCUDA_EACH8(OF), OF(8), OF(9), OF(10), OF(11), OF(12), OF(13), OF(14), \
        OF(15)
__PYCUDA_LANES(4, unsigned int, 16, 32)
__PYCUDA_LANES(8, unsigned long long, 8, 64)
#undef __PYCUDA_LANES
#undef __PYCUDA_XOR
#undef __PYCUDA_CHOOSE
#undef __PYCUDA_EACH4
#undef __PYCUDA_EACH8
