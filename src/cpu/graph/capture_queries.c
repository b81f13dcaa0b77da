/* capture_queries.c - queries of a stream's capture; queries and changes of
 * the dependencies of the stream's next node (its tips).
 *
 * Called by users of the library. Acquires the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream_state.h"

CPU_API CUresult
cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus *status,
                          cuuint64_t *id, CUgraph *graph,
                          const CUgraphNode **tips,
                          const CUgraphEdgeData **data, size_t *count)
{
    struct cpu_stream *stream;
    CUresult code = cpu_capture_stream(handle, &stream);

    if (code) {
        return code;
    }
    if (!status) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (stream == &stream->ctx->legacy) {
        return cpu_capture_implicit(stream->ctx);
    }
    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_capture *capture = atomic_load(&stream->capture);
    if (capture) {
        *status = capture->status;
    }
    if (capture && id) {
        *id = capture->id;
    }
    if (capture && graph) {
        *graph = capture->graph->handle;
    }
    if (capture && tips) {
        *tips = stream->tips;
    }
    /* the array of edge data follows the array of tips (nodes) in memory */
    if (capture && data) {
        *data =
            stream->tip_count
                ? (const CUgraphEdgeData *)(const void *)(stream->tips +
                                                          stream->tip_count)
                : NULL;
    }
    if (capture && count) {
        *count = stream->tip_count;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status,
                          cuuint64_t *id, CUgraph *graph,
                          const CUgraphNode **tips, size_t *count)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, tips, NULL,
                                     count);
}

CPU_API CUresult
cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                       cuuint64_t *id)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL,
                                     NULL);
}

CPU_API CUresult
cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    return cuStreamGetCaptureInfo_v3(stream, status, NULL, NULL, NULL, NULL,
                                     NULL);
}

/* Replaces the stream's tips (the nodes that its next node depends on). A
 * previous tip without dependents does not make the end of the capture
 * fail. */
static CUresult
capture_replace_tips(struct cpu_stream *stream, const CUgraphNode *tips,
                     size_t count)
{
    for (size_t i = 0; i < stream->tip_count; i++) {
        struct cpu_node *node = cpu_node_of(stream->tips[i]);
        if (node) {
            node->detached = true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        cpu_node_of(tips[i])->detached = false;
    }
    return cpu_capture_set_tips(stream, tips, count);
}

CPU_API CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode *tips,
                                     const CUgraphEdgeData *data, size_t count,
                                     unsigned flags)
{
    struct cpu_stream *stream;
    CUresult code = cpu_capture_stream(handle, &stream);

    if (code) {
        return code;
    }
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !tips) ||
        !cpu_edge_data_valid(data, count)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_capture *capture = atomic_load(&stream->capture);
    if (!capture) {
        code = CUDA_ERROR_ILLEGAL_STATE;
    }
    for (size_t i = 0; i < count && !code; i++) {
        struct cpu_node *node = cpu_node_of(tips[i]);
        if (!node || node->graph != capture->graph) {
            code = CUDA_ERROR_INVALID_VALUE;
        }
    }
    if (!code) {
        code = flags ? capture_replace_tips(stream, tips, count)
                     : cpu_capture_join_tips(stream, tips, count);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *tips,
                                  size_t count, unsigned flags)
{
    return cuStreamUpdateCaptureDependencies_v2(stream, tips, NULL, count,
                                                flags);
}
