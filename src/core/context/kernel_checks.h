/* kernel_checks.h - array memory while kernel checks are selected.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* Switches the default pool off if `checks`, a value of PYCUDA_CPU_CHECK or
 * NULL, selects any check, and on otherwise unless PYCUDA_POOL is 0. The
 * memory checks need exact sizes and lifetimes: a block of the pool is larger
 * than requested, and outlives its allocation. */
void core_checks_note(const char *checks);
