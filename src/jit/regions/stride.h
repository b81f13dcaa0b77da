/* stride.h - pass that gives loops the same number of iterations in all
 * threads of a block.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_REGIONS_STRIDE_H
#define PYCUDA_JIT_REGIONS_STRIDE_H

struct jit;

/* regions/stride.c: rewrites `for (i = threadIdx.x; i < n; i += blockDim.x)`
 * so that all threads make the same number of iterations. */
void jit_even_strides(struct jit *jit);
/* regions/stride.c: removes the calls that jit_even_strides inserted in its
 * loops to keep LLVM from unrolling them. Called after unrolling. */
void jit_drop_stride_marks(struct jit *jit);

#endif
