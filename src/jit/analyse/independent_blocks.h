/* independent_blocks.h - analysis that finds kernels with blocks that cannot
 * observe each other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ANALYSE_INDEPENDENT_BLOCKS_H
#define PYCUDA_JIT_ANALYSE_INDEPENDENT_BLOCKS_H

struct jit;

/* analyse/independent_blocks.c: finds kernels with blocks that cannot observe
 * each other. */
void jit_find_independent_blocks(struct jit *jit);

#endif
