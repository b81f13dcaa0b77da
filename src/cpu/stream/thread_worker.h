/* thread_worker.h - the worker state of a thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_THREAD_WORKER_H
#define PYCUDA_CPU_STREAM_THREAD_WORKER_H

struct cpu_worker;

/* Returns the worker state of the calling thread, and creates it on the first
 * call. Returns NULL if there is not enough memory. The state is freed when
 * the thread ends. */
struct cpu_worker *cpu_worker_self(void);
/* Frees a worker state and all states linked to it by `next_block`, and sets
 * the calling thread's cpu_worker_tls to NULL. */
void cpu_worker_free(struct cpu_worker *worker);
/* Allocates an alternate signal stack and installs it in the calling thread.
 * Returns the stack's memory, or NULL if there is not enough memory. */
void *cpu_worker_signal_stack_new(void);

#endif
