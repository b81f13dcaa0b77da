/* nest.h - the loops over blocks and threads in entries that run whole
 * blocks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ENTRIES_NEST_H
#define PYCUDA_JIT_ENTRIES_NEST_H

#include <stdbool.h>

struct jit;
struct jit_kernel;

/* A nest of loops over the threads of a thread block. All names in its IR text
 * end in `suffix`. */
struct jit_nest {
    const char *suffix;
    /* IR label of the basic block from which the loops are entered */
    const char *before;
    /* IR operands: first value and end of the loop over threadIdx.x */
    const char *start, *end;
    const char *after;
    /* 1 or 0, passed to the kernel body as the argument JIT_WHOLE: all threads
     * of the nest take the first (1) or second (0) code path of the kernel */
    int whole;
    /* IR operands: first value and end of the loop over threadIdx.y; NULL: all
     * values */
    const char *first_row, *last_row;
};

/* Properties of an entry: a function that runs all threads of whole thread
 * blocks. */
struct jit_frame {
    const char *name;
    /* IR text that declares the entry's local variables */
    const char *variables;
    /* blockDim.x for which the entry is compiled; 0: any */
    unsigned width;
    /* true: the entry has internal linkage and is inlined into another entry
     */
    bool internal;
    /* true: one loop may run several thread blocks of the grid */
    bool merged;
    /* true: neighbouring threads along x access elements of a column of a
     * matrix, which are far apart in memory; so thread blocks with a small
     * blockDim.x are not merged */
    bool columns;
};

/* Writes the start of the entry function, up to where the code of one thread
 * block begins in the loop over thread blocks. */
void jit_text_blocks_start(struct jit *jit, struct jit_kernel *kernel,
                           const struct jit_frame *frame);
/* Writes the end of the loop over thread blocks. The code of one thread block
 * ends by branching to the label `next`. */
void jit_text_blocks_end(struct jit *jit, const struct jit_kernel *kernel);
/* Write the headers, and later the ends, of the nest's loops over threadIdx.z
 * and threadIdx.y. The code between them begins in the basic block `y<suffix>`
 * and ends by branching to `y.end<suffix>`. */
void jit_text_rows_start(struct jit *jit, const struct jit_nest *nest);
void jit_text_rows_end(struct jit *jit, const struct jit_nest *nest);
/* Write the headers, and later the ends, of the nest's loops. The caller
 * writes the code of the innermost loop between them. */
void jit_text_nest_start(struct jit *jit, const struct jit_nest *nest);
void jit_text_nest_end(struct jit *jit, const struct jit_nest *nest,
                       unsigned loop);

/* Reserves `count` consecutive numbers, each for the metadata of one loop in
 * the IR text. Returns the first number. */
unsigned jit_text_loops(unsigned count);
enum jit_hint {
    /* the threads that remain after the last full vector are also run as a
     * vector, with a mask */
    JIT_HINT_SHORT = 1,
    JIT_HINT_UNROLL = 2, /* unroll the loop after vectorisation */
};

/* Writes the metadata of loop number `loop`; `hints` are bits of enum
 * jit_hint. */
void jit_text_loop_hints(struct jit *jit, const struct jit_kernel *kernel,
                         unsigned loop, unsigned hints);

#endif
