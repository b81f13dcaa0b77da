/* stream.h - streams: finds, creates and destroys them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_STREAM_H
#define PYCUDA_CPU_STREAM_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_green;
struct cpu_op;
struct cpu_stream;

/* the lowest priority is 0; lower numbers are higher priorities */
#define CPU_PRIORITY_HIGHEST (-5)
/* Returns the priority, limited to the valid range. */
int cpu_priority_clamp(int priority);
/* If true, the calling thread's default stream is ctx->per_thread; otherwise
 * it is ctx->legacy. */
extern _Thread_local bool cpu_default_is_per_thread
    __attribute__((tls_model("initial-exec")));
/* Finds a stream of `ctx` by its handle; NULL is the default stream. For a
 * stream of another context, stores that stream but returns INVALID_HANDLE.
 * For an invalid handle, stores NULL and returns an error. */
CUresult cpu_stream_of(CUstream handle, struct cpu_context *ctx,
                       struct cpu_stream **stream);
/* Finds a stream of any context by its handle. The handle of a default stream
 * denotes the default stream of the current context. Works in contexts with a
 * sticky error. */
CUresult cpu_stream_any(CUstream handle, struct cpu_stream **stream);
/* Finds the stream and its context for copies, fills, events and graphs. As in
 * CUDA, the stream may have been created in another context than the current
 * one. Fails if one of the two contexts has a sticky error. */
CUresult cpu_stream_current(CUstream handle, struct cpu_context **ctx,
                            struct cpu_stream **stream);
/* cpu_stream_attach adds a stream to its context's list of streams;
 * cpu_stream_detach removes it. Both functions take the scheduler lock. */
void cpu_stream_attach(struct cpu_context *ctx, struct cpu_stream *stream);
void cpu_stream_detach(struct cpu_stream *stream);
/* Destroys all streams of a context that is being destroyed. */
void cpu_streams_close(struct cpu_context *ctx);
/* Creates a stream in the context `ctx`. The stream belongs to the green
 * context `green` unless that is NULL. */
CUresult cpu_stream_new(struct cpu_context *ctx, struct cpu_green *green,
                        unsigned flags, int priority, CUstream *handle);
/* Makes all streams of a destroyed green context invalid: calls with their
 * handles fail from now on. */
void cpu_streams_strand(struct cpu_green *green);

#endif
