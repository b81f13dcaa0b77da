/* limits.h - limits of a launch, for error messages.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_LIMITS_H
#define PYCUDA_CORE_LAUNCH_LIMITS_H

#include "core/core.h"

struct core_function;

/* Writes "; <text>" to the buffer `at` for each device limit that the launch
 * exceeds. */
void core_launch_limits(const struct core_function *function,
                        const unsigned grid[3], const unsigned block[3],
                        unsigned shared, char *at, size_t room);
/* Returns how many blocks of the size `block` the device runs at a time; -1:
 * unknown. */
int core_launch_blocks_at_once(const struct core_function *function,
                               const unsigned block[3], unsigned shared);

#endif
