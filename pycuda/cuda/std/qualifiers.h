/* qualifiers.h - what a function of the C++ library is in a kernel.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#if __cplusplus >= 201402L
#define __PYCUDA_STD __host__ __device__ constexpr
#else
/* loops and assignments are no constants before C++14 */
#define __PYCUDA_STD __host__ __device__ inline
#endif
/* Deduction guides are the device's to clang only where they say so. */
#ifdef __PYCUDA_CPU__
#define __PYCUDA_GUIDE __host__ __device__
#else
#define __PYCUDA_GUIDE
#endif
