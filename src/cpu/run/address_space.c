/* address_space.c - the CUDA memory space of an address, for functions such as
 * __isShared.
 *
 * Called by kernel code on a worker's thread. Reads the worker's state only.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>

#include "cpu/module/image.h"
#include "cpu/module/module_state.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/runtime.h"
#include "cpu/stream/worker.h"
#include "image/abi.h"
#include "image/image.h"

static bool
is_within(uintptr_t at, const void *first, uint64_t bytes)
{
    return at - (uintptr_t)first < bytes;
}

static bool
is_on_own_stack(const struct cpu_worker *worker, uintptr_t at)
{
    return is_within(at, worker->stacks, worker->stacks_bytes) ||
           is_within(at, worker->deep, worker->deep_bytes);
}

/* Returns true if the address is in local memory. Local memory is usually the
 * worker's stacks. If the kernel runs on the calling thread's own stack, local
 * memory is the part of that stack below worker->guard, the address of the
 * runtime's first frame. */
static bool
is_local(const struct cpu_worker *worker, uintptr_t at)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    return is_on_own_stack(worker, at) ||
           (!is_on_own_stack(worker, here) && at >= here &&
            at < (uintptr_t)worker->guard);
}

static bool
is_constant(const struct cpu_image *image, uintptr_t at)
{
    for (unsigned i = 0; i < cpu_image_global_count(image); i++) {
        struct cpu_image_global global;
        cpu_image_global_at(image, i, &global);
        if (global.row->flags & IMAGE_GLOBAL_CONSTANT &&
            is_within(at, global.address, global.row->bytes)) {
            return true;
        }
    }
    return false;
}

int32_t
__pycuda_space(const void *address)
{
    const struct cpu_worker *worker = cpu_worker_tls;
    const struct cpu_launch *launch = worker->launch;
    const struct cpu_function *function = launch->function;
    uintptr_t at = (uintptr_t)address;

    if (is_within(at, worker->shared, worker->shared_bytes)) {
        return IMAGE_SPACE_SHARED;
    }
    if (is_within(at, launch->params, function->kernel->parameter_bytes)) {
        return IMAGE_SPACE_PARAMETER;
    }
    if (is_local(worker, at)) {
        return IMAGE_SPACE_LOCAL;
    }
    return is_constant(function->module->image, at) ? IMAGE_SPACE_CONSTANT
                                                    : IMAGE_SPACE_GLOBAL;
}
