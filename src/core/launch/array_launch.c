/* array_launch.c - launches of kernels for the array operations of src/array.
 *
 * An array operation usually repeats a launch with the same kernel and grid
 * (core_launch_arrays). The fast path checks only each array's memory, the
 * context's key and the launch queue before it calls the driver. All other
 * cases take the slow path, launch_arrays_slow.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/diagnostics.h"
#include "core/launch/inline.h"
#include "core/launch/launch.h"
#include "core/launch/throttle.h"
#include "core/memory/allocation.h"
#include "core/memory/use_fast.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

/* Records the launch for error messages, then launches the kernel. The context
 * must be valid. */
static int
launch_in_context(struct core_context *context, CUfunction function,
                  const unsigned grid[3], const unsigned block[3],
                  unsigned shared_bytes, CUstream stream, void **arguments)
{
    launch_record(context, NULL, function, grid, block);
    CUresult code = core_launch_counted(context, function, grid, block,
                                        shared_bytes, stream, arguments, NULL);
    return LIKELY(code == CUDA_SUCCESS) ? 0
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
               : launch_in_context(
                     context, function, grid, block, shared_bytes,
                     stream == NULL ? core_stream_default() : stream,
                     arguments);
}

/* Copies the device pointers of the arrays, and redirects `arguments` from the
 * arrays' fields to the copies. Not inlined, since GCC 16 would then warn that
 * `arguments` keeps the addresses of local variables. No caller of
 * core_launch_arrays reads `arguments` afterwards. */
static __attribute__((noinline)) void
pointers_copy(int count, struct core_array_head *const *arrays,
              void **arguments, CUdeviceptr *pointer)
{
    for (int i = 0; i < count; i++) {
        if (arguments[i] == &arrays[i]->pointer) {
            pointer[i] = arrays[i]->pointer;
            arguments[i] = &pointer[i];
        }
    }
}

/* Slow path of core_launch_arrays. core_use_in_kernel and a launch into a full
 * queue may release the GIL, and other threads may then change `launch` and
 * the arrays' pointers. So these are copied first. */
static __attribute__((noinline)) int
launch_arrays_slow(struct core_context *context,
                   const struct core_relaunch *launch, CUstream stream,
                   int count, struct core_array_head *const *arrays,
                   void **arguments)
{
    const struct core_relaunch copy = *launch;
    const unsigned grid[3] = {copy.blocks, 1, 1};
    const unsigned block[3] = {copy.threads[0], copy.threads[1], 1};
    CUdeviceptr pointer[CORE_RELAUNCH_ARRAYS];

    pointers_copy(count, arrays, arguments, pointer);
    for (int i = 0; i < count; i++) {
        if (core_use_in_kernel(arrays[i]->owner, stream) < 0) {
            return -1;
        }
    }
    return context->serial == (uintptr_t)copy.key
               ? launch_in_context(context, copy.function, grid, block, 0,
                                   stream, arguments)
               : 1;
}

/* Fast path of core_use for an array whose memory was last used on the same
 * stream of this context. Returns false if it does not apply; the caller then
 * calls core_use. */
static inline bool
array_use_fast(const struct core_context *context,
               const struct core_array_head *array, CUstream stream)
{
    struct core_allocation *allocation =
        (struct core_allocation *)array->owner;
    if (UNLIKELY(allocation == NULL ||
                 !Py_IS_TYPE(array->owner, core.allocation_type))) {
        return false;
    }
    return use_fast_in_context(context, allocation, stream);
}

/* Returns whether the launch equals the context's newest recorded launch. */
static inline bool
launch_is_recorded(const struct core_context *context,
                   const struct core_relaunch *launch)
{
    const struct core_recorded_launch *last =
        &context->launched[context->launched_at];
    return last->function == launch->function && last->name == NULL &&
           last->is_row && last->grid[0] == launch->blocks &&
           last->block[0] == launch->threads[0] &&
           last->block[1] == launch->threads[1];
}

/* Records the launch in the context's recent launches, for error messages. */
static __attribute__((noinline)) void
relaunch_record(struct core_context *context,
                const struct core_relaunch *launch)
{
    const unsigned grid[3] = {launch->blocks, 1, 1};
    const unsigned block[3] = {launch->threads[0], launch->threads[1], 1};
    core_launch_record(context, NULL, launch->function, grid, block);
}

int
core_launch_arrays(struct core_context *context,
                   const struct core_relaunch *launch, CUstream stream,
                   int count, struct core_array_head *const *arrays,
                   void **arguments)
{
    for (int i = 0; i < count; i++) {
        if (UNLIKELY(!array_use_fast(context, arrays[i], stream))) {
            return launch_arrays_slow(context, launch, stream, count, arrays,
                                      arguments);
        }
    }
    if (UNLIKELY(context->serial != (uintptr_t)launch->key ||
                 context->captures != 0 ||
                 !core_throttle_has_capacity(context->throttle, stream))) {
        return launch_arrays_slow(context, launch, stream, count, arrays,
                                  arguments);
    }
    if (UNLIKELY(!launch_is_recorded(context, launch))) {
        relaunch_record(context, launch);
    }
    context->throttle->count++;
    CUresult code = driver.cuLaunchKernel(
        launch->function, launch->blocks, 1, 1, launch->threads[0],
        launch->threads[1], 1, 0, stream, arguments, NULL);
    /* The slow path repeats a refused launch if that may help (retry.c). */
    return LIKELY(code == CUDA_SUCCESS)
               ? 0
               : launch_arrays_slow(context, launch, stream, count, arrays,
                                    arguments);
}
