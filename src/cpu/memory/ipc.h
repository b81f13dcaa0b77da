/* ipc.h - memory of other processes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_IPC_H
#define PYCUDA_CPU_MEMORY_IPC_H

#include "api/cuda_types.h"

struct cpu_context;

/* Unmaps the memory of other processes that the context has opened. Takes
 * opened_lock and the memory lock. */
void cpu_ipc_close(struct cpu_context *ctx);

#endif
