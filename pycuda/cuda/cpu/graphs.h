/* graphs.h - what kernels tell the graph that they are launched in.
 *
 * The handle of a condition is the address of its value
 * (src/cpu/graph/conditional.c).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Programs declare the runtime's functions with these, as NVRTC lets them. */
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
