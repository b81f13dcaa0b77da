/* launch.h - kernel launches: checks their shape and fills their operations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_LAUNCH_H
#define PYCUDA_CPU_RUN_LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_function;
struct cpu_op;

/* Checks grid, block and bytes of dynamic shared memory of a launch. Returns
 * LAUNCH_OUT_OF_RESOURCES if the block has more threads than the kernel
 * permits, INVALID_VALUE if another limit of the device or the kernel is
 * exceeded. */
CUresult cpu_launch_check_shape(const struct cpu_function *function,
                                const unsigned grid[3],
                                const unsigned block[3], unsigned shared);

/* Makes `op` a launch of the function. op->argument has the kernel
 * parameters. */
void cpu_launch_fill(struct cpu_op *op, struct cpu_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, bool cooperative);

#endif
