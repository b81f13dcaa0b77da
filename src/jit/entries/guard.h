/* guard.h - the first branch of a kernel, which limits the threads with work.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ENTRIES_GUARD_H
#define PYCUDA_JIT_ENTRIES_GUARD_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_kernel;

/* entries/guard.c: tests whether the value is equal for all threads of a
 * thread block and computed only from parameters, blockIdx, blockDim, gridDim
 * and simple arithmetic. `depth` counts the recursion; callers pass 0. */
bool jit_is_uniform(struct jit_kernel *kernel, LLVMValueRef value, int depth);
/* jit_only_returns tests whether a basic block contains nothing but a return.
 * jit_has_no_effects tests whether a basic block has no visible side effects.
 * Both ignore the intrinsics that mark the lifetimes of private variables. */
bool jit_only_returns(LLVMBasicBlockRef block);
bool jit_has_no_effects(LLVMBasicBlockRef block);
/* entries/guard.c: finds a first branch such as `if (i < n)`, which limits the
 * threads that have work, and fills kernel->guard. */
void jit_find_guard(struct jit *jit, struct jit_kernel *kernel);

#endif
