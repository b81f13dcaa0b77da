/* lanes.h - passes for the lanes of a warp: values that are equal in all
 * lanes, the lane index, and arrays with one element per lane.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_WARPS_LANES_H
#define PYCUDA_JIT_WARPS_LANES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_kernel;
struct jit_map;
struct jit_split;

/* Tests whether the instruction has the same result in all lanes of a
 * warp although its operands differ. */
bool jit_lanes_agree(const struct jit_kernel *kernel,
                     const struct jit_map *differs, LLVMValueRef at);
/* Rewrites two kinds of instructions so that LLVM recognises their results. An
 * instruction whose result is the same in all lanes, although its operands
 * differ, uses the first lane's index instead. An instruction that computes
 * the lane index is replaced by threadIdx.x minus the threadIdx.x of the
 * warp's first thread. */
void jit_use_warp_base(struct jit *jit, struct jit_split *split);
/* Adds a lane array (one element of `type` per lane) and sets *number to its
 * number (%lane<number> in the entry's IR text). Returns an alloca in the body
 * that represents the array until spill.c makes it an argument. */
LLVMValueRef jit_add_lanes(struct jit *jit, struct jit_split *split,
                           LLVMTypeRef type, unsigned *number);
/* Builds, at the builder's position, the current thread's lane index, and
 * returns it. */
LLVMValueRef jit_build_lane(struct jit *jit, struct jit_split *split,
                            LLVMTypeRef type);

#endif
