/* packs.h - IR text of loops over the threads of a block that run packs. A
 * pack is a group of threads with consecutive threadIdx.x that one function
 * runs (pack/).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ENTRIES_PACKS_H
#define PYCUDA_JIT_ENTRIES_PACKS_H

struct jit;
struct jit_kernel;
struct jit_nest;
struct jit_pack_nest;

/* Writes the call of the function that runs a pack: `width` threads with
 * consecutive threadIdx.x. %tid0<suffix>, %tid1<suffix>, %tid2<suffix> and
 * %linear<suffix> are the indices of the pack's first thread. `mask` is the IR
 * operand for a vector with an i1 for each lane: true if the lane has a
 * thread. */
typedef void jit_write_pack(struct jit *jit, struct jit_kernel *kernel,
                            const struct jit_pack_nest *packs,
                            const char *suffix, unsigned width,
                            const char *mask);

/* A nest of loops over the threads of a block whose innermost loop is over
 * packs (groups of threads). */
struct jit_pack_nest {
    const struct jit_nest *nest;
    /* JIT_PACK_WIDTHS elements: numbers of threads of the packs, the largest
     * first; 0 after the last one */
    const unsigned *widths;
    jit_write_pack *write;
    /* start point from which the kernel body runs: 0 for the kernel's start, k
     * for the code after the k-th barrier */
    unsigned point;
};

/* Writes the loop nest. A pack is a group of neighbouring threads that one
 * call runs. Each row of threads (same threadIdx.y and z) is divided into
 * packs of the first width, and the rest of the row into packs of the other
 * widths. The last pack has the smallest width and may be only partly filled.
 */
void jit_text_packs(struct jit *jit, struct jit_kernel *kernel,
                    const struct jit_pack_nest *packs);

#endif
