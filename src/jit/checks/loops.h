/* loops.h - natural loops of a function, with iteration counts where known.
 *
 * loops.c finds them for access_ranges.c and return.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECK_LOOPS_H
#define PYCUDA_JIT_CHECK_LOOPS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"

/* A natural loop: `header` is its first basic block, `latch` the basic block
 * that jumps back. A loop is counted if it can be left only at the latch,
 * which compares the index, or index + 1, with a loop-invariant `end`. */
struct jit_loop {
    unsigned header, latch;
    /* the header's only predecessor outside the loop, or NO_BLOCK */
    unsigned preheader;
    bool *blocks;  /* for each basic block: true if it is part of the loop */
    unsigned size; /* number of basic blocks in the loop */
    int outer;     /* index in jit_loops.rows of the enclosing loop, or -1 */
    bool counted;
    LLVMValueRef index, start, end;
    /* true: the latch compares the index itself with `end`, not index + 1, so
     * that the iteration with index == `end` runs too */
    bool inclusive;
};

struct jit_loops {
    struct jit_cfg cfg;
    /* per basic block: immediate dominator or NO_BLOCK */
    unsigned *dominators;
    struct jit_loop *rows;
    unsigned count;
};

/* Finds all loops of a function and fills `loops`. */
void jit_find_loops(LLVMValueRef function, struct jit_loops *loops);
/* Returns the index of the innermost loop that contains the basic block, or
 * -1. */
int jit_loop_of(const struct jit_loops *loops, unsigned block);
/* Tests whether basic block `one` dominates basic block `two`. */
bool jit_dominates(const struct jit_loops *loops, unsigned one, unsigned two);
/* Tests whether the value is computed outside of the loop, or is not an
 * instruction. */
bool jit_is_outside(const struct jit_loops *loops, const struct jit_loop *loop,
                    LLVMValueRef value);

#endif
