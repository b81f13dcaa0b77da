/* launch.h - launches.
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

/* Makes `op` a launch of the function. op->argument has the kernel
 * parameters. */
void cpu_launch_fill(struct cpu_op *op, struct cpu_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, bool cooperative);

#endif
