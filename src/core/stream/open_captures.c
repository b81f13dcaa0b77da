/* open_captures.c - open captures of streams, and the objects that they keep
 * alive.
 *
 * capture.c adds and removes captures. Launches and copies add the objects
 * that they use.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/stream/open_captures.h"
#include "core/stream/stream.h"

/* list of all open captures, the newest first; borrowed. Protected by
 * `captures_lock`, which also protects the lists `joined` of the captures. */
static struct core_capture *open_captures;
LEAF_LOCK(captures_lock);

bool
core_captures_exist(void)
{
    return READ_SHARED(open_captures) != NULL;
}

void
core_capture_list(struct core_capture *capture)
{
    core_allow_references((PyObject *)capture);
    LEAF_BEGIN(captures_lock);
    capture->open = true;
    capture->next = open_captures;
    WRITE_SHARED(open_captures, capture);
    LEAF_END(captures_lock);
}

struct core_capture_joined *
core_capture_unlist(struct core_capture *capture)
{
    LEAF_BEGIN(captures_lock);
    struct core_capture **link = &open_captures;
    while (*link != capture) {
        link = &(*link)->next;
    }
    WRITE_SHARED(*link, capture->next);
    capture->open = false;
    struct core_capture_joined *joined = capture->joined;
    capture->joined = NULL;
    LEAF_END(captures_lock);
    return joined;
}

/* Returns whether the context takes part in the capture: it is the capture's
 * own context or has joined. */
static bool
capture_has(const struct core_capture *self,
            const struct core_context *context)
{
    const struct core_capture_joined *joined = self->joined;
    while (joined != NULL && joined->context != context) {
        joined = joined->next;
    }
    return self->context == context || joined != NULL;
}

struct core_capture *
core_capture_find(const struct core_context *from,
                  const struct core_context *to)
{
    PyObject *found = NULL;
    LEAF_BEGIN(captures_lock);
    for (struct core_capture *c = open_captures; c != NULL && found == NULL;
         c = c->next) {
        if (capture_has(c, from) && !capture_has(c, to)) {
            found = core_reference_living((PyObject *)c);
        }
    }
    LEAF_END(captures_lock);
    return (struct core_capture *)found;
}

bool
core_capture_add_joined(struct core_capture *capture,
                        struct core_capture_joined *joined)
{
    LEAF_BEGIN(captures_lock);
    bool added = capture->open && !capture_has(capture, joined->context);
    if (added) {
        joined->next = capture->joined;
        capture->joined = joined;
    }
    LEAF_END(captures_lock);
    return added;
}

/* Returns the stream of `context` that this thread captures, borrowed, and
 * stores the capture's turn, which is comparable with core_entry.turn. Returns
 * NULL if there is no capture. */
struct core_stream_object *
core_capture_newest(const struct core_context *context, uint64_t *turn)
{
    struct core_stream_object *stream = NULL;
    if (!core_captures_exist()) {
        return NULL;
    }
    unsigned long thread = PyThread_get_thread_ident();
    LEAF_BEGIN(captures_lock);
    for (struct core_capture *c = open_captures; c != NULL && stream == NULL;
         c = c->next) {
        if (c->thread == thread && c->context == context) {
            *turn = c->turn;
            stream = c->stream;
        }
    }
    LEAF_END(captures_lock);
    return stream;
}

/* Lets the graphs of the context's open captures keep a reference to the
 * object. Does nothing without an open capture. */
int
core_capture_retain(struct core_context *context, PyObject *object)
{
    return context->held == NULL || object == NULL
               ? 0
               : PyList_Append(context->held, object);
}
