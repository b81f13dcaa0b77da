/* named_barrier.h - named barriers of a block.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_NAMED_BARRIER_H
#define PYCUDA_CPU_RUN_NAMED_BARRIER_H

#include "api/cuda_types.h"

struct cpu_worker;

/* Number of named barriers of a block (run/named_barrier.c). The first 16 are
 * those of PTX; the others are for tiles (cooperative groups) larger than a
 * warp. */
enum { CPU_NAMED_BARRIERS = 48 };

struct cpu_named_barrier {
    unsigned arrived, phase;
};

/* run/named_barrier.c: resets the named barriers for a new block. */
void cpu_named_barriers_reset(struct cpu_worker *worker);

#endif
