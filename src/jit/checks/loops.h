/* loops.h - the loops of a function whose rounds can be counted.
 *
 * loops.c finds them for rows.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_LOOPS_H
#define PYCUDA_JIT_CHECK_LOOPS_H

#include "jit/regions/regions.h"

/* A natural loop.  It is counted if its end is left from the last block only,
 * where the index, or the next one, which is one more, is compared with an
 * end. */
struct jit_loop {
    unsigned header, latch;
    unsigned preheader; /* NO_BLOCK: none */
    bool *blocks;       /* that belong to it, by number */
    unsigned size;      /* how many do */
    int outer;          /* the loop around it, or -1 */
    bool counted;
    LLVMValueRef index, start, end;
    bool inclusive; /* the index is compared, not the next one */
};

struct jit_loops {
    struct jit_cfg cfg;
    unsigned *dominators; /* the nearest of each block; NO_BLOCK: none */
    struct jit_loop *rows;
    unsigned count;
};

void jit_find_loops(LLVMValueRef function, struct jit_loops *loops);
/* The innermost loop that holds the block, or -1. */
int jit_loop_of(const struct jit_loops *loops, unsigned block);
bool jit_dominates(const struct jit_loops *loops, unsigned one, unsigned two);
/* Is the value made outside of the loop? */
bool jit_is_outside(const struct jit_loops *loops, const struct jit_loop *loop,
                    LLVMValueRef value);

#endif
