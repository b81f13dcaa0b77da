/* named_barrier.h - named barriers of a block.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_NAMED_BARRIER_H
#define PYCUDA_CPU_RUN_NAMED_BARRIER_H

#include "api/cuda_types.h"

struct cpu_worker;

/* run/named_barrier.c: resets the named barriers for a new block. */
void cpu_named_barriers_reset(struct cpu_worker *worker);

#endif
