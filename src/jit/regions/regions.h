/* regions.h - declarations shared by the passes that split kernels at
 * barriers.
 *
 * The body is the function that holds a kernel's code; the entry calls it once
 * per thread, in a thread loop. A start point is a place where a thread loop
 * begins: the kernel's start, or the code after a barrier or warp operation.
 *
 * regions.c decides whether a kernel is split and splits it, using
 * analyse/cfg.c and analyse/uniform.c; spill.c passes values across barriers;
 * entries/region.c writes the entry.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_REGIONS_H
#define PYCUDA_JIT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/jit.h"
#include "jit/regions/split.h"

/* split_points.c: inserts further split points where they make the kernel
 * faster. The kernel is cut at a split point as at a barrier. ends[b]
 * describes how basic block b ends: k > 0 if it ends at split->points[k], 0 if
 * it returns from the kernel, JIT_NO_END if it branches to other basic blocks.
 */
void jit_add_split_points(struct jit *jit, struct jit_split *split,
                          const unsigned *ends);

/* reach_or_return.c: tests the warp operation of split->points[point]: whether
 * each lane of a warp either reaches it or returns from the kernel, and waits
 * for no other lane before that. */
bool jit_reaches_or_returns(const struct jit_split *split, unsigned point);

/* guards.c: changes conditions such as `i < n`, where i depends on
 * threadIdx.x, to `all || i < n`. The uniform test `all` is true if the
 * condition holds for all values of threadIdx.x. */
void jit_add_row_guards(struct jit *jit, struct jit_split *split);

/* prefetch.c: searches the basic blocks marked in `inside`, which form a loop,
 * for a load of element `index` of an array. A row is the elements that the
 * threads of one value of threadIdx.y read in one iteration. Returns the
 * address of the element if prefetching rows of the array pays, else NULL. */
LLVMValueRef jit_far_row(const struct jit_cfg *cfg, const bool *inside,
                         LLVMValueRef index, LLVMValueRef step);
/* Inserts prefetches of `count` rows of an array between the basic blocks
 * `from` and `to`. A row is the elements that the threads of one value of
 * threadIdx.y read in one iteration. `address` is the address of an element of
 * the array; next[i] is the index of the first element of row i. */
void jit_prefetch_rows(struct jit *jit, struct jit_kernel *kernel,
                       LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                       LLVMValueRef address, const LLVMValueRef *next,
                       unsigned count);
/* jit_build_split_mark inserts a call of __pycuda_cut. If the kernel is split
 * at its barriers, it is also split at this call. jit_is_split_mark tests
 * whether an instruction is such a call. jit_drop_split_marks removes all such
 * calls. */
void jit_build_split_mark(struct jit *jit);
bool jit_is_split_mark(LLVMValueRef at);
void jit_drop_split_marks(struct jit *jit);

/* A strided loop that stride.c has transformed to `for (b = first; b < n; b +=
 * step) if (threadIdx.x < n - b) ...`, for unroll_and_jam.c. `gate` is the
 * basic block with the `if`; `round` is the end of the iteration. */
struct jit_strided {
    struct jit_kernel *kernel;
    LLVMBasicBlockRef head, gate, body, round;
    /* the loop variable, equal in all threads, and threadIdx.x */
    LLVMValueRef base, thread;
    /* increment of `base` per iteration, and end of the loop: both i32 */
    LLVMValueRef step, limit;
    /* address of an array element to prefetch (jit_far_row), or NULL */
    LLVMValueRef row;
};
/* Merges several consecutive iterations of a strided loop into one, if that is
 * expected to make the loop faster. */
void jit_unroll_and_jam(struct jit *jit, const struct jit_strided *loop);

/* warp_votes.c: jit_is_vote tests for a barrier with a result, such as
 * __syncthreads_count. jit_cut_vote replaces such a barrier: adds a call, at
 * the end of `head`, that adds the thread's vote to a sum, and computes the
 * result from the sum in the basic block after `head`. Fills `vote`. */
bool jit_is_vote(LLVMValueRef barrier);
void jit_cut_vote(struct jit *jit, LLVMValueRef barrier,
                  LLVMBasicBlockRef head, struct jit_vote *vote);
/* Undoes jit_cut_vote. That function replaced a barrier with a result, such as
 * __syncthreads_count, by the plain barrier `barrier` and code that computes
 * the result. Makes `barrier` the original call again, and uses its result in
 * place of the computed one. */
void jit_restore_vote(struct jit *jit, const struct jit_vote *vote,
                      LLVMValueRef barrier);
/* Replaces the call that adds the thread's vote (its predicate at a barrier
 * such as __syncthreads_count) by an addition to the variable at address
 * `sum`, and the placeholder for the sum of all votes by `told`. */
void jit_lower_vote(struct jit *jit, const struct jit_vote *vote,
                    LLVMValueRef sum, LLVMValueRef told);

/* early_exit.c: jit_find_early_exit removes the branch by which threads return
 * before the first barrier, and describes the remaining threads in
 * kernel->early. jit_restore_early_exit inserts the branch again. */
void jit_find_early_exit(struct jit *jit, struct jit_kernel *kernel);
void jit_restore_early_exit(struct jit *jit, struct jit_kernel *kernel);

/* spill.c: passes every value that is live across a barrier to the code after
 * the barrier: through additional arguments of the body, or through the
 * context, a memory block of the entry for all threads of a thread block.
 * Returns false, with the body's behaviour unchanged, if the context would be
 * too large. */
bool jit_spill_values(struct jit *jit, struct jit_split *split);
/* Tests whether the kernel computes the value again after each barrier instead
 * of storing it across the barrier, because the computation needs few
 * instructions. */
bool jit_is_cheap(struct jit_split *split, LLVMValueRef value);

/* regions/regions.c: splits kernels at barriers and warp operations, so that
 * the code in between runs as a loop over threads. */
void jit_split_kernels(struct jit *jit);

#endif
