/* fuse.h - decides which products and sums (a * b + c) of a function become
 * fused multiply-adds.
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
