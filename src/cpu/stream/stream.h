/* stream.h - streams.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_STREAM_H
#define PYCUDA_CPU_STREAM_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_capture;
struct cpu_context;
struct cpu_green;
struct cpu_op;
struct cpu_stream_attributes;

struct cpu_stream {
    CUstream handle;
    struct cpu_context *ctx;
    unsigned flags;
    int priority;
    uint64_t id;
    /* The operation submitted last. The stream holds a reference to it.
     * Guarded by the scheduler lock. */
    struct cpu_op *tail;
    struct cpu_stream *next, *previous;
    bool ended; /* destroyed, but some of its operations are not complete */
    /* Attributes of the stream; owned; NULL before the first use. */
    struct cpu_stream_attributes *attributes;
    /* Capture in which the stream participates, or NULL; set under the graph
     * lock. */
    struct cpu_capture *_Atomic capture;
    /* Next stream of the same capture; guarded by the graph lock. */
    struct cpu_stream *captured_next;
    /* Green context that was current when the stream was created, or NULL. */
    struct cpu_green *green;
    /* During a capture: the nodes that the stream's next node depends on;
     * guarded by the graph lock. */
    CUgraphNode *tips;
    size_t tip_count;
};

/* Returns a new reference to the stream's last operation, or NULL if there is
 * none. */
struct cpu_op *cpu_stream_tail(struct cpu_stream *stream);
/* cpu_stream_idle returns true if all operations of the stream are done.
 * cpu_stream_wait waits until they are. */
bool cpu_stream_idle(struct cpu_stream *stream);
void cpu_stream_wait(struct cpu_stream *stream);
/* the lowest priority is 0; lower numbers are higher priorities */
#define CPU_PRIORITY_HIGHEST (-5)
/* Returns the priority, limited to the valid range. */
int cpu_priority_clamp(int priority);
/* If true, the calling thread's default stream is ctx->per_thread; otherwise
 * it is ctx->legacy. */
extern _Thread_local bool cpu_default_is_per_thread
    __attribute__((tls_model("initial-exec")));
/* Finds a stream of `ctx` by its handle; NULL is the default stream. Returns
 * INVALID_HANDLE for a stream of another context. */
CUresult cpu_stream_of(CUstream handle, struct cpu_context *ctx,
                       struct cpu_stream **stream);
/* Finds a stream of any context by its handle; a default stream is that of the
 * current context. Works in contexts with a sticky error. */
CUresult cpu_stream_any(CUstream handle, struct cpu_stream **stream);
/* Finds the stream and its context for copies, fills, events and graphs. As in
 * CUDA, the stream may have been created in another context than the current
 * one. Fails if one of the two contexts has a sticky error. */
CUresult cpu_stream_current(CUstream handle, struct cpu_context **ctx,
                            struct cpu_stream **stream);
/* Makes a new stream wait for the operations for which all streams of its
 * context must wait (context_events.c). */
CUresult cpu_stream_wait_gates(struct cpu_stream *stream);
/* Add a stream to the context's list, or remove it. Both functions take the
 * scheduler lock. */
void cpu_stream_attach(struct cpu_context *ctx, struct cpu_stream *stream);
void cpu_stream_detach(struct cpu_stream *stream);
/* Destroy all streams, or all events, of a context that is being destroyed. */
void cpu_streams_close(struct cpu_context *ctx);

#endif
