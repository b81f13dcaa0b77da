/* throttle.h - limits the number of pending launches.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_THROTTLE_H
#define PYCUDA_CORE_LAUNCH_THROTTLE_H

#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"

/* Slow path of core_throttle_add: counts a launch, and asks the driver which
 * launches are complete if the limit is near. Returns whether the launch may
 * block. */
bool core_throttle_check(struct core_context *context, CUstream stream);
/* Waits for all work of the context without the GIL. Raises nothing. */
CUresult core_throttles_wait(struct core_context *context);
/* Called when a stream is destroyed: its pending launches count until they
 * complete. */
void core_throttles_stream_ended(struct core_context *context,
                                 CUstream stream);
/* Returns whether all work of the context is known to be complete. */
bool core_throttles_are_idle(const struct core_context *context);
/* Destroys the events of the context's throttle entries and sets their counts
 * to 0. */
void core_throttles_drop(struct core_context *context);

/* Returns whether the driver certainly accepts one more launch without
 * waiting. */
static inline bool
core_throttle_has_capacity(const struct core_throttle *queue, CUstream stream)
{
    return queue->stream == stream && queue->count + 1 < queue->next_check;
}

/* Counts a launch or copy as pending. Returns true if issuing it may block. */
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

/* Makes the context on top of this thread's stack current in CUDA
 * (core_stack_claim), and counts a launch or copy as pending in it, as
 * core_throttle_add does. Returns true if issuing the launch or copy may
 * block. If the stack is empty, counts nothing and returns true. */
static inline bool
core_throttle_add_current(CUstream stream)
{
    struct core_context *context = core_stack_claim_top();
    return context == NULL || core_throttle_add(context, stream);
}

#endif
