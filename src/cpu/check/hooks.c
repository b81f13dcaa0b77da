/* hooks.c - the selection of kernel checks, which the whole library reads.
 *
 * settings.c sets both variables while no kernel runs; they are read without a
 * lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cpu/check/hooks.h"

unsigned cpu_check_flags;

const struct cpu_check_memory *cpu_check_memory;
