/* context_events.c - records and waits that apply to all streams of a context
 * or a green context.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/stream/event.h"
#include "cpu/stream/gates.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/scheduler.h"
#include "cpu/stream/stream_state.h"

/* A set of streams: all streams of a context, or those of one of its green
 * contexts. */
struct scope {
    struct cpu_context *ctx;
    /* a green context of `ctx`; NULL: the scope is all streams of `ctx` */
    struct cpu_green *green;
};

static bool
scope_has(const struct scope *scope, const struct cpu_stream *stream)
{
    return !scope->green || stream->green == scope->green;
}

static CUresult
scope_of_context(CUcontext handle, struct scope *scope)
{
    scope->green = cpu_green_of_context(handle);
    return cpu_context_of(handle, &scope->ctx);
}

static CUresult
scope_of_green(CUgreenCtx handle, struct scope *scope)
{
    CUresult code = cpu_ready();

    scope->green = cpu_handle_object(CPU_GREEN, handle);
    if (code || !scope->green) {
        return code ? code : CUDA_ERROR_INVALID_CONTEXT;
    }
    scope->ctx = scope->green->ctx;
    return CUDA_SUCCESS;
}

/* Stores in `*event` a new reference to the event of the handle. Fails if a
 * stream of the scope (a context or green context) is being captured. */
static CUresult
event_take(const struct scope *scope, CUevent handle, struct cpu_event **event)
{
    CUresult code = cpu_capture_refuse_all(scope->ctx, scope->green);

    if (code) {
        return code;
    }
    *event = cpu_event_take(handle);
    return *event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Returns new references to the last operation of each stream of the scope (a
 * context or green context), in an array that the caller frees. Returns NULL
 * if there is not enough memory. */
static struct cpu_op **
tails_take(const struct scope *scope, size_t *count)
{
    size_t room = 0;

    *count = 0;
    pthread_mutex_lock(&cpu_scheduler_lock);
    for (struct cpu_stream *s = scope->ctx->streams; s; s = s->next) {
        room++;
    }
    struct cpu_op **tails = calloc(room + 1, sizeof(struct cpu_op *));
    for (struct cpu_stream *s = scope->ctx->streams; tails && s; s = s->next) {
        if (s->tail && scope_has(scope, s)) {
            atomic_fetch_add(&s->tail->references, 1);
            tails[(*count)++] = s->tail;
        }
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    return tails;
}

static CUresult
scope_record(const struct scope *scope, struct cpu_event *event)
{
    size_t count;
    struct cpu_op **tails = tails_take(scope, &count);
    struct cpu_op *mark =
        tails ? cpu_op_new(scope->ctx, CPU_OP_MARK, 0) : NULL;

    if (mark) {
        cpu_op_submit_after(NULL, mark, tails, count);
        cpu_event_set_record_op(event, mark);
        cpu_event_forget_capture(event);
    }
    for (size_t i = 0; tails && i < count; i++) {
        cpu_op_release(tails[i]);
    }
    free(tails);
    cpu_op_release(mark);
    return mark ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult
record(CUresult code, const struct scope *scope, CUevent handle)
{
    struct cpu_event *event;

    code = code ? code : event_take(scope, handle, &event);
    if (code) {
        return code;
    }
    if (cpu_event_context(event) != scope->ctx->id) {
        code = CUDA_ERROR_INVALID_HANDLE;
    } else if (cpu_event_shared(event)) {
        code = CUDA_ERROR_NOT_SUPPORTED;
    } else {
        code = scope_record(scope, event);
    }
    cpu_event_release(event);
    return code;
}

/* ---- waiting ---- */

/* Returns the handles of all streams of the scope (a context or green
 * context), in an array that the caller frees. Returns NULL if there is not
 * enough memory. Other threads may destroy the streams before the caller uses
 * the handles. */
static CUstream *
handles_take(const struct scope *scope, size_t *count)
{
    size_t room = 0;

    *count = 0;
    pthread_mutex_lock(&cpu_scheduler_lock);
    for (struct cpu_stream *s = scope->ctx->streams; s; s = s->next) {
        room++;
    }
    CUstream *handles = calloc(room + 1, sizeof(CUstream));
    for (struct cpu_stream *s = scope->ctx->streams; handles && s;
         s = s->next) {
        if (!s->ended && scope_has(scope, s)) {
            handles[(*count)++] = s->handle;
        }
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    return handles;
}

static struct cpu_op *_Atomic *
gate_of(struct cpu_context *ctx, struct cpu_green *green)
{
    return green ? &green->gate : &ctx->gate;
}

/* A gate is an operation that new streams wait for. Replaces the gate `*gate`
 * by a new gate, which is done when both the operation `mark` and the old gate
 * are done. */
static CUresult
gate_add(struct cpu_op *_Atomic *gate, struct cpu_context *ctx,
         struct cpu_op *mark)
{
    struct cpu_op *fresh = cpu_op_new(ctx, CPU_OP_MARK, 0);

    if (!fresh) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *old = *gate;
    *gate = fresh; /* `*gate` now holds a reference to the new operation */
    atomic_fetch_add(&fresh->references, 1);
    pthread_mutex_unlock(&cpu_scheduler_lock);
    struct cpu_op *after[] = {mark, old};
    cpu_op_submit_after(NULL, fresh, after, old ? 2 : 1);
    cpu_op_release(old);
    cpu_op_release(fresh);
    return CUDA_SUCCESS;
}

static CUresult
scope_wait(const struct scope *scope, struct cpu_op *mark)
{
    size_t count;
    CUresult code =
        gate_add(gate_of(scope->ctx, scope->green), scope->ctx, mark);
    CUstream *handles = code ? NULL : handles_take(scope, &count);

    if (!handles) {
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count && !code; i++) {
        struct cpu_stream *stream = cpu_handle_object(CPU_STREAM, handles[i]);

        code = stream ? cpu_stream_wait_mark(stream, mark) : CUDA_SUCCESS;
    }
    free(handles);
    return code;
}

static CUresult
wait_for(CUresult code, const struct scope *scope, CUevent handle)
{
    struct cpu_event *event;

    code = code ? code : event_take(scope, handle, &event);
    if (code) {
        return code;
    }
    if (cpu_event_invalidates(event)) {
        /* The event was last recorded in a captured stream that does not
         * belong to this context or green context. */
        code = CUDA_ERROR_CAPTURED_EVENT;
    } else if (cpu_event_shared(event)) {
        code = CUDA_ERROR_NOT_SUPPORTED;
    }
    struct cpu_op *mark = code ? NULL : cpu_event_record_op(event);
    if (mark) {
        code = scope_wait(scope, mark);
    }
    cpu_op_release(mark);
    cpu_event_release(event);
    return code;
}

/* ---- the API ---- */

CPU_API CUresult
cuCtxRecordEvent(CUcontext context, CUevent event)
{
    struct scope scope;

    return record(scope_of_context(context, &scope), &scope, event);
}

CPU_API CUresult
cuGreenCtxRecordEvent(CUgreenCtx green, CUevent event)
{
    struct scope scope;

    return record(scope_of_green(green, &scope), &scope, event);
}

CPU_API CUresult
cuCtxWaitEvent(CUcontext context, CUevent event)
{
    struct scope scope;

    return wait_for(scope_of_context(context, &scope), &scope, event);
}

CPU_API CUresult
cuGreenCtxWaitEvent(CUgreenCtx green, CUevent event)
{
    struct scope scope;

    return wait_for(scope_of_green(green, &scope), &scope, event);
}
