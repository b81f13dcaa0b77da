/* wait.h - waits for operations.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_WAIT_H
#define PYCUDA_CPU_STREAM_WAIT_H

#include <stdbool.h>

struct cpu_context;
struct cpu_op;
struct cpu_stream;

/* Waits until the operation is complete. */
void cpu_op_wait(struct cpu_op *op);
/* Waits until all dependencies of the operation are complete, so that it may
 * start. */
void cpu_op_wait_ready(struct cpu_op *op);
/* Returns a new reference to the stream's last operation, or NULL if there is
 * none. */
struct cpu_op *cpu_stream_tail(struct cpu_stream *stream);
/* cpu_stream_idle returns true if all operations of the stream are done.
 * cpu_stream_wait waits until they are. */
bool cpu_stream_idle(struct cpu_stream *stream);
void cpu_stream_wait(struct cpu_stream *stream);
/* cpu_scheduler_drain waits until all operations of the context are done.
 * cpu_scheduler_end also waits, but for the check `streams` the program does
 * not count as having waited. */
void cpu_scheduler_drain(struct cpu_context *ctx);
void cpu_scheduler_end(struct cpu_context *ctx);

#endif
