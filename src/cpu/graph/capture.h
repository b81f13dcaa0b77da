/* capture.h - captures of streams: what the files about them share.
 *
 * A capture is a graph that streams add to instead of doing their work.  It
 * begins in one stream; others join it through events, and they may belong to
 * other contexts and devices.  Each node runs in the context of the stream
 * that added it.  Everything is under the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CAPTURE_H
#define PYCUDA_CPU_CAPTURE_H

#include "cpu/graph/graph.h"

struct cpu_capture {
    struct cpu_capture *next; /* in the list of all */
    struct cpu_graph *graph;
    struct cpu_stream *origin;  /* the stream that the capture began in */
    struct cpu_stream *streams; /* all that take part, of any context */
    uint64_t id;
    CUstreamCaptureMode mode;
    CUstreamCaptureStatus status;
    pthread_t thread;
    bool borrowed; /* the graph is the caller's */
};

/* ---- capture_streams.c: which streams take part, and their tips ---- */

extern struct cpu_capture *cpu_captures; /* all that are active */
extern atomic_uint cpu_captures_strict;  /* those that forbid unsafe calls */

/* The stream takes part in the capture from now on; its tips are kept. */
void cpu_capture_enter(struct cpu_stream *stream, struct cpu_capture *capture);
/* Adds a new capture to the list, with its origin as the only stream. */
void cpu_capture_start(struct cpu_capture *capture);
/* Ends the capture for all of its streams and frees it, but not its graph. */
void cpu_capture_end(struct cpu_capture *capture);
/* Frees the graph of a capture that failed, unless it is the caller's. */
void cpu_capture_drop_graph(struct cpu_capture *capture);
/* Marks the capture (or none: NULL) as invalid; returns `code`. */
CUresult cpu_capture_invalidate(struct cpu_capture *capture, CUresult code);
/* Whether a stream of the context, or of a green context of it, takes part;
 * with `blocking_only`, one that the legacy stream would wait for. */
bool cpu_capture_has(const struct cpu_capture *capture,
                     const struct cpu_context *ctx,
                     const struct cpu_green *green, bool blocking_only);
/* Whether the node is one of `count` tips. */
bool cpu_tips_have(const CUgraphNode *tips, size_t count, CUgraphNode node);
/* Replaces the stream's tips, or adds to them; OUT_OF_MEMORY leaves them. */
CUresult cpu_capture_set_tips(struct cpu_stream *stream,
                              const CUgraphNode *tips, size_t count);
CUresult cpu_capture_join_tips(struct cpu_stream *stream,
                               const CUgraphNode *more, size_t count);

/* ---- capture.c ---- */

/* The stream of a handle, or of the current context; no sticky error. */
CUresult cpu_capture_stream(CUstream handle, struct cpu_stream **stream);

#endif
