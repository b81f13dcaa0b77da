/* fuse.h - fixes which products and sums of a function are fused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_LOOPS_FUSE_H
#define PYCUDA_JIT_LOOPS_FUSE_H

#include <llvm-c/Core.h>

struct jit;

/* fuse.c: fuses products and sums of the function to llvm.fma where permitted,
 * and forbids LLVM to fuse others, so that results do not depend on the
 * surrounding code. */
void jit_fuse_products(struct jit *jit, LLVMValueRef function);

#endif
