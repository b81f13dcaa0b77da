/* capture.h - stream captures; internal to the capture files.
 *
 * While a stream is being captured, its work is added to a graph instead of
 * being executed. A capture begins in one stream. Other streams join it when
 * they wait for an event of a captured stream; they may belong to other
 * contexts and devices. Each node runs in the context of the stream that added
 * it. The tips of a stream are the nodes that its next node will depend on.
 *
 * The graph lock guards all state, and callers of these functions hold it
 * unless stated otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CAPTURE_H
#define PYCUDA_CPU_CAPTURE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;
struct cpu_green;

struct cpu_capture {
    struct cpu_capture *next; /* next element in the list of active captures */
    struct cpu_graph *graph;
    struct cpu_stream *origin; /* stream in which the capture began */
    /* list of the streams that participate in the capture; they may belong to
     * several contexts */
    struct cpu_stream *streams;
    uint64_t id;
    CUstreamCaptureMode mode;
    CUstreamCaptureStatus status;
    pthread_t thread;
    /* true: the program passed the graph and continues to own it; false: the
     * capture owns it */
    bool borrowed;
};

/* ---- capture_streams.c: participating streams and their tips ---- */

extern struct cpu_capture *cpu_captures; /* list of active captures */
/* number of active captures that forbid unsafe calls */
extern atomic_uint cpu_captures_strict;

/* Makes the stream participate in the capture, without changing the nodes on
 * which the stream's next node depends. */
void cpu_capture_enter(struct cpu_stream *stream, struct cpu_capture *capture);
/* Adds a new capture to the list cpu_captures, with capture->origin as its
 * only stream. */
void cpu_capture_start(struct cpu_capture *capture);
/* Ends the capture for all of its streams and frees it, but not its graph. */
void cpu_capture_end(struct cpu_capture *capture);
/* Frees the graph of a failed capture, unless the program owns the graph. */
void cpu_capture_drop_graph(struct cpu_capture *capture);
/* Marks the capture as invalid, unless it is NULL. Always returns `code`. */
CUresult cpu_capture_invalidate(struct cpu_capture *capture, CUresult code);
/* Returns true if a stream of the context participates in the capture. If
 * `green` is not NULL, only streams of this green context count. If
 * `blocking_only` is true, streams with CU_STREAM_NON_BLOCKING do not
 * count. */
bool cpu_capture_has(const struct cpu_capture *capture,
                     const struct cpu_context *ctx,
                     const struct cpu_green *green, bool blocking_only);
/* Returns true if `node` is one of the `count` elements of the array
 * `tips`. */
bool cpu_tips_have(const CUgraphNode *tips, size_t count, CUgraphNode node);
/* cpu_capture_set_tips replaces the stream's tips (the nodes that its next
 * node depends on); cpu_capture_join_tips adds to them. On OUT_OF_MEMORY the
 * tips are unchanged. */
CUresult cpu_capture_set_tips(struct cpu_stream *stream,
                              const CUgraphNode *tips, size_t count);
CUresult cpu_capture_join_tips(struct cpu_stream *stream,
                               const CUgraphNode *more, size_t count);

/* ---- capture.c ---- */

/* Finds the stream of a handle; 0 means the current context's default stream.
 * Succeeds even if the context has a sticky error. The caller need not hold a
 * lock. */
CUresult cpu_capture_stream(CUstream handle, struct cpu_stream **stream);

#endif
