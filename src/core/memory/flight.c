/* flight.c - keeps the host memory of asynchronous copies until they are
 * complete.
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
 * Pending copies are rows [0, flight_count) of the context's array `flights`.
 * The rows after them have events for reuse. The owner of host memory has a
 * reference to its context, so a copy that never completes keeps the context
 * alive. When a stream is destroyed, its copies are complete. All under the
 * GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

enum { LOOK_AT = 2, RECENT = 4 };

static bool
flight_landed(const struct core_flight *flight)
{
    return driver.cuEventQuery(flight->event) != CUDA_ERROR_NOT_READY;
}

/* Removes the pending copy in a row and drops its reference to the host
 * object. That may deallocate the object and run any Python code. */
static void
flight_end(struct core_context *context, size_t row)
{
    struct core_flight *rows = context->flights, ended = rows[row];
    size_t last = --context->flight_count;
    rows[row] = rows[last];
    rows[last] = (struct core_flight){.event = ended.event};
    Py_DECREF(ended.host);
}

/* Queries up to `most` pending copies and removes those that are complete. */
static void
flights_look(struct core_context *context, size_t most)
{
    for (size_t looked = 0; looked < most && context->flight_count > 0;
         looked++) {
        size_t row = context->flight_next++ % context->flight_count;
        if (flight_landed(&context->flights[row])) {
            flight_end(context, row);
            context->flight_next = row;
        }
    }
}

void
core_flights_land(struct core_context *context)
{
    struct core_scope scope;
    if (context->flight_count > 0 && core_enter(context, &scope)) {
        context->flight_next = 0;
        flights_look(context, context->flight_count);
        core_leave(&scope);
    }
}

void
core_flights_of_stream(struct core_context *context, CUstream stream)
{
    for (size_t i = context->flight_count; i-- > 0;) {
        if (i < context->flight_count &&
            context->flights[i].stream == stream) {
            flight_end(context, i);
        }
    }
}

/* Drops all pending copies at the end of the context, after waiting for the
 * context if some are not complete. */
void
core_flights_drop(struct core_context *context)
{
    struct core_scope scope;
    bool entered = core_enter(context, &scope);
    flights_look(context, entered ? context->flight_count : 0);
    if (entered && context->flight_count > 0) {
        PyThreadState *thread = core_unlock();
        driver.cuCtxSynchronize();
        core_lock(thread);
    }
    while (context->flight_count > 0) {
        flight_end(context, context->flight_count - 1);
    }
    for (size_t i = 0; entered && i < context->flight_room; i++) {
        if (context->flights[i].event != NULL) {
            driver.cuEventDestroy(context->flights[i].event);
        }
    }
    if (entered) {
        core_leave(&scope);
    }
    PyMem_Free(context->flights);
    context->flights = NULL;
    context->flight_room = 0;
}

/* Returns the first row after the pending copies, with an event that can be
 * recorded; NULL if memory is short. */
static struct core_flight *
flight_spare(struct core_context *context)
{
    size_t count = context->flight_count, room = context->flight_room;
    if (count == room) {
        size_t more = room == 0 ? 8 : 2 * room;
        struct core_flight *rows =
            PyMem_Realloc(context->flights, more * sizeof *rows);
        if (rows == NULL) {
            return NULL;
        }
        memset(rows + room, 0, (more - room) * sizeof *rows);
        context->flights = rows;
        context->flight_room = more;
    }
    struct core_flight *spare = &context->flights[count];
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
static struct core_flight *
flight_again(struct core_context *context, PyObject *host, CUstream stream)
{
    size_t count = context->flight_count;
    for (size_t i = 1; i <= RECENT && i <= count; i++) {
        struct core_flight *flight = &context->flights[count - i];
        if (flight->host == host && flight->stream == stream) {
            return flight;
        }
    }
    return NULL;
}

/* Returns whether the host memory is page-locked or managed. */
static bool
host_known(const void *address)
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
core_flight_keep(PyObject *host, const void *address, CUstream stream)
{
    struct core_context *context = core_stack_top();
    if (host == NULL || context == NULL || !context->valid ||
        context->captures > 0 || !host_known(address) ||
        stream_captures(stream)) {
        return; /* a captured graph keeps its host memory itself */
    }
    flights_look(context, LOOK_AT);
    struct core_flight *flight = flight_again(context, host, stream);
    bool fresh = flight == NULL;
    if (fresh) {
        flight = flight_spare(context);
    }
    if (flight == NULL ||
        driver.cuEventRecord(flight->event, stream) != CUDA_SUCCESS) {
        PyThreadState *thread = core_unlock();
        driver.cuStreamSynchronize(stream);
        core_lock(thread);
        return;
    }
    if (fresh) {
        flight->host = Py_NewRef(host);
        flight->stream = stream;
        context->flight_count++;
    }
}
