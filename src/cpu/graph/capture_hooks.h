/* capture_hooks.h - stream captures: functions that other folders call.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_GRAPH_CAPTURE_HOOKS_H
#define PYCUDA_CPU_GRAPH_CAPTURE_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "api/cuda_types.h"
#include "cpu/stream/stream_state.h"

struct cpu_captured;
struct cpu_context;
struct cpu_green;
struct cpu_node_task;

/* If not NULL, the next task (graph node's work) that the calling thread
 * submits is stored at this address instead of being executed. */
extern _Thread_local struct cpu_node_task *cpu_node_task_sink
    __attribute__((tls_model("initial-exec")));

/* Returns whether work for the stream is recorded instead of executed: the
 * stream is captured, or cpu_node_task_sink is set. */
static inline bool
cpu_stream_records(struct cpu_stream *stream)
{
    return cpu_node_task_sink ||
           atomic_load_explicit(&stream->capture, memory_order_relaxed);
}

/* Stores the task in cpu_node_task_sink, or adds it to the stream's capture.
 * Takes ownership of the task, even on failure. */
CUresult cpu_node_task_record(struct cpu_stream *stream,
                              struct cpu_node_task *task);
/* Called before the legacy stream is used. The legacy stream and the blocking
 * streams of the context (those without CU_STREAM_NON_BLOCKING) wait for each
 * other. So if a blocking stream is being captured, invalidates the capture
 * and returns an error. */
CUresult cpu_capture_implicit(struct cpu_context *ctx);
/* Called by a function that is forbidden for a captured stream. Invalidates
 * the stream's capture and returns STREAM_CAPTURE_UNSUPPORTED. */
CUresult cpu_capture_refuse(struct cpu_stream *stream);
/* Called by a function that waits for all streams of the context, or of the
 * green context if that is not NULL. If one of them is captured, invalidates
 * the capture and returns an error. */
CUresult cpu_capture_refuse_all(struct cpu_context *ctx,
                                const struct cpu_green *green);
/* Called by a function that a capture in global or thread-local mode forbids.
 * Returns an error if there is such a capture. */
CUresult cpu_capture_unsafe(void);
/* cpu_capture_record creates an object with the captured graph nodes on which
 * a recorded event depends. cpu_capture_wait makes a stream depend on these
 * nodes. */
CUresult cpu_capture_record(struct cpu_stream *stream,
                            struct cpu_captured **made);
CUresult cpu_capture_wait(struct cpu_stream *stream,
                          const struct cpu_captured *event);
/* Called when a program queries an event that was recorded in a capture.
 * Invalidates the capture and returns an error. */
CUresult cpu_capture_asked(const struct cpu_captured *event);
/* Called when a captured stream would wait for work outside its capture.
 * Invalidates the capture and returns an error. */
CUresult cpu_capture_isolated(struct cpu_stream *stream);
/* Called when a stream is destroyed: removes it from its capture. */
void cpu_capture_leave(struct cpu_stream *stream);

#endif
