/* parallel.h - innermost loops that are marked as parallel.
 *
 * SPDX-License-Identifier: MIT */
#ifndef JIT_OUTPUT_PARALLEL_H
#define JIT_OUTPUT_PARALLEL_H

#include "jit/jit.h"

/* A loop in a function; blocks are identified by their index. */
struct jit_parallel {
    LLVMBasicBlockRef *blocks;
    bool *inside; /* by block: part of the loop */
    unsigned block_count, header;
    bool masked; /* one vector may contain work of only one thread */
};

/* parallel.c: calls `visit` for each such loop of a function; for none if the
 * function is a declaration. The loop is valid during the call only. */
typedef void jit_visit_loop(struct jit *jit,
                            const struct jit_parallel *parallel, void *data);
void jit_each_parallel(struct jit *jit, LLVMValueRef function,
                       jit_visit_loop *visit, void *data);
/* Tests whether the value is computed in the loop. */
bool jit_parallel_makes(const struct jit_parallel *parallel,
                        LLVMValueRef value);
/* Tests whether the value counts the loop's iterations. */
bool jit_parallel_counts(const struct jit_parallel *parallel,
                         LLVMValueRef value);

#endif
