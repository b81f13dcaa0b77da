/* geometry.h - threadIdx, blockIdx, blockDim, gridDim, warpSize.
 *
 * The objects have CUDA's types and no storage: pycuda-jit replaces each read
 * with a loop variable or a load (src/jit/retarget/indices.c).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_OBJECT(TYPE, NAME)                                           \
    extern const __device__ TYPE NAME __asm__("__const." #NAME);
__PYCUDA_OBJECT(uint3, threadIdx)
__PYCUDA_OBJECT(uint3, blockIdx)
__PYCUDA_OBJECT(dim3, blockDim)
__PYCUDA_OBJECT(dim3, gridDim)
__PYCUDA_OBJECT(int, warpSize)
#undef __PYCUDA_OBJECT

/* Declarations that clang requires when host code in the source uses the
 * <<<...>>> launch syntax. */
extern "C" __host__ unsigned int
__cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
extern "C" __host__ int cudaConfigureCall(dim3, dim3, size_t = 0, void * = 0);
