/* throttle.h - limits the number of pending launches.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_THROTTLE_H
#define PYCUDA_CORE_LAUNCH_THROTTLE_H

#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"

/* Slow path of core_throttle_add: asks the driver which launches are
 * complete. */
bool core_throttle_check(struct core_context *context, CUstream stream);
/* Waits for all work of the context without the GIL. Raises nothing. */
CUresult core_throttles_wait(struct core_context *context);
/* Called when a stream ends: still counts its launches until they complete. */
void core_throttles_stream_ended(struct core_context *context,
                                 CUstream stream);
/* Returns whether all work of the native context is known to be complete. */
bool core_throttles_are_idle(const struct core_context *context);
/* Destroys the context's queue events and sets the counts to 0. */
void core_throttles_drop(struct core_context *context);

/* Returns whether the driver certainly accepts one more launch at once. */
static inline bool
core_throttle_has_capacity(const struct core_throttle *queue, CUstream stream)
{
    return queue->stream == stream && queue->count + 1 < queue->look;
}

/* Counts a launch or copy as pending. true: issuing it may block. */
static inline bool
core_throttle_add(struct core_context *context, CUstream stream)
{
    struct core_throttle *queue = context->throttle;
    if (LIKELY(core_throttle_has_capacity(queue, stream))) {
        queue->count++;
        return false;
    }
    return core_throttle_check(context, stream);
}

/* core_throttle_add in the current context; true without a context. */
static inline bool
core_throttle_add_current(CUstream stream)
{
    struct core_context *context = core_stack_top();
    return context == NULL || core_throttle_add(context, stream);
}

#endif
