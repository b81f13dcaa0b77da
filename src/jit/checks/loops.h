/* loops.h - natural loops of a function, with iteration counts where known.
 *
 * loops.c finds them for rows.c and return.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_LOOPS_H
#define PYCUDA_JIT_CHECK_LOOPS_H

#include "jit/regions/regions.h"

/* A natural loop. It is counted if the latch is the only exit and compares the
 * index, or index + 1, with an invariant end. */
struct jit_loop {
    unsigned header, latch;
    unsigned preheader; /* NO_BLOCK: none */
    bool *blocks;       /* by block: part of the loop */
    unsigned size;      /* number of its blocks */
    int outer;          /* enclosing loop, or -1 */
    bool counted;
    LLVMValueRef index, start, end;
    bool inclusive; /* the index is compared instead of index + 1 */
};

struct jit_loops {
    struct jit_cfg cfg;
    unsigned *dominators; /* immediate dominators; NO_BLOCK: none */
    struct jit_loop *rows;
    unsigned count;
};

/* Fills `loops` for a function. */
void jit_find_loops(LLVMValueRef function, struct jit_loops *loops);
/* Returns the innermost loop with the block, or -1. */
int jit_loop_of(const struct jit_loops *loops, unsigned block);
/* Tests whether block `one` dominates block `two`. */
bool jit_dominates(const struct jit_loops *loops, unsigned one, unsigned two);
/* Tests whether the value is computed outside of the loop. */
bool jit_is_outside(const struct jit_loops *loops, const struct jit_loop *loop,
                    LLVMValueRef value);

#endif
