/* workers.h - the worker threads, which run the operations of streams.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_WORKERS_H
#define PYCUDA_CPU_STREAM_WORKERS_H

#include <stdbool.h>

#include "api/cuda_types.h"

struct cpu_op;

/* Runs chunks of a kernel on the calling thread, which waits for `op`. The
 * kernel is `op` or one that `op` depends on. Returns true if the thread has
 * joined the kernel, false if there was no kernel to join. */
bool cpu_worker_help(const struct cpu_op *op);
/* Starts the workers and the watchdog unless they run already. Returns
 * OUT_OF_MEMORY or a system error on failure. */
CUresult cpu_workers_start(void);

#endif
