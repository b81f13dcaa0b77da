/* printf.h - output buffer of printf().
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_PRINTF_H
#define PYCUDA_CPU_RUN_PRINTF_H

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_fifo;

/* Create, free and flush (print) the output buffer for the kernels of a
 * context. Flushing takes the printf lock. */
struct cpu_fifo *cpu_fifo_new(void);
void cpu_fifo_delete(struct cpu_fifo *fifo);
void cpu_fifo_flush(struct cpu_context *ctx);

#endif
