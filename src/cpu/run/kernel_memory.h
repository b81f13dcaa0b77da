/* kernel_memory.h - the functions of <string.h> as compiled kernels call them.
 *
 * Each has the contract of the C function. A call that covers many bytes has
 * cancellation points: if the launch has been abandoned, it leaves the kernel
 * and does not return. Called by kernel code only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_KERNEL_MEMORY_H
#define PYCUDA_CPU_RUN_KERNEL_MEMORY_H

#include <stddef.h>

void *cpu_kernel_memcpy(void *to, const void *from, size_t bytes);
void *cpu_kernel_memmove(void *to, const void *from, size_t bytes);
void *cpu_kernel_memset(void *to, int byte, size_t bytes);
int cpu_kernel_memcmp(const void *a, const void *b, size_t bytes);
size_t cpu_kernel_strlen(const char *text);

#endif
