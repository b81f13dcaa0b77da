/* capture.h - stream captures; internal to the capture files.
 *
 * A capture is a graph that streams add their work to instead of running it.
 * It begins in one stream; other streams join it through events, and may
 * belong to other contexts and devices. Each node runs in the context of the
 * stream that added it.
 *
 * The graph lock guards all state, and callers of these functions hold it
 * unless stated otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CAPTURE_H
#define PYCUDA_CPU_CAPTURE_H

#include "cpu/graph/graph.h"

struct cpu_capture {
    struct cpu_capture *next; /* link of the list of active captures */
    struct cpu_graph *graph;
    struct cpu_stream *origin;  /* stream in which the capture began */
    struct cpu_stream *streams; /* participating streams, of any context */
    uint64_t id;
    CUstreamCaptureMode mode;
    CUstreamCaptureStatus status;
    pthread_t thread;
    bool borrowed; /* the graph belongs to the caller */
};

/* ---- capture_streams.c: participating streams and their tips ---- */

extern struct cpu_capture *cpu_captures; /* list of active captures */
extern atomic_uint cpu_captures_strict; /* captures that forbid unsafe calls */

/* Makes the stream participate in the capture; its tips are unchanged. */
void cpu_capture_enter(struct cpu_stream *stream, struct cpu_capture *capture);
/* Adds a new capture to the list, with its origin as the only stream. */
void cpu_capture_start(struct cpu_capture *capture);
/* Ends the capture for all of its streams and frees it, but not its graph. */
void cpu_capture_end(struct cpu_capture *capture);
/* Frees the graph of a failed capture unless it belongs to the caller. */
void cpu_capture_drop_graph(struct cpu_capture *capture);
/* Marks the capture, if not NULL, as invalid; returns `code`. */
CUresult cpu_capture_invalidate(struct cpu_capture *capture, CUresult code);
/* Returns true if a stream of the context, or of the green context if one is
 * given, participates. With `blocking_only`, counts only streams that the
 * legacy stream waits for. */
bool cpu_capture_has(const struct cpu_capture *capture,
                     const struct cpu_context *ctx,
                     const struct cpu_green *green, bool blocking_only);
/* Returns true if the node is one of `count` tips. */
bool cpu_tips_have(const CUgraphNode *tips, size_t count, CUgraphNode node);
/* Replace the stream's tips, or add to them. OUT_OF_MEMORY leaves the tips
 * unchanged. */
CUresult cpu_capture_set_tips(struct cpu_stream *stream,
                              const CUgraphNode *tips, size_t count);
CUresult cpu_capture_join_tips(struct cpu_stream *stream,
                               const CUgraphNode *more, size_t count);

/* ---- capture.c ---- */

/* Finds the stream of a handle, or the current context's default stream. Does
 * not report the context's sticky error. Needs no lock. */
CUresult cpu_capture_stream(CUstream handle, struct cpu_stream **stream);

#endif
