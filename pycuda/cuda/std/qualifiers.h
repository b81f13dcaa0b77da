/* qualifiers.h - function qualifiers (__device__ and others) with which the
 * headers of the C++ library declare functions in kernels.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#if __cplusplus >= 201402L
#define __PYCUDA_STD __host__ __device__ constexpr
#else
/* Before C++14 a constexpr function cannot have loops or assignments. */
#define __PYCUDA_STD __host__ __device__ inline
#endif
/* For clang, a deduction guide is device code only if it has the qualifier
 * __device__. */
#ifdef __PYCUDA_CPU__
#define __PYCUDA_GUIDE __host__ __device__
#else
#define __PYCUDA_GUIDE
#endif
