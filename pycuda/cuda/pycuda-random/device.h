/* device.h - declaration macros of the functions in the headers of this
 * folder.
 *
 * The CPU device already has the macros (qualifiers.h explains why its
 * functions are templates).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#ifndef __PYCUDA_CPU__
#define __pycuda_template_fn static __device__ __forceinline__
#define __pycuda_fn          template <int = 0> __pycuda_template_fn
#endif
