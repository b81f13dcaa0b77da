/* limits.h - limits of a launch, for error messages.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_LIMITS_H
#define PYCUDA_CORE_LAUNCH_LIMITS_H

#include "core/core.h"

struct core_function;

/* Writes "; <text>" to `at` for each device limit that is exceeded. */
void core_launch_limits(const struct core_function *function,
                        const unsigned grid[3], const unsigned block[3],
                        unsigned shared, char *at, size_t room);
/* Returns how many blocks the device runs at a time; -1: unknown. */
int core_launch_blocks_at_once(const struct core_function *function,
                               const unsigned block[3], unsigned shared);

#endif
