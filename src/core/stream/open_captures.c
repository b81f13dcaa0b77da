/* open_captures.c - open captures of streams, and the objects that they keep
 * alive.
 *
 * capture.c adds and removes captures. Launches and copies add the objects
 * that they use.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/core.h"
#include "core/stream/open_captures.h"
#include "core/stream/stream.h"

struct core_capture *core_open_captures;

/* Returns the stream of `context` that this thread captures, borrowed, and
 * stores the capture's turn, which is comparable with core_entry.turn. NULL if
 * there is no capture. */
struct core_stream_object *
core_capture_newest(const struct core_context *context, uint64_t *turn)
{
    unsigned long thread = PyThread_get_thread_ident();
    for (struct core_capture *c = core_open_captures; c != NULL; c = c->next) {
        if (c->thread == thread && c->context == context) {
            *turn = c->turn;
            return c->stream;
        }
    }
    return NULL;
}

/* Keeps the object alive as long as the graphs of the context's open captures.
 * Does nothing without an open capture. */
int
core_capture_retain(struct core_context *context, PyObject *object)
{
    return context->held == NULL || object == NULL
               ? 0
               : PyList_Append(context->held, object);
}
