/* shared_memory.h - shared memory of blocks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_SHARED_MEMORY_H
#define PYCUDA_CPU_RUN_SHARED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_launch;
struct cpu_worker;

/* Returns the size of the inaccessible area that follows memory of kernels, in
 * bytes. If `large` is true and address space is not limited, the area is
 * larger than the range of a 32-bit index. */
size_t cpu_guard_bytes(bool large);
/* Returns the bytes of shared memory per block, static and dynamic. */
uint64_t cpu_block_shared(const struct cpu_launch *launch);
/* Enlarges worker->shared to the size that the launch needs. On failure
 * worker->shared stays unchanged. Returns OUT_OF_MEMORY on failure. */
CUresult cpu_shared_reserve(struct cpu_worker *worker,
                            const struct cpu_launch *launch);
/* Unmaps worker->shared, if there is any. */
void cpu_shared_drop(struct cpu_worker *worker);

#endif
