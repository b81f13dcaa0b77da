/* geometry.h - threadIdx, blockIdx, blockDim, gridDim, warpSize.
 *
 * The objects have no storage: each member read is a call that pycuda-jit
 * replaces with a loop variable or a load.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_GEOMETRY(TYPE, READ)                                         \
    struct TYPE {                                                             \
        __declspec(property(get = __get_x)) unsigned int x;                   \
        __declspec(property(get = __get_y)) unsigned int y;                   \
        __declspec(property(get = __get_z)) unsigned int z;                   \
        __pycuda_template_fn unsigned int __get_x()                           \
        {                                                                     \
            return READ(0);                                                   \
        }                                                                     \
        __pycuda_template_fn unsigned int __get_y()                           \
        {                                                                     \
            return READ(1);                                                   \
        }                                                                     \
        __pycuda_template_fn unsigned int __get_z()                           \
        {                                                                     \
            return READ(2);                                                   \
        }                                                                     \
        __device__ __forceinline__ operator dim3() const                      \
        {                                                                     \
            return dim3(READ(0), READ(1), READ(2));                           \
        }                                                                     \
        __device__ __forceinline__ operator uint3() const                     \
        {                                                                     \
            return {READ(0), READ(1), READ(2)};                               \
        }                                                                     \
    };
__PYCUDA_GEOMETRY(__pycuda_thread_index, __pycuda_tid)
__PYCUDA_GEOMETRY(__pycuda_block_index, __pycuda_ctaid)
__PYCUDA_GEOMETRY(__pycuda_block_size, __pycuda_ntid)
__PYCUDA_GEOMETRY(__pycuda_grid_size, __pycuda_nctaid)
#undef __PYCUDA_GEOMETRY

/* Defined, since a conversion to dim3 takes the address; under symbols that
 * pycuda-jit takes for compiler-made constants and lists nowhere. */
static const __device__ __pycuda_thread_index
    threadIdx __asm__("__const.threadIdx") = {};
static const __device__ __pycuda_block_index
    blockIdx __asm__("__const.blockIdx") = {};
static const __device__ __pycuda_block_size
    blockDim __asm__("__const.blockDim") = {};
static const __device__ __pycuda_grid_size
    gridDim __asm__("__const.gridDim") = {};
static constexpr __device__ int warpSize = 32;

/* What clang wants to see when host code in the source holds <<<...>>>. */
extern "C" __host__ unsigned int
__cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
extern "C" __host__ int cudaConfigureCall(dim3, dim3, size_t = 0, void * = 0);
