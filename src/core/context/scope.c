/* scope.c - makes a context current during a driver call.
 *
 * Called by all files that release or use an object of a context from any
 * thread.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/python/object_head.h"
#include "core/state.h"

_Thread_local unsigned core_scope_depth CORE_AT_ONCE;

/* Makes `context` CUDA's current context until core_leave, so that any thread
 * can pass an object of the context to the driver. This thread's stack of
 * Contexts (stack.c) stays unchanged. Returns false if the context is NULL or
 * detached, or cannot be made current. The caller then does not use the object
 * and does not call core_leave. */
bool
core_enter(const struct core_context *context, struct core_scope *scope)
{
    scope->pushed = false;
    if (context == NULL) {
        return false;
    }
    CORE_CONTEXT_BEGIN(&scope->section, context);
    CUcontext current = NULL;
    if (!context->valid || core.forked ||
        driver.cuCtxGetCurrent(&current) != CUDA_SUCCESS) {
        CORE_CONTEXT_END(&scope->section);
        return false;
    }
    if (current != context->handle) {
        if (driver.cuCtxPushCurrent(context->handle) != CUDA_SUCCESS) {
            CORE_CONTEXT_END(&scope->section);
            return false;
        }
        scope->pushed = true;
    }
    /* Count the scope, even if `context` was current and was not pushed. While
     * the count is not zero, core_stack_claim does not replace `context` by
     * the top of this thread's stack, which may be another context. */
    core_scope_depth++;
    return true;
}

void
core_leave(struct core_scope *scope)
{
    CUcontext popped;
    core_scope_depth--;
    if (scope->pushed) {
        driver.cuCtxPopCurrent(&popped);
    }
    CORE_CONTEXT_END(&scope->section);
}

void
core_scopes_suspend(struct core_suspended_scopes *state)
{
    state->depth = core_scope_depth;
    state->current = NULL;
    driver.cuCtxGetCurrent(&state->current);
    core_scope_depth = 0;
}

void
core_scopes_resume(const struct core_suspended_scopes *state)
{
    core_scope_depth = state->depth;
    if (state->depth > 0) {
        driver.cuCtxSetCurrent(state->current);
    }
}

int
core_context_fail_detached(const char *routine)
{
    return core_fail(CUDA_ERROR_INVALID_CONTEXT, routine,
                     "the object's context was detached");
}
