/* unwritten_copies.h - warns of copies to the host of unwritten memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CHECK_UNWRITTEN_COPIES_H
#define PYCUDA_CPU_CHECK_UNWRITTEN_COPIES_H

#include <stddef.h>

/* Writes a warning to stderr, once for each allocation, if some of the bytes
 * were never written. Called after a copy of the bytes at `from` to the host.
 * Takes the lock of allocations.c. */
void cpu_check_unwritten_copy(const void *from, size_t bytes);

#endif
