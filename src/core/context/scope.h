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

/* core_enter makes `context` CUDA's current context and stores the previous
 * one in the scope; core_leave restores that. If core_enter returns false, the
 * context is gone and core_leave must not be called. */
struct core_scope {
    bool pushed;
};
/* Number of scopes of this thread that have pushed a context. */
extern _Thread_local unsigned core_scope_depth CORE_AT_ONCE;

bool core_enter(struct core_context *context, struct core_scope *scope);
void core_leave(struct core_scope *scope);
/* Raises LogicError: the object's context was detached. Returns -1. */
int core_context_fail_detached(const char *routine);

#endif
