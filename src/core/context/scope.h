/* scope.h - makes a context current for the time of a driver call.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_SCOPE_H
#define PYCUDA_CORE_CONTEXT_SCOPE_H

#include "core/core.h"
#include "core/python/object_head.h"

struct core_context;

/* What core_leave must undo of a call of core_enter, which fills this
 * struct. */
struct core_scope {
    bool pushed; /* the context was pushed, so that core_leave must pop it */
};
/* Number of scopes of this thread that have pushed a context. */
extern _Thread_local unsigned core_scope_depth CORE_AT_ONCE;

/* Makes `context`, which may be NULL, CUDA's current context of the calling
 * thread until core_leave. Returns false, without an exception, if the context
 * is NULL or was detached, or if it cannot be made current; then core_leave
 * must not be called. */
bool core_enter(struct core_context *context, struct core_scope *scope);
/* Restores the context that was current before core_enter returned true. */
void core_leave(struct core_scope *scope);
/* Raises LogicError: the object's context was detached. Returns -1. */
int core_context_fail_detached(const char *routine);

#endif
