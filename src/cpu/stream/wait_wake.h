/* wait_wake.h - wakes the threads that wait for operations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_WAIT_WAKE_H
#define PYCUDA_CPU_STREAM_WAIT_WAKE_H

#include <pthread.h>

/* Number of threads that sleep until an operation's state changes (wait.c);
 * guarded by the scheduler lock. */
extern unsigned cpu_wait_sleepers;
/* Condition variable on which threads sleep until the state of an operation
 * changes; uses the monotonic clock. */
extern pthread_cond_t cpu_wait_changed;
/* Initializes cpu_wait_changed, at the first call. */
void cpu_wait_prepare(void);
/* Wakes all sleeping threads. The caller must not hold the scheduler lock. */
void cpu_wait_wake(void);

#endif
