/* live.h - values that are live at the start points of a split kernel: at its
 * start, and after its barriers and warp operations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ANALYSE_LIVE_H
#define PYCUDA_JIT_ANALYSE_LIVE_H

#include <llvm-c/Core.h>

#include "jit/jit.h"

struct jit_split;

/* Returns the set of the start points (the kernel's start, and the code after
 * each barrier or warp operation) at which the value is live: bit k is start
 * point k. */
jit_point_set jit_live_points(const struct jit_split *split,
                              LLVMValueRef value);
/* Callback of jit_replace_elsewhere: builds instructions before `at`, which
 * uses `value`, and returns the value that replaces it there. */
typedef LLVMValueRef jit_make_at(LLVMValueRef value, LLVMValueRef at,
                                 void *data);
/* Replaces each use of the value outside the basic block that defines it by
 * the result of `make`. */
void jit_replace_elsewhere(LLVMValueRef value, jit_make_at *make, void *data);

#endif
