/* loop_nest.h - analysis that finds all loops of a function, with inner loops.
 *
 * Private to output/.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_OUTPUT_LOOP_NEST_H
#define PYCUDA_JIT_OUTPUT_LOOP_NEST_H

#include <stdbool.h>

#include "jit/analyse/cfg.h"

#define NO_LOOP (~0u)

struct jit_loop {
    unsigned parent; /* index of the enclosing loop, or NO_LOOP */
    unsigned header; /* basic block through which the loop is entered */
    bool *inside;    /* for each basic block: true if in the loop */
};

struct jit_loop_nest {
    /* all loops of the function; an enclosing loop comes before its inner
     * loops */
    struct jit_loop *loops;
    unsigned count;
    /* for each basic block: index of the innermost loop that contains it, or
     * NO_LOOP */
    unsigned *innermost;
};

/* Fills `nest` with all natural loops of a function. `cfg` is the control-flow
 * graph of the function. */
void jit_loop_nest_read(struct jit_loop_nest *nest, const struct jit_cfg *cfg);
/* Examines an edge between two basic blocks of a loop. Returns an array with a
 * flag for each basic block of the function: true if an iteration of the loop
 * can reach the block only through this edge. All flags are false if the edge
 * leaves the loop. */
bool *jit_loop_side(const struct jit_cfg *cfg, const struct jit_loop *loop,
                    unsigned from, unsigned to);

#endif
