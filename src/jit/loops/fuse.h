/* fuse.h - decides which products and sums (a * b + c) of a function become
 * fused multiply-adds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_LOOPS_FUSE_H
#define PYCUDA_JIT_LOOPS_FUSE_H

struct jit;

/* fuse.c: fuses products and sums of all functions to llvm.fma where
 * permitted, and forbids LLVM to fuse any others. Results then depend neither
 * on the surrounding code nor on the optimisation. Does nothing at -O0, in
 * code for debuggers, or in code with checks. */
void jit_fuse_products(struct jit *jit);

#endif
