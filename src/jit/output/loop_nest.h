/* loop_nest.h - the loops of a function.
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
    bool *inside;    /* for each basic block: it is part of the loop */
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
/* Returns an array with a flag for each basic block, which is true if an
 * iteration of the loop reaches the block only through the edge between the
 * two given blocks. All flags are false if the edge leaves the loop. */
bool *jit_loop_side(const struct jit_cfg *cfg, const struct jit_loop *loop,
                    unsigned from, unsigned to);

#endif
