/* pending_copies.c - keeps the host memory of asynchronous copies until they
 * are complete.
 *
 * Called after an asynchronous copy was issued, and by functions that wait for
 * the device. A pending copy is a reference to the Python object that owns the
 * host memory, with an event recorded after the copy. The reference is dropped
 * when cuEventQuery finds the event complete. Each new copy queries two
 * events, a wait for the device queries all.
 *
 * Only page-locked and managed memory needs this. Copies of other host memory
 * have read or written it when the call returns.
 *
 * Pending copies are rows [0, pending_copy_count) of the context's array
 * `pending_copies`. The rows after them have events for reuse. The owner of
 * host memory has a reference to its context, so a copy that never completes
 * keeps the context alive. When a stream is destroyed, its copies are
 * complete. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/pending_copies.h"
#include "core/python/gil.h"

enum { LOOK_AT = 2, RECENT = 4 };

static bool
copy_is_complete(const struct core_pending_copy *copy)
{
    return driver.cuEventQuery(copy->event) != CUDA_ERROR_NOT_READY;
}

/* Removes the pending copy in a row and drops its reference to the host
 * object. Dropping the reference may deallocate the object and run any Python
 * code. */
static void
copy_remove(struct core_context *context, size_t row)
{
    struct core_pending_copy *rows = context->pending_copies,
                             ended = rows[row];
    size_t last = --context->pending_copy_count;
    rows[row] = rows[last];
    rows[last] = (struct core_pending_copy){.event = ended.event};
    Py_DECREF(ended.host);
}

/* Queries up to `most` pending copies and removes those that are complete. */
static void
copies_poll(struct core_context *context, size_t most)
{
    for (size_t looked = 0; looked < most && context->pending_copy_count > 0;
         looked++) {
        size_t row =
            context->pending_copy_next++ % context->pending_copy_count;
        if (copy_is_complete(&context->pending_copies[row])) {
            copy_remove(context, row);
            context->pending_copy_next = row;
        }
    }
}

void
core_pending_copies_poll(struct core_context *context)
{
    struct core_scope scope;
    if (context->pending_copy_count > 0 && core_enter(context, &scope)) {
        context->pending_copy_next = 0;
        copies_poll(context, context->pending_copy_count);
        core_leave(&scope);
    }
}

void
core_pending_copies_drop_stream(struct core_context *context, CUstream stream)
{
    for (size_t i = context->pending_copy_count; i-- > 0;) {
        if (i < context->pending_copy_count &&
            context->pending_copies[i].stream == stream) {
            copy_remove(context, i);
        }
    }
}

/* Drops all pending copies at the end of the context, after waiting for the
 * context if some are not complete. */
void
core_pending_copies_drop(struct core_context *context)
{
    struct core_scope scope;
    bool entered = core_enter(context, &scope);
    copies_poll(context, entered ? context->pending_copy_count : 0);
    if (entered && context->pending_copy_count > 0) {
        PyThreadState *thread = core_gil_release();
        driver.cuCtxSynchronize();
        core_gil_acquire(thread);
    }
    while (context->pending_copy_count > 0) {
        copy_remove(context, context->pending_copy_count - 1);
    }
    for (size_t i = 0; entered && i < context->pending_copy_capacity; i++) {
        if (context->pending_copies[i].event != NULL) {
            driver.cuEventDestroy(context->pending_copies[i].event);
        }
    }
    if (entered) {
        core_leave(&scope);
    }
    PyMem_Free(context->pending_copies);
    context->pending_copies = NULL;
    context->pending_copy_capacity = 0;
}

/* Returns an entry for a new pending copy, the first unused one in the
 * context's array, with an event that can be recorded; NULL if memory is
 * short. */
static struct core_pending_copy *
copy_slot_new(struct core_context *context)
{
    size_t count = context->pending_copy_count,
           room = context->pending_copy_capacity;
    if (count == room) {
        size_t more = room == 0 ? 8 : 2 * room;
        struct core_pending_copy *rows =
            PyMem_Realloc(context->pending_copies, more * sizeof *rows);
        if (rows == NULL) {
            return NULL;
        }
        memset(rows + room, 0, (more - room) * sizeof *rows);
        context->pending_copies = rows;
        context->pending_copy_capacity = more;
    }
    struct core_pending_copy *spare = &context->pending_copies[count];
    if (spare->event == NULL &&
        driver.cuEventCreate(&spare->event, CU_EVENT_DISABLE_TIMING) !=
            CUDA_SUCCESS) {
        spare->event = NULL;
        return NULL;
    }
    return spare;
}

/* Returns a pending copy of the same host object on the same stream among the
 * newest four, or NULL. */
static struct core_pending_copy *
copy_find(struct core_context *context, PyObject *host, CUstream stream)
{
    size_t count = context->pending_copy_count;
    for (size_t i = 1; i <= RECENT && i <= count; i++) {
        struct core_pending_copy *copy = &context->pending_copies[count - i];
        if (copy->host == host && copy->stream == stream) {
            return copy;
        }
    }
    return NULL;
}

/* Returns whether the host memory at an address is page-locked or managed. */
static bool
host_is_known(const void *address)
{
    unsigned type;
    return driver.cuPointerGetAttribute(
               &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
               (CUdeviceptr)(uintptr_t)address) == CUDA_SUCCESS;
}

/* Returns whether the stream is being captured by this module or by another
 * library. */
static bool
stream_captures(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* Keeps a reference to `host`, which owns the memory at `address`, until the
 * copy that was just issued on `stream` is complete. Never fails: waits for
 * the stream if it cannot record an event. */
void
core_pending_copy_add(PyObject *host, const void *address, CUstream stream)
{
    struct core_context *context = core_stack_top();
    if (host == NULL || context == NULL || !context->valid ||
        context->captures > 0 || !host_is_known(address) ||
        stream_captures(stream)) {
        return; /* the graph of the capture keeps the host memory alive */
    }
    copies_poll(context, LOOK_AT);
    struct core_pending_copy *copy = copy_find(context, host, stream);
    bool fresh = copy == NULL;
    if (fresh) {
        copy = copy_slot_new(context);
    }
    if (copy == NULL ||
        driver.cuEventRecord(copy->event, stream) != CUDA_SUCCESS) {
        PyThreadState *thread = core_gil_release();
        driver.cuStreamSynchronize(stream);
        core_gil_acquire(thread);
        return;
    }
    if (fresh) {
        copy->host = Py_NewRef(host);
        copy->stream = stream;
        context->pending_copy_count++;
    }
}
