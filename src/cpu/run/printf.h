/* printf.h - output buffer of printf().
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_PRINTF_H
#define PYCUDA_CPU_RUN_PRINTF_H

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_fifo;

/* Creates the buffer for the output of printf in the kernels of a context. The
 * caller owns it. Returns NULL if there is not enough memory. */
struct cpu_fifo *cpu_fifo_new(void);
/* Frees the buffer without printing what it contains. */
void cpu_fifo_delete(struct cpu_fifo *fifo);
/* Prints the contents of the context's buffer and empties it. Takes the printf
 * lock. */
void cpu_fifo_flush(struct cpu_context *ctx);

#endif
