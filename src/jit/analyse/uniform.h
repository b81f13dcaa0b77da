/* uniform.h - values and branches that may differ between threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ANALYSE_UNIFORM_H
#define PYCUDA_JIT_ANALYSE_UNIFORM_H

#include <stdbool.h>

#include "jit/analyse/cfg.h"

struct jit_kernel;

/* Marks in `differs` the values that may differ between the threads of a
 * thread block. Sets immediate[b] to the immediate post-dominator of basic
 * block b, or to NO_BLOCK. Sets apart[b] if some threads may reach basic block
 * b while others do not. Callers zero all three. */
void jit_find_differing(struct jit_kernel *kernel, const struct jit_cfg *cfg,
                        struct jit_map *differs, unsigned *immediate,
                        bool *apart);

/* Variant of jit_find_differing for rows: finds the values and branches that
 * may differ between the threads of a thread block with the same threadIdx.y
 * and threadIdx.z. */
void jit_find_row_differing(struct jit_kernel *kernel,
                            const struct jit_cfg *cfg, struct jit_map *differs,
                            unsigned *immediate, bool *apart);

/* Variant of jit_find_differing for warps: finds the values and branches that
 * may differ between the lanes of a warp. Assumes that the threadIdx.x of a
 * warp's first thread is a multiple of 32. */
void jit_find_lanes_differing(struct jit_kernel *kernel,
                              const struct jit_cfg *cfg,
                              struct jit_map *differs, unsigned *immediate,
                              bool *apart);

#endif
