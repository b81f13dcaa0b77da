/* host_function.h - functions that run in stream order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_HOST_FUNCTION_H
#define PYCUDA_CPU_STREAM_HOST_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "api/cuda_types.h"
#include "cpu/stream/run_function.h"

struct cpu_stream;

/* Waits for the earlier operations of the stream, then runs run(argument) on
 * the calling thread. Returns the function's result. Does not run the function
 * and returns an error if the context has one, or if there is not enough
 * memory. `host_waits` is for the check `streams`. It is true if the program
 * may rely on the end of the function after the call, as after a synchronous
 * copy. */
CUresult cpu_run_sync(struct cpu_stream *stream, cpu_run *run, void *argument,
                      bool host_waits);
/* Runs run(argument) in stream order, with a copy of the `bytes` bytes at
 * `argument`. A worker runs the function; if `small` is true and the function
 * can start immediately, the calling thread runs it. If the stream is being
 * captured, adds a graph node of `type` instead. Returns OUT_OF_MEMORY, a
 * system error if the workers cannot start, or the error of a function that
 * ran immediately. */
CUresult cpu_run_async(struct cpu_stream *stream, CUgraphNodeType type,
                       cpu_run *run, const void *argument, size_t bytes,
                       bool small);

#endif
