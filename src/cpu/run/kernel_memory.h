/* kernel_memory.h - the functions of <string.h> as compiled kernels call them.
 *
 * Each function has the contract of the C function. A call that covers many
 * bytes has cancellation points: if the launch has been abandoned, the call
 * leaves the kernel and does not return. Called by kernel code only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_KERNEL_MEMORY_H
#define PYCUDA_CPU_RUN_KERNEL_MEMORY_H

#include <stddef.h>

/* Copies `bytes` bytes. The two ranges must not overlap. Returns `to`. */
void *cpu_kernel_memcpy(void *to, const void *from, size_t bytes);
/* Copies `bytes` bytes. The two ranges may overlap. Returns `to`. */
void *cpu_kernel_memmove(void *to, const void *from, size_t bytes);
/* Sets `bytes` bytes to the value `byte`. Returns `to`. */
void *cpu_kernel_memset(void *to, int byte, size_t bytes);
/* Compares bytes as unsigned numbers. Returns 0 if all are equal. At the first
 * different byte, returns a negative number if the byte of `a` is less, a
 * positive number if it is greater. */
int cpu_kernel_memcmp(const void *a, const void *b, size_t bytes);
/* Returns the number of bytes before the text's NUL. */
size_t cpu_kernel_strlen(const char *text);

#endif
