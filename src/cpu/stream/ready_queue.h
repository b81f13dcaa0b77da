/* ready_queue.h - queues of ready operations, shared by scheduler and workers.
 *
 * scheduler.c owns the queues and the lock. The threads of workers.c take
 * operations from the queues. A spinning thread receives operations directly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_READY_QUEUE_H
#define PYCUDA_CPU_READY_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"

/* ---- called by workers.c with the scheduler lock held ----
 * cpu_ready_queue_take removes a CALL operation from the queue and returns it.
 * If there is none and `kernels_too` is true, makes the calling thread join a
 * kernel (become one of the threads that run its blocks) and returns the
 * kernel. The caller must run the result. Returns NULL if nothing is ready. */
struct cpu_op *cpu_ready_queue_take(bool kernels_too);
/* Called by a thread that waits for `op`. If the first kernel of the queue is
 * `op`, or if `op` may depend on that kernel, makes the thread join the
 * kernel. Returns the kernel; the caller must run blocks of it. Returns NULL
 * if the thread cannot join, or if the kernel is expected to take more than
 * `most` nanoseconds. */
struct cpu_op *cpu_ready_queue_take_for_waiter(const struct cpu_op *op,
                                               uint64_t most);
/* Requests another worker for a running launch, if it has chunks left and an
 * idle worker exists. */
void cpu_ready_queue_request_worker(struct cpu_op *op);
/* Finishes a kernel operation. Called by the worker that ran its last
 * block. */
void cpu_ready_queue_finish_kernel(struct cpu_op *op);
extern unsigned cpu_ready_queue_sleeping; /* number of workers that sleep */
extern pthread_cond_t cpu_ready_queue_work_added, cpu_ready_queue_calls_added;

/* Counters that idle threads read without the lock. Each is in a separate
 * cache line, to avoid false sharing. */
extern struct cpu_ready_queue_counters {
    /* Number of kernels queued so far. */
    _Alignas(64) atomic_uint puts;
    /* number of operations in the queues of ready operations */
    _Alignas(64) atomic_uint ready;
    _Alignas(64) atomic_uint spinning; /* number of spinning workers */
} cpu_ready_queue_counters;

/* A hand-off slot points to the operation that its spinning worker receives: a
 * kernel that the worker has already joined, or a CALL operation to run. The
 * slot is NULL if the worker does not spin, and CPU_HANDOFF_FREE while the
 * worker spins and has received nothing. */
#define CPU_HANDOFF_FREE ((struct cpu_op *)1)
/* Value of a hand-off slot that the scheduler has reserved, to store an
 * operation in it. */
#define CPU_HANDOFF_RESERVED ((struct cpu_op *)2)
struct cpu_handoff {
    _Alignas(64) _Atomic(struct cpu_op *) op;
};
/* array of the hand-off slots, one per worker */
extern struct cpu_handoff *cpu_handoffs;

#endif
