/* pending_copies.h - host memory of pending copies.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_PENDING_COPIES_H
#define PYCUDA_CORE_MEMORY_PENDING_COPIES_H

#include "core/core.h"

struct core_context;

/* An asynchronous copy that may not be complete, and the host memory that it
 * uses (memory/pending_copies.c). */
struct core_pending_copy {
    /* strong reference; the object that owns the host memory */
    PyObject *host;
    CUstream stream;
    CUevent event;
};

/* Keeps a reference to `host`, the owner of the host memory at `address`,
 * until the copy just issued on `stream` is complete. */
void core_pending_copy_add(PyObject *host, const void *address,
                           CUstream stream);
/* Drops the references of pending copies that are now complete. */
void core_pending_copies_poll(struct core_context *context);
/* Drops the references of all copies on `stream`, which is idle. */
void core_pending_copies_drop_stream(struct core_context *context,
                                     CUstream stream);
/* At the context's end: waits for all copies, and drops their references. */
void core_pending_copies_drop(struct core_context *context);

#endif
