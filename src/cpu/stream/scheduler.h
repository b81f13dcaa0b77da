/* scheduler.h - the scheduler lock, and waits for contexts.
 *
 * Lock order, outermost first: a context's `lock`, an event's lock, the graph
 * lock (graph/graph.h), the memory lock (memory/arena.c), the scheduler lock
 * (stream/scheduler.c), the printf lock. No lock is held while kernel code, a
 * host function or a copy runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_SCHEDULER_H
#define PYCUDA_CPU_STREAM_SCHEDULER_H

#include <pthread.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;

extern pthread_mutex_t cpu_scheduler_lock;
/* Releases the scheduler lock, then wakes the threads for which there is work
 * now. */
void cpu_scheduler_unlock(void);

#endif
