/* worker.c - allocates the memory of a worker state, the state of a thread
 * that runs kernels.
 *
 * thread_worker.c calls cpu_worker_new, sets the members of the state, and
 * frees it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cpu/stream/worker.h"

_Thread_local struct cpu_worker *cpu_worker_tls;

struct cpu_worker *
cpu_worker_new(void)
{
    struct cpu_worker *worker =
        aligned_alloc(64, (sizeof *worker + 63) & ~63ul);

    if (worker) {
        *worker = (struct cpu_worker){0};
        worker->loop_thread.block = &worker->block;
    }
    return worker;
}
