/* occupancy.h - number of concurrent blocks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_OCCUPANCY_H
#define PYCUDA_CPU_RUN_OCCUPANCY_H

#include <stddef.h>

#include "api/cuda_types.h"

struct cpu_function;

/* Returns how many blocks of the function fit on a multiprocessor, according
 * to the limits in attributes.c. */
int cpu_occupancy_blocks(const struct cpu_function *function, int threads,
                         size_t shared);

#endif
