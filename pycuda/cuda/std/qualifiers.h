/* qualifiers.h - function qualifiers (__device__ and others) with which the
 * headers of the C++ library declare functions in kernels.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#if __cplusplus >= 201402L
#define __PYCUDA_STD __host__ __device__ constexpr
#else
/* Constant expressions have no loops or assignments before C++14. */
#define __PYCUDA_STD __host__ __device__ inline
#endif
/* clang treats deduction guides as device code only if they are declared so.
 */
#ifdef __PYCUDA_CPU__
#define __PYCUDA_GUIDE __host__ __device__
#else
#define __PYCUDA_GUIDE
#endif
