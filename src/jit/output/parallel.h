/* parallel.h - visitor for innermost loops that are marked as parallel, which
 * tells LLVM that their iterations are independent.
 *
 * SPDX-License-Identifier: MIT */
#ifndef JIT_OUTPUT_PARALLEL_H
#define JIT_OUTPUT_PARALLEL_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"

/* An innermost parallel loop in a function. `blocks` has all basic blocks of
 * the function; `header` is the index of the loop's first block. */
struct jit_parallel {
    LLVMBasicBlockRef *blocks;
    /* maps a basic block to its index in `blocks` plus 1 */
    struct jit_map numbers;
    /* for each basic block of the function: true if it is part of the loop */
    bool *inside;
    /* ascending indices of the loop's basic blocks */
    unsigned *members;
    unsigned member_count;
    unsigned block_count, header;
    /* The indices of basic block i's predecessors begin at
     * predecessors[first_predecessor[i]] and end before
     * predecessors[first_predecessor[i + 1]]. */
    unsigned *predecessors, *first_predecessor;
    /* true: in a vector of the loop, some of the threads may be inactive
     * (masked), but not all */
    bool masked;
};

/* Callback of jit_each_parallel: receives a loop, which is valid only during
 * the call, and the caller's `data`. */
typedef void jit_visit_loop(struct jit *jit,
                            const struct jit_parallel *parallel, void *data);
/* parallel.c: calls `visit` for each innermost parallel loop of a function.
 * Does nothing if the function is only declared. */
void jit_each_parallel(struct jit *jit, LLVMValueRef function,
                       jit_visit_loop *visit, void *data);
/* Tests whether the value is computed in the loop, not before it. */
bool jit_parallel_makes(const struct jit_parallel *parallel,
                        LLVMValueRef value);
/* Tests whether the value is the loop's counter, which grows by 1 in each
 * iteration. */
bool jit_parallel_counts(const struct jit_parallel *parallel,
                         LLVMValueRef value);

#endif
