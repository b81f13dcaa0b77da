/* device.h - how the functions of these headers are declared.
 *
 * The CPU device has the macros already (qualifiers.h says why its functions
 * are templates).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#ifndef __PYCUDA_CPU__
#define __pycuda_template_fn static __device__ __forceinline__
#define __pycuda_fn          template <int = 0> __pycuda_template_fn
#endif
