/* stream.c - streams: in-order queues on top of the scheduler.
 *
 * Called by users of the library. The scheduler lock guards the tail of each
 * stream and the list of a context's streams. Operations of a destroyed stream
 * still run; they refer to the context only. If the default stream must wait
 * for a destroyed stream, the destroyed stream stays in the list until its
 * operations are done.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/run/printf.h"
#include "cpu/stream/gates.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/host_function.h"
#include "cpu/stream/scheduler.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/wait.h"

_Thread_local bool cpu_default_is_per_thread;

static atomic_ullong stream_ids;

/* Removes the stream from its context's list of streams. The caller holds the
 * scheduler lock. */
static void
stream_unlink(struct cpu_stream *stream)
{
    if (stream->previous) {
        stream->previous->next = stream->next;
    } else {
        stream->ctx->streams = stream->next;
    }
    if (stream->next) {
        stream->next->previous = stream->previous;
    }
}

/* Removes from the context's list all destroyed streams without pending
 * operations. Returns them as a list linked by `next`. */
static struct cpu_stream *
ended_unlink(struct cpu_context *ctx)
{
    struct cpu_stream *stream = ctx->streams, *ended = NULL;

    while (stream) {
        struct cpu_stream *next = stream->next;

        if (stream->ended && cpu_op_done(stream->tail)) {
            stream_unlink(stream);
            stream->next = ended;
            ended = stream;
        }
        stream = next;
    }
    return ended;
}

static void
ended_free(struct cpu_stream *ended)
{
    while (ended) {
        struct cpu_stream *next = ended->next;

        cpu_op_release(ended->tail);
        free(ended->attributes);
        free(ended);
        ended = next;
    }
}

void
cpu_stream_attach(struct cpu_context *ctx, struct cpu_stream *stream)
{
    stream->ctx = ctx;
    stream->id = atomic_fetch_add(&stream_ids, 1) + 1;
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_stream *ended = ended_unlink(ctx);
    stream->previous = NULL;
    stream->next = ctx->streams;
    if (ctx->streams) {
        ctx->streams->previous = stream;
    }
    ctx->streams = stream;
    pthread_mutex_unlock(&cpu_scheduler_lock);
    ended_free(ended);
}

void
cpu_stream_detach(struct cpu_stream *stream)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *tail = stream->tail;
    if (stream->timeline) {
        cpu_check_stream_end(stream);
    }
    stream->tail = NULL;
    stream_unlink(stream);
    pthread_mutex_unlock(&cpu_scheduler_lock);
    cpu_op_release(tail);
}

/* Destroys a stream that cuStreamCreate made. If the stream has pending
 * operations for which the default stream must wait, it is freed when they are
 * done, otherwise immediately. */
static void
stream_end(struct cpu_stream *stream)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    stream->ended = stream->tail && !cpu_op_done(stream->tail) &&
                    !(stream->flags & CU_STREAM_NON_BLOCKING);
    bool ended = stream->ended;
    pthread_mutex_unlock(&cpu_scheduler_lock);
    if (!ended) {
        cpu_stream_detach(stream);
        free(stream->attributes);
        free(stream);
    }
}

void
cpu_streams_close(struct cpu_context *ctx)
{
    while (ctx->streams) {
        struct cpu_stream *stream = ctx->streams;

        if (!stream->ended) {
            cpu_capture_leave(stream);
            cpu_handle_delete(stream->handle);
        }
        cpu_stream_detach(stream);
        free(stream->attributes);
        if (stream != &ctx->legacy && stream != &ctx->per_thread) {
            free(stream);
        }
    }
}

/* Returns the error for a handle that is no stream: CONTEXT_IS_DESTROYED if
 * the stream's green context was destroyed, otherwise INVALID_HANDLE. */
static CUresult
stream_gone(CUstream handle)
{
    return cpu_handle_object(CPU_STRANDED, handle)
               ? CUDA_ERROR_CONTEXT_IS_DESTROYED
               : CUDA_ERROR_INVALID_HANDLE;
}

CUresult
cpu_stream_of(CUstream handle, struct cpu_context *ctx,
              struct cpu_stream **stream)
{
    bool per_thread = !handle && cpu_default_is_per_thread;

    if (!per_thread && (!handle || handle == CU_STREAM_LEGACY)) {
        *stream = &ctx->legacy;
        return cpu_capture_implicit(ctx);
    }
    if (per_thread || handle == CU_STREAM_PER_THREAD) {
        *stream = &ctx->per_thread;
        return CUDA_SUCCESS;
    }
    *stream = cpu_handle_object(CPU_STREAM, handle);
    if (!*stream) {
        return stream_gone(handle);
    }
    return (*stream)->ctx == ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult
cpu_stream_current(CUstream handle, struct cpu_context **ctx,
                   struct cpu_stream **stream)
{
    CUresult code = cpu_context_current(ctx);

    if (code) {
        return code;
    }
    code = cpu_stream_of(handle, *ctx, stream);
    if (code == CUDA_ERROR_INVALID_HANDLE && *stream) {
        *ctx = (*stream)->ctx; /* the stream belongs to another context */
        code = cpu_context_status(*ctx);
    }
    return code;
}

int
cpu_priority_clamp(int priority)
{
    return priority > 0                      ? 0
           : priority < CPU_PRIORITY_HIGHEST ? CPU_PRIORITY_HIGHEST
                                             : priority;
}

CUresult
cpu_stream_any(CUstream handle, struct cpu_stream **stream)
{
    struct cpu_context *ctx;
    CUresult code;

    *stream = cpu_handle_object(CPU_STREAM, handle);
    if (*stream) {
        return cpu_ready();
    }
    code = cpu_context_current_any(&ctx);
    return code ? code : cpu_stream_of(handle, ctx, stream);
}

/* Destroys a stream that cuStreamCreate made and whose handle has been deleted
 * already. */
static void
stream_drop(struct cpu_stream *stream)
{
    cpu_capture_leave(stream);
    stream_end(stream);
}

CUresult
cpu_stream_new(struct cpu_context *ctx, struct cpu_green *green,
               unsigned flags, int priority, CUstream *handle)
{
    if (!handle || flags > CU_STREAM_NON_BLOCKING) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    stream->flags = flags;
    stream->green = green;
    stream->priority = cpu_priority_clamp(priority);
    stream->handle = cpu_handle_new(CPU_STREAM, stream, 0);
    if (!stream->handle) {
        free(stream);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    cpu_stream_attach(ctx, stream);
    *handle = stream->handle;
    CUresult code = cpu_stream_wait_gates(stream);
    if (code) {
        cpu_handle_delete(stream->handle);
        stream_drop(stream);
    }
    return code;
}

/* Removes one stream of the green context from the lists and returns the
 * stream. No other thread can then find it. Returns NULL if the green context
 * has no stream. */
static struct cpu_stream *
green_stream_detach(struct cpu_green *green)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_stream *stream = green->ctx->streams;
    while (stream && (stream->green != green || stream->ended)) {
        stream = stream->next;
    }
    if (stream) {
        stream->green = NULL;
        cpu_handle_strand(stream->handle);
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    return stream;
}

void
cpu_streams_strand(struct cpu_green *green)
{
    struct cpu_stream *stream;

    while ((stream = green_stream_detach(green))) {
        stream_drop(stream);
    }
}

CPU_API CUresult
cuStreamCreateWithPriority(CUstream *handle, unsigned flags, int priority)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    return code ? code
                : cpu_stream_new(ctx, cpu_green_current(), flags, priority,
                                 handle);
}

CPU_API CUresult
cuStreamCreate(CUstream *handle, unsigned flags)
{
    return cuStreamCreateWithPriority(handle, flags, 0);
}

CPU_API CUresult
cuStreamDestroy_v2(CUstream handle)
{
    CUresult code = cpu_ready();
    struct cpu_stream *stream;

    if (code) {
        return code;
    }
    stream = cpu_handle_object(CPU_STREAM, handle);
    if (!stream || stream == &stream->ctx->legacy ||
        stream == &stream->ctx->per_thread) {
        return stream ? CUDA_ERROR_INVALID_HANDLE : stream_gone(handle);
    }
    if (!cpu_handle_delete(handle)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    stream_drop(stream);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuStreamSynchronize(CUstream handle)
{
    struct cpu_stream *stream;
    CUresult code = cpu_stream_any(handle, &stream);

    if (code) {
        return code;
    }
    struct cpu_context *ctx = stream->ctx;
    if (cpu_stream_records(stream)) {
        return cpu_capture_refuse(stream);
    }
    cpu_context_enter(ctx);
    cpu_stream_wait(stream);
    cpu_fifo_flush(ctx);
    code = cpu_context_status(ctx);
    cpu_context_leave(ctx);
    return code;
}

CPU_API CUresult
cuStreamQuery(CUstream handle)
{
    struct cpu_stream *stream;
    CUresult code = cpu_stream_any(handle, &stream);

    if (!code) {
        code = cpu_context_status(stream->ctx);
    }
    if (code) {
        return code;
    }
    if (cpu_stream_records(stream)) {
        return cpu_capture_refuse(stream);
    }
    return cpu_stream_idle(stream) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CPU_API CUresult
cuStreamAttachMemAsync(CUstream handle, CUdeviceptr pointer, size_t length,
                       unsigned flags)
{
    struct cpu_allocation found;
    struct cpu_stream *stream;
    CUresult code = cpu_stream_any(handle, &stream);

    if (code) {
        return code;
    }
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
        flags != CU_MEM_ATTACH_SINGLE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!cpu_arena_find((uintptr_t)pointer, &found) ||
        found.kind != CPU_MEMORY_MANAGED ||
        (length && length != found.bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* host and device share memory, so no data needs to be moved */
    return CUDA_SUCCESS;
}

/* ---- host functions ---- */

/* A host function of cuLaunchHostFunc or a callback of cuStreamAddCallback.
 * One of the two function pointers is NULL. */
struct host_call {
    CUhostFn function;
    CUstreamCallback callback;
    CUstream stream;
    struct cpu_context *ctx;
    void *data;
};

static CUresult
host_call_run(void *argument)
{
    struct host_call *call = argument;

    if (call->callback) {
        call->callback(call->stream, cpu_context_status(call->ctx),
                       call->data);
    } else {
        call->function(call->data);
    }
    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_host_after_running();
    }
    return CUDA_SUCCESS;
}

void
cpu_host_call_describe(const void *payload, CUDA_HOST_NODE_PARAMS *params)
{
    const struct host_call *call = payload;

    *params =
        (CUDA_HOST_NODE_PARAMS){.fn = call->function, .userData = call->data};
}

/* Submits a host function or a callback to a stream. A callback cannot be
 * added to a capture. */
static CUresult
host_call_submit(CUstream handle, struct host_call *call)
{
    struct cpu_stream *stream;
    CUresult code = cpu_stream_any(handle, &stream);

    if (!code) {
        code = cpu_context_status(stream->ctx);
    }
    if (code) {
        return code;
    }
    call->ctx = stream->ctx;
    if (call->callback && cpu_stream_records(stream)) {
        return cpu_capture_refuse(stream);
    }
    return cpu_run_async(stream, CU_GRAPH_NODE_TYPE_HOST, host_call_run, call,
                         sizeof *call, false);
}

CPU_API CUresult
cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data)
{
    struct host_call call = {.function = function, .data = data};

    return function ? host_call_submit(handle, &call)
                    : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *data,
                    unsigned flags)
{
    struct host_call call = {
        .callback = callback, .data = data, .stream = handle};

    return callback && !flags ? host_call_submit(handle, &call)
                              : CUDA_ERROR_INVALID_VALUE;
}
