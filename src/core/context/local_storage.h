/* local_storage.h - context-local storage.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_LOCAL_STORAGE_H
#define PYCUDA_CORE_CONTEXT_LOCAL_STORAGE_H

#include "core/core.h"

struct core_context;

/* core_local_traverse visits the context-local storage for the garbage
 * collector; core_local_drop drops it, and changes the context's key. */
int core_local_traverse(struct core_context *context, visitproc visit,
                        void *arg);
void core_local_drop(struct core_context *context);

#endif
