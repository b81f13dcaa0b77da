/* packs.h - loops over the threads of a block that run packs: groups of
 * threads with consecutive threadIdx.x (pack/), as IR text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ENTRIES_PACKS_H
#define PYCUDA_JIT_ENTRIES_PACKS_H

struct jit;
struct jit_kernel;
struct jit_nest;
struct jit_pack_nest;

/* Writes the call of the function that runs a pack of `width` threads.
 * %tid0<suffix>, %tid1<suffix>, %tid2<suffix> and %linear<suffix> are the
 * indices of its first thread. `mask`: IR operand, a vector that says which of
 * the threads exist. */
typedef void jit_write_pack(struct jit *jit, struct jit_kernel *kernel,
                            const struct jit_pack_nest *packs,
                            const char *suffix, unsigned width,
                            const char *mask);

/* A nest of loops whose innermost loop is over packs. */
struct jit_pack_nest {
    const struct jit_nest *nest;
    /* numbers of threads of wide packs and of the others; may be equal */
    const unsigned *widths;
    jit_write_pack *write;
    unsigned point; /* start point of the kernel body (struct jit_regions) */
};

/* Writes the nest. Each row of threads is divided into as many wide packs as
 * fit, then into packs of the second width, and a last one with a mask. */
void jit_text_packs(struct jit *jit, struct jit_kernel *kernel,
                    const struct jit_pack_nest *packs);

#endif
