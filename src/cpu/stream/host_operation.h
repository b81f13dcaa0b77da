/* host_operation.h - functions that run in stream order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_HOST_OPERATION_H
#define PYCUDA_CPU_STREAM_HOST_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

#include "api/cuda_types.h"
#include "cpu/stream/run_function.h"

struct cpu_op;
struct cpu_stream;

/* Both functions run run(argument) in stream order. cpu_run_sync waits for the
 * earlier operations and runs the function on the calling thread.
 * cpu_run_async copies `argument`; a worker runs the function, or the calling
 * thread if it is `small` and can start immediately. If the stream is being
 * captured, cpu_run_async adds a graph node of `type` instead. */
CUresult cpu_run_sync(struct cpu_stream *stream, cpu_run *run, void *argument);
CUresult cpu_run_async(struct cpu_stream *stream, CUgraphNodeType type,
                       cpu_run *run, const void *argument, size_t bytes,
                       bool small);
/* Runs the function of a CALL operation. Called by workers. */
void cpu_op_call(struct cpu_op *op);

#endif
