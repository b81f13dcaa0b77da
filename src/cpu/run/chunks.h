/* chunks.h - assigns the blocks of a launch to threads, in chunks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_CHUNKS_H
#define PYCUDA_CPU_RUN_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_launch;
struct cpu_op;

/* Computes the chunk sizes and the shares of a launch. */
void cpu_chunks_plan(struct cpu_op *op);
/* Returns the index of the share (range of blocks) from which the calling
 * thread's processor takes chunks first. */
unsigned cpu_share_preferred(const struct cpu_launch *launch);
/* Takes the next chunk, from share `near` if possible. Stores the index of its
 * first block and returns its number of blocks. Returns 0 if no chunks are
 * left. */
uint64_t cpu_chunk_take(struct cpu_launch *launch, unsigned near,
                        uint64_t *first);
/* Returns true if the launch has blocks that no thread has taken. */
bool cpu_chunks_left(const struct cpu_launch *launch);

#endif
