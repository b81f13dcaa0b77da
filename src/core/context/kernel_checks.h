/* kernel_checks.h - switches the default memory pool off while kernel checks
 * are selected.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

/* `checks` is a value of PYCUDA_CPU_CHECK, or NULL. If it selects any check,
 * switches the default pool off; otherwise switches it on, unless PYCUDA_POOL
 * is 0. The memory checks need exact sizes and lifetimes: a block of the pool
 * is larger than requested, and outlives its allocation. */
void core_checks_note(const char *checks);
