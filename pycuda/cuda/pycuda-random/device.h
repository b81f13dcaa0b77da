/* device.h - declaration macros of the functions in the headers of this
 * folder.
 *
 * Defined here for GPUs. On the CPU device, qualifiers.h defines the same
 * macros; there, they make each function a template, for a reason that
 * qualifiers.h gives.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#ifndef __PYCUDA_CPU__
#define __pycuda_template_fn static __device__ __forceinline__
#define __pycuda_fn          template <int = 0> __pycuda_template_fn
#endif
