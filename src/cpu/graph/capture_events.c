/* capture_events.c - events that extend a capture to other streams.
 *
 * Called by event.c. An event that is recorded in a captured stream stores the
 * tips of this stream: the nodes that its next node would depend on. A stream
 * that waits for the event participates in the capture from then on, and its
 * next node depends on these tips, too. The streams may belong to different
 * contexts. The functions acquire the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/graph/capture.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream_state.h"

struct cpu_captured {
    uint64_t id; /* id of the stream capture */
    size_t count;
    CUgraphNode tips[];
};

static struct cpu_capture *
capture_find(uint64_t id)
{
    struct cpu_capture *capture = cpu_captures;

    while (capture && capture->id != id) {
        capture = capture->next;
    }
    return capture;
}

CUresult
cpu_capture_record(struct cpu_stream *stream, struct cpu_captured **made)
{
    CUresult code = CUDA_SUCCESS;

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_capture *capture = atomic_load(&stream->capture);
    if (!capture || capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    size_t bytes = stream->tip_count * sizeof *stream->tips;
    if (!code && !(*made = malloc(sizeof **made + bytes))) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!code) {
        (*made)->id = capture->id;
        (*made)->count = stream->tip_count;
        if (bytes) {
            memcpy((*made)->tips, stream->tips, bytes);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* Makes the stream's next node depend on the tips in the event. If the stream
 * is not being captured, it joins the event's capture. If it belongs to
 * another capture, returns an error and invalidates both captures. The caller
 * holds the graph lock. */
static CUresult
wait_captured(struct cpu_stream *stream, const struct cpu_captured *event)
{
    struct cpu_capture *from = capture_find(event->id);
    struct cpu_capture *own = atomic_load(&stream->capture);

    if (!from) {
        return own ? cpu_capture_invalidate(
                         own, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
                   : CUDA_ERROR_CAPTURED_EVENT;
    }
    if (from->status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (stream == &stream->ctx->legacy) {
        return cpu_capture_invalidate(from,
                                      CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    if (own && own != from) {
        cpu_capture_invalidate(own, CUDA_SUCCESS);
        return cpu_capture_invalidate(from, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    if (!own) {
        cpu_capture_enter(stream, from);
    }
    return cpu_capture_join_tips(stream, event->tips, event->count);
}

CUresult
cpu_capture_wait(struct cpu_stream *stream, const struct cpu_captured *event)
{
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = wait_captured(stream, event);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CUresult
cpu_capture_asked(const struct cpu_captured *event)
{
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_capture_invalidate(capture_find(event->id),
                                           CUDA_ERROR_CAPTURED_EVENT);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
