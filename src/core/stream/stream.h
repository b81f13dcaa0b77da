/* stream.h - the structs of Stream and Event objects.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_STREAM_H
#define PYCUDA_CORE_STREAM_STREAM_H

#include "core/core.h"
#include "core/python/object_head.h"

struct core_context;

struct core_stream_object {
    CORE_HEAD
    CUstream handle;
    /* true: made by Stream.from_handle; never destroys the native stream */
    bool foreign;
    /* another library's stream object, or NULL; strong reference */
    PyObject *source;
};

/* A stream that a thread has entered by a with statement: an entry of the
 * thread's list, in which the newest entry is last. */
struct core_entry {
    struct core_stream_object *stream; /* strong reference */
    /* number of this entry; later entries in the process have larger ones */
    uint64_t turn;
};

struct core_entered {
    struct core_entry *entries;
    size_t count, capacity;
};

struct core_event {
    CORE_HEAD
    CUevent handle;
};

#endif
