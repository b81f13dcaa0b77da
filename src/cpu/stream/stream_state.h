/* stream_state.h - the state of a stream.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_STREAM_STREAM_STATE_H
#define PYCUDA_CPU_STREAM_STREAM_STATE_H

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
    /* For the check `streams` (check/streams/stream_order.c): number of the
     * stream's timeline, or 0. */
    unsigned timeline;
    /* Green context that was current when the stream was created, or NULL. */
    struct cpu_green *green;
    /* During a capture: the nodes that the stream's next node depends on;
     * guarded by the graph lock. */
    CUgraphNode *tips;
    size_t tip_count;
};

#endif
