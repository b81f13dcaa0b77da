/* cooperative.h - cooperative launches.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_COOPERATIVE_H
#define PYCUDA_CPU_RUN_COOPERATIVE_H

#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_launch;
struct cpu_worker;

/* run/cooperative.c: cpu_cooperative_run runs several cooperative blocks in
 * turns on the calling thread. cpu_cooperative_next, called on a fiber, ends
 * the turn of its block. */
void cpu_cooperative_run(struct cpu_worker *worker, struct cpu_launch *launch,
                         uint64_t first, uint64_t count);
void cpu_cooperative_next(struct cpu_worker *worker);

#endif
