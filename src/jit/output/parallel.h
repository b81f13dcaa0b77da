/* parallel.h - innermost loops that are said to be parallel.
 *
 * SPDX-License-Identifier: MIT */
#ifndef JIT_OUTPUT_PARALLEL_H
#define JIT_OUTPUT_PARALLEL_H

#include "jit/jit.h"

/* A loop, and the blocks of its function by number. */
struct jit_parallel {
    LLVMBasicBlockRef *blocks;
    bool *inside; /* is the block in the loop? */
    unsigned block_count, header;
    bool masked; /* vectors may have but one thread's work to do */
};

/* parallel.c: calls `visit` for each such loop of a function, and for none if
 * that has no body. */
typedef void jit_visit_loop(struct jit *jit,
                            const struct jit_parallel *parallel, void *data);
void jit_each_parallel(struct jit *jit, LLVMValueRef function,
                       jit_visit_loop *visit, void *data);
/* Is the value made in the loop? */
bool jit_parallel_makes(const struct jit_parallel *parallel,
                        LLVMValueRef value);
/* Does it count the loop's iterations? */
bool jit_parallel_counts(const struct jit_parallel *parallel,
                         LLVMValueRef value);

#endif
