/* device_heap.h - memory that kernels allocate.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_DEVICE_HEAP_H
#define PYCUDA_CPU_RUN_DEVICE_HEAP_H

#include "api/cuda_types.h"

struct cpu_context;

/* Frees all memory that kernels of the context have allocated and not
 * freed. */
void cpu_heap_close(struct cpu_context *ctx);

#endif
