/* arrays.c - launches of the array room's operations.
 *
 * Operations come with a kernel and its arguments, mostly as they came before
 * (core_launch_arrays): then a look at each array's memory, at the context's
 * key and at the queue is all that is done before the driver is called.
 * Anything else is launch_slowly's.
 *
 * SPDX-License-Identifier: MIT */
#include "core/launch/hot.h"

/* In a context that is valid. */
static int
launch_in(struct core_context *context, CUfunction function,
          const unsigned grid[3], const unsigned block[3],
          unsigned shared_bytes, CUstream stream, void **arguments)
{
    launch_note(context, NULL, function, grid, block);
    CUresult code = core_launch_counted(context, function, grid, block,
                                        shared_bytes, stream, arguments, NULL);
    return USUAL(code == CUDA_SUCCESS) ? 0
                                       : core_check(code, "cuLaunchKernel");
}

int
core_launch(CUfunction function, const unsigned grid[3],
            const unsigned block[3], unsigned shared_bytes, CUstream stream,
            void **arguments)
{
    struct core_context *context = core_current();
    return context == NULL
               ? -1
               : launch_in(context, function, grid, block, shared_bytes,
                           stream == NULL ? core_stream_default() : stream,
                           arguments);
}

/* What core_use_in_kernel or the driver's queue may give the GIL away for. */
static __attribute__((noinline)) int
launch_slowly(struct core_context *context, const struct core_relaunch *launch,
              CUstream stream, int count,
              struct core_array_head *const *arrays, void **arguments)
{
    const struct core_relaunch kept = *launch;
    const unsigned grid[3] = {kept.blocks, 1, 1};
    const unsigned block[3] = {kept.threads[0], kept.threads[1], 1};
    CUdeviceptr pointer[CORE_RELAUNCH_ARRAYS];

    for (int i = 0; i < count; i++) {
        if (arguments[i] == &arrays[i]->pointer) {
            pointer[i] = arrays[i]->pointer;
            arguments[i] = &pointer[i];
        }
    }
    for (int i = 0; i < count; i++) {
        if (core_use_in_kernel(arrays[i]->owner, stream) < 0) {
            return -1;
        }
    }
    return context->serial == (uintptr_t)kept.key
               ? launch_in(context, kept.function, grid, block, 0, stream,
                           arguments)
               : 1;
}

/* core_use of an array's memory that the same stream used last, in a context
 * that captures nothing: false leaves it to core_use. */
static inline bool
array_used_again(const struct core_context *context,
                 const struct core_array_head *array, CUstream stream)
{
    struct core_allocation *allocation =
        (struct core_allocation *)array->owner;
    if (UNUSUAL(allocation == NULL ||
                !Py_IS_TYPE(array->owner, core.allocation_type))) {
        return false;
    }
    return used_again_here(context, allocation, stream);
}

/* Whether that is what was noted last. */
static inline bool
launch_noted(const struct core_context *context,
             const struct core_relaunch *launch)
{
    const struct core_launched *last =
        &context->launched[context->launched_at];
    return last->function == launch->function && last->name == NULL &&
           last->is_row && last->grid[0] == launch->blocks &&
           last->block[0] == launch->threads[0] &&
           last->block[1] == launch->threads[1];
}

static __attribute__((noinline)) void
relaunch_note(struct core_context *context, const struct core_relaunch *launch)
{
    const unsigned grid[3] = {launch->blocks, 1, 1};
    const unsigned block[3] = {launch->threads[0], launch->threads[1], 1};
    core_launch_note(context, NULL, launch->function, grid, block);
}

int
core_launch_arrays(struct core_context *context,
                   const struct core_relaunch *launch, CUstream stream,
                   int count, struct core_array_head *const *arrays,
                   void **arguments)
{
    for (int i = 0; i < count; i++) {
        if (UNUSUAL(!array_used_again(context, arrays[i], stream))) {
            return launch_slowly(context, launch, stream, count, arrays,
                                 arguments);
        }
    }
    if (UNUSUAL(context->serial != (uintptr_t)launch->key ||
                context->captures != 0 ||
                !core_queue_has_room(context->queue, stream))) {
        return launch_slowly(context, launch, stream, count, arrays,
                             arguments);
    }
    if (UNUSUAL(!launch_noted(context, launch))) {
        relaunch_note(context, launch);
    }
    context->queue->count++;
    CUresult code = driver.cuLaunchKernel(
        launch->function, launch->blocks, 1, 1, launch->threads[0],
        launch->threads[1], 1, 0, stream, arguments, NULL);
    if (UNUSUAL(code == CUDA_ERROR_OUT_OF_MEMORY)) { /* it makes room */
        return launch_slowly(context, launch, stream, count, arrays,
                             arguments);
    }
    return USUAL(code == CUDA_SUCCESS) ? 0
                                       : core_check(code, "cuLaunchKernel");
}
