/* capture_streams.c - the streams of a capture, and their tips.
 *
 * Called by the other capture files, and by stream.c when a stream is
 * destroyed. A stream's tips are the nodes that its next node depends on. Each
 * capture has a separate list of its streams, since they may belong to several
 * contexts. Callers hold the graph lock, except for cpu_capture_leave, which
 * takes it.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/green.h"
#include "cpu/graph/capture.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream_state.h"

struct cpu_capture *cpu_captures;
atomic_uint cpu_captures_strict;

/* ---- tips ---- */

/* Allocates an array of `count` tips (nodes that a stream's next node depends
 * on), followed by an array of the edge data for each. The edge data are zero,
 * which means a normal dependency: the next node waits until the tip has
 * ended. */
static CUgraphNode *
tips_new(size_t count)
{
    return count > SIZE_MAX / 64
               ? NULL
               : calloc(count + 1,
                        sizeof(CUgraphNode) + sizeof(CUgraphEdgeData));
}

CUresult
cpu_capture_set_tips(struct cpu_stream *stream, const CUgraphNode *tips,
                     size_t count)
{
    CUgraphNode *copy = tips_new(count);

    if (!copy) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        copy[i] = tips[i];
    }
    free(stream->tips);
    stream->tips = copy;
    stream->tip_count = count;
    return CUDA_SUCCESS;
}

bool
cpu_tips_have(const CUgraphNode *tips, size_t count, CUgraphNode node)
{
    for (size_t i = 0; i < count; i++) {
        if (tips[i] == node) {
            return true;
        }
    }
    return false;
}

CUresult
cpu_capture_join_tips(struct cpu_stream *stream, const CUgraphNode *more,
                      size_t count)
{
    size_t have = stream->tip_count;
    CUgraphNode *all = tips_new(have + count);

    if (!all) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < have; i++) {
        all[i] = stream->tips[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (!cpu_tips_have(all, have, more[i])) {
            all[have++] = more[i];
        }
    }
    free(stream->tips);
    stream->tips = all;
    stream->tip_count = have;
    return CUDA_SUCCESS;
}

/* ---- streams ---- */

void
cpu_capture_enter(struct cpu_stream *stream, struct cpu_capture *capture)
{
    stream->captured_next = capture->streams;
    capture->streams = stream;
    atomic_store(&stream->capture, capture);
    atomic_fetch_add(&stream->ctx->capturing, 1);
}

/* Resets the capture state of a stream that leaves a capture. The caller has
 * removed the stream from the capture's list. */
static void
stream_forget(struct cpu_stream *stream)
{
    atomic_store(&stream->capture, NULL);
    atomic_fetch_sub(&stream->ctx->capturing, 1);
    stream->captured_next = NULL;
    free(stream->tips);
    stream->tips = NULL;
    stream->tip_count = 0;
}

static void
stream_leave(struct cpu_capture *capture, struct cpu_stream *stream)
{
    struct cpu_stream **link = &capture->streams;

    while (*link != stream) {
        link = &(*link)->captured_next;
    }
    *link = stream->captured_next;
    stream_forget(stream);
}

bool
cpu_capture_has(const struct cpu_capture *capture,
                const struct cpu_context *ctx, const struct cpu_green *green,
                bool blocking_only)
{
    for (struct cpu_stream *s = capture->streams; s; s = s->captured_next) {
        if (s->ctx == ctx && (!green || s->green == green) &&
            !(blocking_only && s->flags & CU_STREAM_NON_BLOCKING)) {
            return true;
        }
    }
    return false;
}

/* ---- captures ---- */

void
cpu_capture_start(struct cpu_capture *capture)
{
    capture->next = cpu_captures;
    cpu_captures = capture;
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        atomic_fetch_add(&cpu_captures_strict, 1);
    }
    cpu_capture_enter(capture->origin, capture);
}

void
cpu_capture_end(struct cpu_capture *capture)
{
    struct cpu_capture **link = &cpu_captures;

    while (capture->streams) {
        stream_leave(capture, capture->streams);
    }
    while (*link != capture) {
        link = &(*link)->next;
    }
    *link = capture->next;
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        atomic_fetch_sub(&cpu_captures_strict, 1);
    }
    free(capture);
}

void
cpu_capture_drop_graph(struct cpu_capture *capture)
{
    if (capture->borrowed) {
        capture->graph->capturing = false;
    } else {
        cpu_graph_free(capture->graph);
    }
}

CUresult
cpu_capture_invalidate(struct cpu_capture *capture, CUresult code)
{
    if (capture) {
        capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    }
    return code;
}

/* Marks the tips (latest nodes) of a stream that is destroyed during its
 * capture. The end of the capture checks whether the origin stream waits for
 * these nodes, since until then another stream can still wait for them through
 * an event. */
static void
tips_orphan(struct cpu_stream *stream)
{
    for (size_t i = 0; i < stream->tip_count; i++) {
        struct cpu_node *node = cpu_node_of(stream->tips[i]);
        if (node) { /* the program may have destroyed the node */
            node->orphaned = true;
        }
    }
}

void
cpu_capture_leave(struct cpu_stream *stream)
{
    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_capture *capture = atomic_load(&stream->capture);
    if (capture && capture->origin == stream) {
        cpu_capture_drop_graph(capture);
        cpu_capture_end(capture);
    } else if (capture) {
        tips_orphan(stream);
        stream_leave(capture, stream);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
}
