/* capture.c - begin and end of stream captures.
 *
 * Called by users of the library. capture_tasks.c adds the nodes,
 * capture_events.c makes other streams join, and capture_guard.c rejects calls
 * that a capture cannot contain. All state is guarded by the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"

/* id of the latest capture; guarded by the graph lock */
static uint64_t capture_ids;

CUresult
cpu_capture_stream(CUstream handle, struct cpu_stream **stream)
{
    struct cpu_context *ctx;

    *stream = cpu_handle_object(CPU_STREAM, handle);
    if (*stream) {
        return cpu_ready();
    }
    CUresult code = cpu_context_current_any(&ctx);
    if (!code && (handle == CU_STREAM_PER_THREAD ||
                  (!handle && cpu_default_is_per_thread))) {
        *stream = &ctx->per_thread;
    } else if (!code && (!handle || handle == CU_STREAM_LEGACY)) {
        *stream = &ctx->legacy;
    }
    return code || *stream ? code : CUDA_ERROR_INVALID_HANDLE;
}

/* Begins a capture of the stream into the graph. `borrowed`: the graph belongs
 * to the program; otherwise the capture owns it until it ends. */
static CUresult
capture_begin(struct cpu_stream *stream, CUstreamCaptureMode mode,
              struct cpu_graph *graph, bool borrowed)
{
    struct cpu_capture *capture = calloc(1, sizeof *capture);

    if (!capture) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *capture = (struct cpu_capture){
        .graph = graph,
        .origin = stream,
        .id = ++capture_ids,
        .mode = mode,
        .status = CU_STREAM_CAPTURE_STATUS_ACTIVE,
        .thread = pthread_self(),
        .borrowed = borrowed,
    };
    graph->capturing = true;
    for (struct cpu_node *n = graph->first; n; n = n->next) {
        n->earlier = true;
    }
    cpu_capture_start(capture);
    return CUDA_SUCCESS;
}

/* Returns ILLEGAL_STATE if the stream is being captured already. The caller
 * holds the graph lock. */
static CUresult
capture_may_begin(struct cpu_stream *stream)
{
    return atomic_load(&stream->capture) ? CUDA_ERROR_ILLEGAL_STATE
                                         : CUDA_SUCCESS;
}

/* Finds the stream of a handle. Returns an error if the mode is invalid, or
 * for the legacy stream, which cannot be captured. */
static CUresult
begin_check(CUstream handle, CUstreamCaptureMode mode,
            struct cpu_stream **stream)
{
    CUresult code = cpu_capture_stream(handle, stream);

    if (!code) {
        code = cpu_context_status((*stream)->ctx);
    }
    if (code) {
        return code;
    }
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return *stream == &(*stream)->ctx->legacy
               ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
               : CUDA_SUCCESS;
}

/* Begins a capture into a new graph. The caller holds the graph lock. */
static CUresult
begin_new(struct cpu_stream *stream, CUstreamCaptureMode mode)
{
    CUresult code = capture_may_begin(stream);
    struct cpu_graph *graph = code ? NULL : cpu_graph_new();

    if (code || !graph) {
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    code = capture_begin(stream, mode, graph, false);
    if (code) {
        cpu_graph_free(graph);
    }
    return code;
}

CPU_API CUresult
cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
    struct cpu_stream *stream;
    CUresult code = begin_check(handle, mode, &stream);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = begin_new(stream, mode);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuStreamBeginCapture(CUstream stream)
{
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

/* Begins a capture into an existing graph; the first captured nodes will
 * depend on the `count` nodes in `after`. The caller holds the graph lock. */
static CUresult
begin_in(struct cpu_stream *stream, CUstreamCaptureMode mode, CUgraph handle,
         const CUgraphNode *after, size_t count)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);
    CUresult code = capture_may_begin(stream);

    if (code) {
        return code;
    }
    if (!graph || graph->capturing) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        struct cpu_node *node = cpu_node_of(after[i]);
        if (!node || node->graph != graph) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    code = cpu_capture_set_tips(stream, after, count);
    if (!code) {
        code = capture_begin(stream, mode, graph, true);
    }
    return code;
}

CPU_API CUresult
cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph,
                            const CUgraphNode *after,
                            const CUgraphEdgeData *data, size_t count,
                            CUstreamCaptureMode mode)
{
    struct cpu_stream *stream;
    CUresult code = begin_check(handle, mode, &stream);

    if (code) {
        return code;
    }
    if ((count && !after) || !cpu_edge_data_valid(data, count)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = begin_in(stream, mode, graph, after, count);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* Returns true if the origin stream waits for the node: the node is one of its
 * tips (the stream's next node will depend on it), or another node depends on
 * it. Also returns true if the origin stream need not wait: the program has
 * removed the node from the tips of a stream, or the node was in the graph
 * before the capture began. */
static bool
node_joined(const struct cpu_stream *origin, const struct cpu_node *node)
{
    bool leads = node->detached || node->earlier ||
                 cpu_tips_have(origin->tips, origin->tip_count, node->handle);

    for (struct cpu_node *m = node->next; m && !leads; m = m->next) {
        leads = cpu_node_depends(m, node);
    }
    return leads;
}

/* Checks that the origin stream (where the capture began) has waited for the
 * last node of each stream that has joined the capture. Otherwise returns
 * UNJOINED, or INVALIDATED if one of the joined streams has been destroyed. */
static CUresult
capture_joined(const struct cpu_capture *capture)
{
    CUresult code = CUDA_SUCCESS;

    for (struct cpu_node *n = capture->graph->first; n; n = n->next) {
        if (node_joined(capture->origin, n)) {
            continue;
        }
        if (n->orphaned) {
            return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        }
        code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    return code;
}

/* Ends the capture of the stream and stores its graph in *graph. If the
 * capture is invalid, or its origin stream has not waited for all other
 * streams, frees the graph and returns an error. The caller holds the graph
 * lock. */
static CUresult
capture_finish(struct cpu_stream *stream, CUgraph *graph)
{
    struct cpu_capture *capture = atomic_load(&stream->capture);
    CUresult code = CUDA_SUCCESS;

    if (!capture) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    if (capture->origin != stream) {
        return cpu_capture_invalidate(capture,
                                      CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    }
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        !pthread_equal(capture->thread, pthread_self())) {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    if (capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    } else {
        code = capture_joined(capture);
    }
    if (code) {
        cpu_capture_drop_graph(capture);
    } else {
        capture->graph->capturing = false;
        *graph = capture->graph->handle;
    }
    cpu_capture_end(capture);
    return code;
}

CPU_API CUresult
cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    struct cpu_stream *stream;
    CUresult code = cpu_capture_stream(handle, &stream);

    if (code) {
        return code;
    }
    if (!graph) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *graph = NULL;
    pthread_mutex_lock(&cpu_graph_lock);
    code = capture_finish(stream, graph);
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}
