/* scratch.c - scratch memory of a stream for kernels whose last thread block
 * combines the results of all blocks. It has a counter of finished blocks,
 * which is 0 between launches, and space for the results of the blocks.
 *
 * Launches on one stream run one after the other, so they share the memory. A
 * context has a table with a row for each stream that has scratch memory. A
 * row is removed when its stream or the context is destroyed; the row of a
 * stream that another library created is removed with the context only. All
 * functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/core.h"
#include "core/memory/scratch.h"

/* value of CU_STREAM_PER_THREAD, the per-thread default stream: one handle for
 * a different stream in each thread */
#define NULL_LIKE ((CUstream)2)

/* bytes reserved for the counter of finished blocks at the start of the
 * scratch memory; the blocks' results after it are thereby aligned to 256
 * bytes */
enum { COUNTER_BYTES = 256 };

struct core_scratch {
    CUstream stream;
    /* device address of the counter of finished blocks; the results of the
     * blocks are stored COUNTER_BYTES after this address */
    CUdeviceptr counter;
    size_t rest_bytes;
    /* list: the current scratch allocation and earlier ones */
    PyObject *memory;
};

/* Returns whether the stream is being captured or the driver cannot tell.
 * Launches of the graph could run concurrently with other launches on the
 * stream. The default stream cannot be captured. */
static bool
may_be_captured(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return stream != NULL &&
           (driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
            status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* Returns the stream's row in the context's table of scratch memory, or
 * NULL. */
static struct core_scratch *
row_of(struct core_context *context, CUstream stream)
{
    struct core_scratch *row = NULL;
    for (size_t i = 0; i < context->scratch_count && row == NULL; i++) {
        struct core_scratch *found = &context->scratch[i];
        row = found->stream == stream ? found : NULL;
    }
    return row;
}

/* Adds a row for the stream to the table. The row has no scratch memory
 * yet. */
static struct core_scratch *
row_new(struct core_context *context, CUstream stream)
{
    struct core_scratch row = {.stream = stream, .memory = PyList_New(0)};
    struct core_scratch *rows = PyMem_Realloc(
        context->scratch, (context->scratch_count + 1) * sizeof *rows);
    if (rows == NULL || row.memory == NULL) {
        context->scratch = rows != NULL ? rows : context->scratch;
        Py_XDECREF(row.memory);
        PyErr_NoMemory();
        return NULL;
    }
    context->scratch = rows;
    rows[context->scratch_count] = row;
    return &rows[context->scratch_count++];
}

/* Allocates scratch memory with space for `bytes` bytes of results. Keeps the
 * earlier memory of the stream, since another thread may be about to launch a
 * kernel with it. */
static int
row_grow(struct core_context *context, CUstream stream, size_t bytes)
{
    static const unsigned zero[1];
    PyObject *memory =
        core_allocate_in(context, COUNTER_BYTES + bytes, stream);
    if (memory == NULL) {
        return -1;
    }
    CUdeviceptr counter = core_allocation_pointer(memory);
    int code =
        core_memcpy_htod_async(counter, zero, sizeof zero, stream, NULL);
    /* another thread may have changed the table during the allocation */
    if (code == 0) {
        struct core_scratch *row = row_of(context, stream);
        row = row != NULL ? row : row_new(context, stream);
        code = row != NULL ? PyList_Append(row->memory, memory) : -1;
        if (code == 0) {
            row->counter = counter;
            row->rest_bytes = bytes;
        }
    }
    Py_DECREF(memory);
    return code;
}

int
core_scratch(CUstream stream, size_t bytes, CUdeviceptr *counter,
             CUdeviceptr *rest)
{
    void *key;
    struct core_context *context = core_current_with_stream(&key, &stream);
    *counter = *rest = 0;
    if (context == NULL) {
        return -1;
    }
    if (stream == NULL_LIKE || may_be_captured(stream)) {
        return 0;
    }
    const struct core_scratch *row = row_of(context, stream);
    while (row == NULL || row->rest_bytes < bytes) {
        size_t room = row != NULL ? 2 * row->rest_bytes : 0;
        if (row_grow(context, stream, room > bytes ? room : bytes) < 0) {
            return -1;
        }
        row = row_of(context, stream);
    }
    *counter = row->counter;
    *rest = row->counter + COUNTER_BYTES;
    return 0;
}

/* Drops the stream's scratch memory. Called when the stream's work is complete
 * or no work will use the stream any more. */
void
core_scratch_stream_ended(struct core_context *context, CUstream stream)
{
    for (size_t i = 0; i < context->scratch_count; i++) {
        if (context->scratch[i].stream == stream) {
            PyObject *memory = context->scratch[i].memory;
            context->scratch[i] = context->scratch[--context->scratch_count];
            Py_DECREF(memory);
            return;
        }
    }
}

int
core_scratch_traverse(struct core_context *context, visitproc visit, void *arg)
{
    for (size_t i = 0; i < context->scratch_count; i++) {
        Py_VISIT(context->scratch[i].memory);
    }
    return 0;
}

void
core_scratch_drop_all(struct core_context *context)
{
    struct core_scratch *rows = context->scratch;
    size_t count = context->scratch_count;
    context->scratch = NULL;
    context->scratch_count = 0;
    for (size_t i = 0; i < count; i++) {
        Py_DECREF(rows[i].memory);
    }
    PyMem_Free(rows);
}
