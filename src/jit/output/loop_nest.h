/* loop_nest.h - the loops of a function.
 *
 * Private to output/.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_OUTPUT_LOOP_NEST_H
#define PYCUDA_JIT_OUTPUT_LOOP_NEST_H

#include <stdbool.h>

#include "jit/regions/regions.h"

#define NO_LOOP (~0u)

struct jit_loop {
    unsigned parent; /* index of the loop around it, or NO_LOOP */
    unsigned header; /* block through which the loop is entered */
    bool *inside;    /* by block */
};

struct jit_loop_nest {
    struct jit_loop *loops; /* a loop comes after those around it */
    unsigned count;
    unsigned
        *innermost; /* by block: index of the innermost loop, or NO_LOOP */
};

/* Fills `nest` for a function. */
void jit_loop_nest_read(struct jit_loop_nest *nest, const struct jit_cfg *cfg);
/* Returns, by block, which blocks of the loop an iteration reaches only
 * through the edge between two blocks; none if the edge leaves the loop. */
bool *jit_loop_side(const struct jit_cfg *cfg, const struct jit_loop *loop,
                    unsigned from, unsigned to);

#endif
