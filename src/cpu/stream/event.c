/* event.c - events: markers in streams.
 *
 * Called by users of the library. An event refers to the marker operation of
 * its last record. Markers complete in stream order and store the time. An
 * interprocess event has its state in ipc_event.c instead of a marker.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/run/printf.h"
#include "cpu/stream/event.h"
#include "cpu/stream/ipc_event.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/wait.h"

/* An event. It is freed when its last reference is released. */
struct cpu_event {
    struct cpu_context *ctx;
    uint64_t context_id;
    unsigned flags;
    /* Number of references, by the handle and graph nodes. */
    atomic_uint references;
    pthread_mutex_t lock;
    /* The captured graph nodes that the event's last record depends on, if the
     * event was last recorded in a capture. Guarded by `lock`, except the test
     * for NULL in cpu_event_forget_capture. */
    struct cpu_captured *_Atomic captured;
    pthread_mutex_t mark_lock;
    /* The marker operation of the last record, or NULL if there was none;
     * guarded by mark_lock. */
    struct cpu_op *mark;
    /* State shared with other processes; NULL for an ordinary event. Never
     * changes. */
    struct cpu_ipc_event *shared;
};

static struct cpu_event *
event_of(CUevent handle)
{
    return cpu_handle_object(CPU_EVENT, handle);
}

/* Returns an error if the event was last recorded in a stream capture: such an
 * event has neither a time nor a state. If the capture is still active,
 * invalidates the capture. */
static CUresult
event_query_check(struct cpu_event *event)
{
    pthread_mutex_lock(&event->lock);
    CUresult code =
        event->captured ? cpu_capture_asked(event->captured) : CUDA_SUCCESS;
    pthread_mutex_unlock(&event->lock);
    return code;
}

struct cpu_op *
cpu_event_record_op(struct cpu_event *event)
{
    pthread_mutex_lock(&event->mark_lock);
    struct cpu_op *mark = event->mark;
    if (mark) {
        atomic_fetch_add(&mark->references, 1);
    }
    pthread_mutex_unlock(&event->mark_lock);
    return mark;
}

void
cpu_event_set_record_op(struct cpu_event *event, struct cpu_op *mark)
{
    if (mark) {
        atomic_fetch_add(&mark->references, 1);
    }
    pthread_mutex_lock(&event->mark_lock);
    struct cpu_op *old = event->mark;
    event->mark = mark;
    pthread_mutex_unlock(&event->mark_lock);
    cpu_op_release(old);
}

#define EVENT_FLAGS                                                           \
    (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

/* Creates an event and its handle. Takes ownership of `shared` (the state of
 * an interprocess event, or NULL), also on failure. */
static CUresult
event_make(CUevent *handle, struct cpu_context *ctx, unsigned flags,
           struct cpu_ipc_event *shared)
{
    struct cpu_event *event = calloc(1, sizeof *event);

    if (event) {
        event->ctx = ctx;
        event->context_id = ctx->id;
        event->flags = flags;
        event->shared = shared;
        atomic_init(&event->references, 1);
        pthread_mutex_init(&event->lock, NULL);
        pthread_mutex_init(&event->mark_lock, NULL);
        *handle = cpu_handle_new(CPU_EVENT, event, ctx->id);
    }
    if (!event || !*handle) {
        cpu_ipc_event_release(shared);
        free(event);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuEventCreate(CUevent *handle, unsigned flags)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle || flags & ~(unsigned)EVENT_FLAGS ||
        (flags & CU_EVENT_INTERPROCESS &&
         !(flags & CU_EVENT_DISABLE_TIMING))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_ipc_event *shared = NULL;
    if (flags & CU_EVENT_INTERPROCESS) {
        code = cpu_ipc_event_new(&shared);
    }
    return code ? code : event_make(handle, ctx, flags, shared);
}

struct cpu_event *
cpu_event_take(CUevent handle)
{
    struct cpu_event *event = event_of(handle);

    if (event) {
        cpu_event_retain(event);
    }
    return event;
}

void
cpu_event_retain(struct cpu_event *event)
{
    atomic_fetch_add(&event->references, 1);
}

void
cpu_event_release(struct cpu_event *event)
{
    if (atomic_fetch_sub(&event->references, 1) != 1) {
        return;
    }
    cpu_op_release(event->mark);
    cpu_ipc_event_release(event->shared);
    free(event->captured);
    pthread_mutex_destroy(&event->mark_lock);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

uint64_t
cpu_event_context(const struct cpu_event *event)
{
    return event->context_id;
}

bool
cpu_event_invalidates(struct cpu_event *event)
{
    return event_query_check(event) != CUDA_SUCCESS;
}

void
cpu_event_forget_capture(struct cpu_event *event)
{
    if (!event->captured) {
        return; /* the usual case, which then takes no lock */
    }
    pthread_mutex_lock(&event->lock);
    struct cpu_captured *captured = event->captured;
    event->captured = NULL;
    pthread_mutex_unlock(&event->lock);
    free(captured);
}

bool
cpu_event_shared(const struct cpu_event *event)
{
    return event->shared != NULL;
}

static void
event_end(void *object)
{
    cpu_event_release(object);
}

void
cpu_events_close(struct cpu_context *ctx)
{
    cpu_handles_delete_owned(CPU_EVENT, ctx->id, event_end);
}

CPU_API CUresult
cuEventDestroy_v2(CUevent handle)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    struct cpu_event *event = event_of(handle);
    if (!event || !cpu_handle_delete(handle)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    cpu_event_release(event);
    return CUDA_SUCCESS;
}

/* Records the event in a stream that is not captured: submits a marker
 * operation, and discards the nodes of an earlier captured record. */
static CUresult
event_record(struct cpu_event *event, struct cpu_context *ctx,
             struct cpu_stream *stream)
{
    struct cpu_op *mark = NULL;
    CUresult code = CUDA_SUCCESS;

    if (event->shared) {
        code = cpu_ipc_event_record(event->shared, stream);
    } else if ((mark = cpu_op_new(ctx, CPU_OP_MARK, 0))) {
        cpu_op_submit(stream, mark, NULL);
    } else {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (code) {
        return code;
    }
    cpu_event_set_record_op(event, mark);
    cpu_op_release(mark);
    cpu_event_forget_capture(event);
    return CUDA_SUCCESS;
}

/* Records the event in a captured stream: the event then refers to the graph
 * nodes captured so far. */
static CUresult
event_capture(struct cpu_event *event, struct cpu_stream *stream)
{
    struct cpu_captured *captured = NULL;
    CUresult code = cpu_capture_record(stream, &captured);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&event->lock);
    struct cpu_captured *old = event->captured;
    event->captured = captured;
    pthread_mutex_unlock(&event->lock);
    free(old);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuEventRecordWithFlags(CUevent handle, CUstream stream_handle, unsigned flags)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    CUresult code = cpu_stream_current(stream_handle, &ctx, &stream);

    if (code) {
        return code;
    }
    struct cpu_event *event = event_of(handle);
    if (!event || event->context_id != ctx->id) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!cpu_stream_records(stream)) {
        return flags ? CUDA_ERROR_ILLEGAL_STATE
                     : event_record(event, ctx, stream);
    }
    return flags ? cpu_event_record_task(CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                         handle, stream)
                 : event_capture(event, stream);
}

CPU_API CUresult
cuEventRecord(CUevent handle, CUstream stream)
{
    return cuEventRecordWithFlags(handle, stream, 0);
}

/* Looks up an event for a query of its state or time. Returns an error if a
 * capture forbids the query. */
static CUresult
event_for_query(CUevent handle, struct cpu_event **event)
{
    CUresult code = cpu_ready();

    *event = event_of(handle);
    if (code) {
        return code;
    }
    return *event ? event_query_check(*event) : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuEventQuery(CUevent handle)
{
    struct cpu_event *event;
    CUresult code = event_for_query(handle, &event);

    if (code) {
        return code;
    }
    struct cpu_op *mark = cpu_event_record_op(event);
    if (!mark && !event->shared) {
        return CUDA_SUCCESS;
    }
    bool done = mark ? cpu_op_done(mark) : cpu_ipc_event_done(event->shared);
    if (done && cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_host_asked(mark);
    }
    cpu_op_release(mark);
    if (!done) {
        return CUDA_ERROR_NOT_READY;
    }
    return cpu_context_status(event->ctx);
}

CPU_API CUresult
cuEventSynchronize(CUevent handle)
{
    struct cpu_event *event;
    CUresult code = event_for_query(handle, &event);

    if (code) {
        return code;
    }
    struct cpu_op *mark = cpu_event_record_op(event);
    if (!mark && event->shared) {
        /* The event is looked up again after the wait, since it may have been
         * destroyed with its context. */
        cpu_ipc_event_wait(event->shared);
        code = event_for_query(handle, &event);
        if (code) {
            return code;
        }
    }
    struct cpu_context *ctx = event->ctx;
    cpu_context_enter(ctx);
    if (mark) {
        cpu_op_wait(mark);
        if (cpu_check_flags & CPU_CHECK_STREAMS) {
            cpu_check_host_after(mark);
        }
        cpu_op_release(mark);
    }
    cpu_fifo_flush(ctx);
    code = cpu_context_status(ctx);
    cpu_context_leave(ctx);
    return code;
}

CPU_API CUresult
cuStreamWaitEvent(CUstream stream_handle, CUevent handle, unsigned flags)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    CUresult code = cpu_stream_current(stream_handle, &ctx, &stream);

    if (code) {
        return code;
    }
    struct cpu_event *event = event_of(handle);
    if (!event) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags) {
        return cpu_stream_records(stream)
                   ? cpu_event_record_task(CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                           handle, stream)
                   : CUDA_ERROR_ILLEGAL_STATE;
    }
    pthread_mutex_lock(&event->lock);
    bool captured = event->captured != NULL;
    code = captured ? cpu_capture_wait(stream, event->captured) : CUDA_SUCCESS;
    pthread_mutex_unlock(&event->lock);
    if (captured) {
        return code;
    }
    struct cpu_op *mark = cpu_event_record_op(event);
    if (!mark && !event->shared) {
        return CUDA_SUCCESS;
    }
    if (cpu_stream_records(stream)) {
        cpu_op_release(mark);
        return cpu_capture_isolated(stream);
    }
    if (!mark) {
        return cpu_ipc_event_gate(event->shared, stream);
    }
    struct cpu_op *wait = cpu_op_new(ctx, CPU_OP_MARK, 0);
    if (wait) {
        cpu_op_submit(stream, wait, mark);
        cpu_op_release(wait);
    }
    cpu_op_release(mark);
    return wait ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Stores in `ns` the time at which the event was reached. Returns NOT_READY if
 * it has not been reached, INVALID_HANDLE if it was never recorded or was
 * created without timing. */
static CUresult
event_time(struct cpu_event *event, uint64_t *ns)
{
    if (!event || event->flags & CU_EVENT_DISABLE_TIMING) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (event_query_check(event)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    struct cpu_op *mark = cpu_event_record_op(event);
    if (!mark) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    bool done = cpu_op_done(mark);
    *ns = done ? mark->finished_ns : 0;
    cpu_op_release(mark);
    return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CPU_API CUresult
cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    uint64_t first = 0, last = 0;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!milliseconds) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_event *from = event_of(start), *to = event_of(end);
    CUresult one = event_time(from, &first), two = event_time(to, &last);
    if (one == CUDA_ERROR_INVALID_HANDLE || two == CUDA_ERROR_INVALID_HANDLE ||
        from->ctx->device != to->ctx->device) {
        /* As on GPUs, times of events of different devices cannot be
         * compared. */
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (one || two) {
        return CUDA_ERROR_NOT_READY;
    }
    *milliseconds = (float)((double)(int64_t)(last - first) * 1e-6);
    return cpu_context_status(from->ctx);
}

CPU_API CUresult
cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(milliseconds, start, end);
}

/* ---- interprocess events ---- */

CPU_API CUresult
cuIpcGetEventHandle(CUipcEventHandle *exported, CUevent handle)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);
    struct cpu_event *event = event_of(handle);

    if (code) {
        return code;
    }
    if (!exported) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return event && event->shared
               ? cpu_ipc_event_export(event->shared, exported)
               : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuIpcOpenEventHandle(CUevent *handle, CUipcEventHandle imported)
{
    struct cpu_context *ctx;
    struct cpu_ipc_event *shared;
    CUresult code = cpu_context_current(&ctx);

    if (!code && !handle) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        code = cpu_ipc_event_open(&imported, &shared);
    }
    return code ? code
                : event_make(handle, ctx,
                             CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING,
                             shared);
}
