/* graphs.h - functions by which kernels control the graph that they run in.
 *
 * The handle of a condition is the address of its value
 * (src/cpu/graph/conditional.c).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Programs declare the runtime's functions with CUDARTAPI and similar macros,
 * which NVRTC accepts. */
#ifndef CUDARTAPI
#define CUDARTAPI
#endif
#ifndef __cudart_builtin__
#define __cudart_builtin__
#endif

extern "C" __device__ inline void
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    *(volatile unsigned int *)handle = value;
}
