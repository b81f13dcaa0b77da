/* lanes.h - the lanes of a warp: their index, and arrays with one element per
 * lane.
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
/* Rewrites two kinds of instructions so that LLVM recognises their results.
 * Those with the same result in all lanes, although their operands differ, use
 * the first lane's index instead. Those that compute the lane index are
 * replaced by it. */
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
