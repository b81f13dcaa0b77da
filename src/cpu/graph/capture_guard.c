/* capture_guard.c - rejects calls that are not allowed during a capture.
 *
 * Called by the functions of streams, contexts and memory before operations
 * that a capture cannot contain: waits, queries, and work in the legacy
 * stream. Such a call returns an error and makes the capture invalid. The
 * functions acquire the graph lock only if a capture is active.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/device/context.h"
#include "cpu/device/green.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream_state.h"

static _Thread_local CUstreamCaptureMode thread_mode;

CUresult
cpu_capture_implicit(struct cpu_context *ctx)
{
    CUresult code = CUDA_SUCCESS;

    if (cpu_node_task_sink ||
        !atomic_load_explicit(&ctx->capturing, memory_order_relaxed)) {
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    for (struct cpu_capture *c = cpu_captures; c; c = c->next) {
        if (cpu_capture_has(c, ctx, NULL, true)) {
            code =
                cpu_capture_invalidate(c, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

static CUresult
stream_invalidate(struct cpu_stream *stream, CUresult why)
{
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_capture_invalidate(atomic_load(&stream->capture), why);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CUresult
cpu_capture_refuse(struct cpu_stream *stream)
{
    return stream_invalidate(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult
cpu_capture_refuse_all(struct cpu_context *ctx, const struct cpu_green *green)
{
    CUresult code = CUDA_SUCCESS;

    if (!atomic_load_explicit(&ctx->capturing, memory_order_relaxed)) {
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    for (struct cpu_capture *c = cpu_captures; c; c = c->next) {
        if (cpu_capture_has(c, ctx, green, false)) {
            code = cpu_capture_invalidate(
                c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CUresult
cpu_capture_unsafe(void)
{
    CUresult code = CUDA_SUCCESS;

    if (!atomic_load_explicit(&cpu_captures_strict, memory_order_relaxed) ||
        thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    for (struct cpu_capture *c = cpu_captures; c; c = c->next) {
        bool own = pthread_equal(c->thread, pthread_self());
        bool global = c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                      thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;

        if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && (own || global)) {
            code = cpu_capture_invalidate(
                c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CUresult
cpu_capture_isolated(struct cpu_stream *stream)
{
    return stream_invalidate(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
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
