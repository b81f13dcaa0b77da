/* capture.c - streams that note their work in a graph instead of doing it.
 *
 * Called by users of the library; by what submits work, which asks
 * cpu_stream_records first; and by event.c, since events carry a capture from
 * stream to stream.  A stream in a capture has tips: the nodes that its next
 * one depends on.  Everything is under the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/graph/graph.h"

struct cpu_captured {
    uint64_t id;        /* of the capture */
    uint64_t stream_id; /* of the stream that it was recorded in */
    size_t count;
    CUgraphNode tips[];
};

_Thread_local struct cpu_task *cpu_task_sink;

static struct cpu_capture *captures;
static uint64_t capture_ids;
static atomic_uint strict; /* captures that forbid unsafe calls */
static _Thread_local CUstreamCaptureMode thread_mode;

/* ---- the lock is held ---- */

static struct cpu_capture *
capture_find(uint64_t id)
{
    struct cpu_capture *capture = captures;

    while (capture && capture->id != id) {
        capture = capture->next;
    }
    return capture;
}

/* Room for so many tips and, behind them, the data of an edge from each: all
 * zero, since a stream's next node waits for its tips to the end. */
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

static bool
tips_have(const CUgraphNode *tips, size_t count, CUgraphNode node)
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
        if (!tips_have(all, have, more[i])) {
            all[have++] = more[i];
        }
    }
    free(stream->tips);
    stream->tips = all;
    stream->tip_count = have;
    return CUDA_SUCCESS;
}

static void
stream_enter(struct cpu_stream *stream, struct cpu_capture *capture)
{
    stream->joined = false;
    atomic_store(&stream->capture, capture);
    atomic_fetch_add(&stream->ctx->capturing, 1);
}

static void
stream_leave(struct cpu_stream *stream)
{
    if (!atomic_load(&stream->capture)) {
        return;
    }
    atomic_store(&stream->capture, NULL);
    atomic_fetch_sub(&stream->ctx->capturing, 1);
    free(stream->tips);
    stream->tips = NULL;
    stream->tip_count = 0;
}

/* The capture is over for all its streams; the graph is left alone. */
static void
capture_end(struct cpu_capture *capture)
{
    struct cpu_capture **link = &captures;

    pthread_mutex_lock(&cpu_scheduler_lock); /* for the list of streams */
    for (struct cpu_stream *s = capture->ctx->streams; s; s = s->next) {
        if (atomic_load(&s->capture) == capture) {
            stream_leave(s);
        }
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    while (*link != capture) {
        link = &(*link)->next;
    }
    *link = capture->next;
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        atomic_fetch_sub(&strict, 1);
    }
    free(capture);
}

/* Nothing comes of the capture: its graph goes, unless it is the caller's. */
static void
capture_drop_graph(struct cpu_capture *capture)
{
    if (capture->borrowed) {
        capture->graph->capturing = false;
    } else {
        cpu_graph_free(capture->graph);
    }
}

static CUresult
capture_invalidate(struct cpu_capture *capture, CUresult code)
{
    if (capture) {
        capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    }
    return code;
}

/* ---- for those who submit ---- */

/* The graph that the stream's capture makes; NULL: none, or invalidated. */
static struct cpu_graph *
capture_graph(struct cpu_stream *stream)
{
    struct cpu_capture *capture = atomic_load(&stream->capture);

    return capture && capture->status == CU_STREAM_CAPTURE_STATUS_ACTIVE
               ? capture->graph
               : NULL;
}

/* What the stream's next node depends on, into `nodes` with room for
 * stream->tip_count. */
static CUresult
capture_tips(struct cpu_stream *stream, struct cpu_node **nodes)
{
    struct cpu_graph *graph = capture_graph(stream);

    for (size_t i = 0; i < stream->tip_count; i++) {
        nodes[i] = cpu_node_of(stream->tips[i]);
        if (!nodes[i] || nodes[i]->graph != graph) { /* it was destroyed */
            return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult
capture_add(struct cpu_stream *stream, struct cpu_task *task)
{
    struct cpu_graph *graph = capture_graph(stream);
    struct cpu_node *after[64] = {NULL}, **list = after, *node;

    if (!graph) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (stream->tip_count > 64) {
        list = malloc(stream->tip_count * sizeof(struct cpu_node *));
    }
    if (!list) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code = capture_tips(stream, list);
    if (!code) {
        code = cpu_node_add(graph, list, NULL, stream->tip_count, task, &node);
    }
    if (list != after) {
        free(list);
    }
    if (code) {
        return code;
    }
    *task = (struct cpu_task){0}; /* the node's */
    stream->joined = false;
    return cpu_capture_set_tips(stream, &node->handle, 1);
}

CUresult
cpu_task_note(struct cpu_stream *stream, struct cpu_task *task)
{
    if (cpu_task_sink) {
        cpu_task_free(cpu_task_sink);
        *cpu_task_sink = *task;
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = capture_add(stream, task);
    pthread_mutex_unlock(&cpu_graph_lock);
    if (code) {
        cpu_task_free(task);
    }
    return code;
}

CUresult
cpu_capture_implicit(struct cpu_context *ctx)
{
    CUresult code = CUDA_SUCCESS;

    if (cpu_task_sink ||
        !atomic_load_explicit(&ctx->capturing, memory_order_relaxed)) {
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    for (struct cpu_capture *c = captures; c; c = c->next) {
        if (c->ctx == ctx && !(c->origin->flags & CU_STREAM_NON_BLOCKING)) {
            code = capture_invalidate(c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

static CUresult
stream_invalidate(struct cpu_stream *stream, CUresult why)
{
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = capture_invalidate(atomic_load(&stream->capture), why);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CUresult
cpu_capture_refuse(struct cpu_stream *stream)
{
    return stream_invalidate(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult
cpu_capture_refuse_all(struct cpu_context *ctx)
{
    CUresult code = CUDA_SUCCESS;

    if (!atomic_load_explicit(&ctx->capturing, memory_order_relaxed)) {
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    for (struct cpu_capture *c = captures; c; c = c->next) {
        if (c->ctx == ctx) {
            code =
                capture_invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CUresult
cpu_capture_unsafe(void)
{
    CUresult code = CUDA_SUCCESS;

    if (!atomic_load_explicit(&strict, memory_order_relaxed) ||
        thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    for (struct cpu_capture *c = captures; c; c = c->next) {
        bool own = pthread_equal(c->thread, pthread_self());
        bool global = c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                      thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;

        if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && (own || global)) {
            code =
                capture_invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
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
        (*made)->stream_id = stream->id;
        (*made)->count = stream->tip_count;
        if (bytes) {
            memcpy((*made)->tips, stream->tips, bytes);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* The event was recorded in a stream that has done nothing since: who waits
 * for it has joined that stream. */
static void
stream_join(struct cpu_capture *capture, const struct cpu_captured *event)
{
    pthread_mutex_lock(&cpu_scheduler_lock); /* for the list of streams */
    for (struct cpu_stream *s = capture->ctx->streams; s; s = s->next) {
        if (s->id == event->stream_id && atomic_load(&s->capture) == capture &&
            s->tip_count == event->count &&
            (!event->count ||
             !memcmp(s->tips, event->tips, event->count * sizeof *s->tips))) {
            s->joined = true;
        }
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
}

static CUresult
wait_captured(struct cpu_stream *stream, const struct cpu_captured *event)
{
    struct cpu_capture *from = capture_find(event->id);
    struct cpu_capture *own = atomic_load(&stream->capture);

    if (!from) {
        return own ? capture_invalidate(own,
                                        CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
                   : CUDA_ERROR_CAPTURED_EVENT;
    }
    if (from->status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (stream == &stream->ctx->legacy) {
        return capture_invalidate(from, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    if (stream->ctx != from->ctx || (own && own != from)) {
        capture_invalidate(own, CUDA_SUCCESS);
        return capture_invalidate(from, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    if (!own) {
        stream_enter(stream, from);
    } else if (stream->id != event->stream_id) {
        stream_join(from, event);
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
cpu_capture_isolated(struct cpu_stream *stream)
{
    return stream_invalidate(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

CUresult
cpu_capture_asked(const struct cpu_captured *event)
{
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code =
        capture_invalidate(capture_find(event->id), CUDA_ERROR_CAPTURED_EVENT);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

void
cpu_capture_leave(struct cpu_stream *stream)
{
    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_capture *capture = atomic_load(&stream->capture);
    if (capture && capture->origin == stream) {
        capture_drop_graph(capture);
        capture_end(capture);
    } else if (capture) {
        if (!stream->joined) {
            capture_invalidate(capture, CUDA_SUCCESS);
        }
        stream_leave(stream);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
}

/* ---- for users ---- */

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

/* The stream captures into the graph, which is `borrowed` or the capture's. */
static CUresult
capture_begin(struct cpu_stream *stream, CUstreamCaptureMode mode,
              struct cpu_graph *graph, bool borrowed)
{
    struct cpu_capture *capture = calloc(1, sizeof *capture);

    if (!capture) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *capture = (struct cpu_capture){
        .next = captures,
        .graph = graph,
        .ctx = stream->ctx,
        .origin = stream,
        .id = ++capture_ids,
        .mode = mode,
        .status = CU_STREAM_CAPTURE_STATUS_ACTIVE,
        .thread = pthread_self(),
        .borrowed = borrowed,
    };
    captures = capture;
    graph->capturing = true;
    for (struct cpu_node *n = graph->first; n; n = n->next) {
        n->earlier = true;
    }
    if (mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        atomic_fetch_add(&strict, 1);
    }
    stream_enter(stream, capture);
    return CUDA_SUCCESS;
}

/* Whether the stream may begin a capture; the lock is held. */
static CUresult
capture_may_begin(struct cpu_stream *stream)
{
    return atomic_load(&stream->capture) ? CUDA_ERROR_ILLEGAL_STATE
                                         : CUDA_SUCCESS;
}

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

/* Does every node lead to what the first stream did last, those apart that it
 * was told to forget? */
static bool
capture_joined(struct cpu_capture *capture)
{
    for (struct cpu_node *n = capture->graph->first; n; n = n->next) {
        bool leads = n->let_go || n->earlier ||
                     tips_have(capture->origin->tips,
                               capture->origin->tip_count, n->handle);

        for (struct cpu_node *m = n->next; m && !leads; m = m->next) {
            leads = cpu_node_depends(m, n);
        }
        if (!leads) {
            return false;
        }
    }
    return true;
}

static CUresult
capture_finish(struct cpu_stream *stream, CUgraph *graph)
{
    struct cpu_capture *capture = atomic_load(&stream->capture);
    CUresult code = CUDA_SUCCESS;

    if (!capture) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    if (capture->origin != stream) {
        return capture_invalidate(capture,
                                  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    }
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        !pthread_equal(capture->thread, pthread_self())) {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    if (capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    } else if (!capture_joined(capture)) {
        code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    if (code) {
        capture_drop_graph(capture);
    } else {
        capture->graph->capturing = false;
        *graph = capture->graph->handle;
    }
    capture_end(capture);
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

CPU_API CUresult
cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUstreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}
