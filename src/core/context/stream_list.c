/* stream_list.c - the list of a context's streams.
 *
 * Stream objects add and remove their streams. The default pool, and the
 * tracking of memory by streams (stream_dependencies.c), search the list.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stream_list.h"
#include "core/core.h"

int
core_context_add_stream(struct core_context *context, CUstream handle,
                        bool blocking)
{
    struct core_stream_row *rows = PyMem_Realloc(
        context->streams, (context->stream_count + 1) * sizeof *rows);
    if (rows == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    context->streams = rows;
    rows[context->stream_count++] =
        (struct core_stream_row){.handle = handle, .blocking = blocking};
    return 0;
}

void
core_context_drop_stream(struct core_context *context, CUstream handle)
{
    for (size_t i = 0; i < context->stream_count; i++) {
        if (context->streams[i].handle == handle) {
            context->streams[i] = context->streams[--context->stream_count];
            return;
        }
    }
}

/* Returns whether the stream is the default stream or an existing Stream
 * object of the context. Other streams (of other libraries) may be destroyed
 * without notice. */
bool
core_stream_known(const struct core_context *context, CUstream stream)
{
    for (size_t i = 0; stream != NULL && i < context->stream_count; i++) {
        if (context->streams[i].handle == stream) {
            return true;
        }
    }
    return stream == NULL;
}
