/* block.h - runs the blocks of a launch on the calling thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_BLOCK_H
#define PYCUDA_CPU_RUN_BLOCK_H

#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_launch;
struct cpu_worker;

/* Runs the blocks with indices [first, first + count) of a launch on the
 * calling thread. If a block fails, returns its error. */
CUresult cpu_block_run(struct cpu_worker *worker, struct cpu_launch *launch,
                       uint64_t first, uint64_t count);
/* Frees the stacks and the shared memory of the worker. */
void cpu_block_close(struct cpu_worker *worker);

#endif
