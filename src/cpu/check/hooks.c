/* hooks.c - the selection of kernel checks, which the whole library reads.
 *
 * The variables are the set of selected checks, and the functions that the
 * allocator of device memory calls. settings.c sets them while no kernel runs;
 * they are read without a lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cpu/check/hooks.h"

unsigned cpu_check_flags;

const struct cpu_check_memory *cpu_check_memory;
