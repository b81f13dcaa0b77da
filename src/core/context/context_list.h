/* context_list.h - the list of all contexts.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_CONTEXT_LIST_H
#define PYCUDA_CORE_CONTEXT_CONTEXT_LIST_H

#include "core/context/context.h"
#include "core/core.h"

/* Returns a new Context that owns `handle`. On failure returns NULL, and the
 * caller still owns `handle`. */
PyObject *core_context_wrap(CUcontext handle, CUdevice device,
                            enum core_context_kind kind);
/* core_contexts_add adds a new context to the list of all contexts;
 * core_contexts_remove removes a context whose memory is about to be freed. */
void core_contexts_add(struct core_context *context);
void core_contexts_remove(struct core_context *context);
/* Returns the newest context for which `matches` returns true, a new
 * reference; NULL without an exception if there is none. `matches` calls
 * neither Python nor the driver. */
struct core_context *core_contexts_find(
    bool (*matches)(const struct core_context *context, const void *value),
    const void *value);
/* Returns whether `matches`, which calls neither Python nor the driver,
 * returns true for all contexts. */
bool core_contexts_all(bool (*matches)(const struct core_context *context,
                                       const void *value),
                       const void *value);
/* Returns a new list of all contexts, the newest first. */
PyObject *core_contexts_list(void);
/* Returns whether there are at least two contexts. */
bool core_contexts_are_several(void);
/* Sets the field `guarded` of all contexts. While it is true, uses of the
 * context's memory take the slow path of core_use. Called after a context or a
 * capture has begun or ended. */
void core_contexts_guard(void);

#endif
