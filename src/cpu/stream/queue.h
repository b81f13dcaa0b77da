/* queue.h - how operations that are ready come to the threads that run them.
 *
 * Between scheduler.c, which has the queues and the lock, and workers.c, whose
 * threads take from them or are given work while they spin.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_QUEUE_H
#define PYCUDA_CPU_QUEUE_H

#include "cpu/cpu.h"

/* For workers.c; the lock is held. */
struct cpu_op *cpu_queue_take(bool kernels_too);
struct cpu_op *cpu_queue_help(const struct cpu_op *op, uint64_t most);
void cpu_queue_more(struct cpu_op *op);
void cpu_queue_end(struct cpu_op *op);
extern unsigned cpu_queue_sleeping; /* workers that must be woken */
extern pthread_cond_t cpu_queue_work, cpu_queue_calls;

/* Threads that sleep until an operation's state changes (wait.c); under the
 * lock.  cpu_wait_wake wakes them, without the lock. */
extern unsigned cpu_wait_sleepers;
void cpu_wait_wake(void);

/* What threads that look for work read without the lock, in lines of the
 * cache that nothing else is in. */
extern struct cpu_queue_signs {
    _Alignas(64) atomic_uint puts;     /* grows when a kernel is queued */
    _Alignas(64) atomic_uint ready;    /* operations in the queues */
    _Alignas(64) atomic_uint spinning; /* workers that look for work */
} cpu_queue_signs;

/* Where a worker that spins is given an operation: a kernel that it has
 * joined, or a call that is its own.  NULL: it does not spin. */
#define CPU_SEAT_FREE ((struct cpu_op *)1)
#define CPU_SEAT_KEPT ((struct cpu_op *)2) /* one is about to be given */
struct cpu_seat {
    _Alignas(64) _Atomic(struct cpu_op *) op;
};
extern struct cpu_seat *cpu_seats; /* by the worker's number */

#endif
