/* stack_memory.h - memory for the stacks on which kernels run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_STACK_MEMORY_H
#define PYCUDA_CPU_RUN_STACK_MEMORY_H

#include <stddef.h>

/* Sizes and addresses of stack memory are multiples of this number of
 * bytes. */
#define CPU_STACK_UNIT ((size_t)64 << 10)

/* Maps `bytes` bytes of memory, a multiple of CPU_STACK_UNIT, and a guard of
 * inaccessible memory above it. Stores the size of the guard in `*guard`.
 * Returns NULL with errno on failure. */
char *cpu_stack_map(size_t bytes, size_t *guard);
/* Unmaps the memory and its guard. Does nothing if `stack` is NULL. */
void cpu_stack_unmap(char *stack, size_t bytes, size_t guard);

#endif
