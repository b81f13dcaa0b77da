/* open_captures.h - open captures of streams, and the objects that they keep
 * alive.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_OPEN_CAPTURES_H
#define PYCUDA_CORE_STREAM_OPEN_CAPTURES_H

#include "core/core.h"
#include "core/python/object_head.h"

struct core_context;
struct core_graph;
struct core_stream_object;

/* Element of a capture's list of other contexts: one of the context's streams
 * has joined the capture. */
struct core_capture_joined {
    struct core_context *context; /* strong reference */
    struct core_capture_joined *next;
};

struct core_capture {
    CORE_HEAD
    struct core_stream_object *stream; /* strong reference */
    struct core_graph *graph; /* strong reference; NULL before __enter__ */
    struct core_capture_joined *joined; /* owned list; empty unless `open` */
    /* next in the list of open captures */
    struct core_capture *next;
    unsigned long thread;
    /* counter value when the capture began; streams that are entered get
     * values of the same counter (core_entry.turn) */
    uint64_t turn;
    CUstreamCaptureMode mode;
    bool open;
};

/* Returns whether any capture is open. */
bool core_captures_exist(void);
/* core_capture_list opens a capture: adds it to the list of open captures. The
 * list has no reference to the capture. core_capture_unlist closes an open
 * capture: removes it from the list. It returns the capture's list of other
 * contexts, which the caller then owns. */
void core_capture_list(struct core_capture *capture);
struct core_capture_joined *core_capture_unlist(struct core_capture *capture);
/* Returns an open capture in which the context `from` takes part and `to` does
 * not, a new reference; NULL without an exception if there is none. */
struct core_capture *core_capture_find(const struct core_context *from,
                                       const struct core_context *to);
/* Adds `joined` to the capture, which then owns it. Returns false if the
 * capture was closed or the context takes part in it already; the caller then
 * still owns `joined`. */
bool core_capture_add_joined(struct core_capture *capture,
                             struct core_capture_joined *joined);
/* Lets the graphs of the context's open captures keep a reference to
 * `object`. */
int core_capture_retain(struct core_context *context, PyObject *object);
/* Returns the stream that this thread captures, borrowed, or NULL. Stores the
 * capture's `turn`; the larger of two turns belongs to the stream that was
 * entered later. */
struct core_stream_object *
core_capture_newest(const struct core_context *context, uint64_t *turn);

#endif
