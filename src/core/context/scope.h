/* scope.h - makes a context current during a driver call.
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

/* Saves a thread's open scopes (core_enter without core_leave) while Python
 * code runs that may use pycuda. */
struct core_suspended_scopes {
    unsigned depth;
    CUcontext current; /* CUDA's current context inside the saved scopes */
};

/* Number of open scopes of this thread. While it is not zero, core_stack_claim
 * does not change CUDA's current context. */
extern _Thread_local unsigned core_scope_depth CORE_AT_ONCE;

/* Makes `context`, which may be NULL, CUDA's current context of the calling
 * thread until core_leave, and takes its lock (python/locks.h). Returns false,
 * without an exception, if the context is NULL or was detached, or if it
 * cannot be made current; then core_leave must not be called. */
bool core_enter(const struct core_context *context, struct core_scope *scope);
/* Restores the context that was current before core_enter returned true. */
void core_leave(struct core_scope *scope);
/* Called before Python code that may use pycuda, inside or outside of scopes
 * (core_enter to core_leave). The Python code then works in the context on top
 * of the thread's stack, not in the context of an open scope. The caller calls
 * core_scopes_resume with the same `state` after the Python code. */
void core_scopes_suspend(struct core_suspended_scopes *state);
/* Reverses core_scopes_suspend: opens the suspended scopes again. If a scope
 * was open, restores CUDA's current context of that scope. */
void core_scopes_resume(const struct core_suspended_scopes *state);
/* Raises LogicError: the object's context was detached. Returns -1. */
int core_context_fail_detached(const char *routine);

#endif
