/* child_launch.c - launches, copies and queries by kernels.
 *
 * Called by device_runtime.c on the thread that runs the kernel. A launch by a
 * kernel becomes an operation, like a launch by the program; child_ops.c
 * orders it by the streams of the device runtime. So any worker can run the
 * operation. If there is only one worker, the worker runs it after the blocks
 * of the parent. No kernel blocks its worker to wait for another kernel.
 *
 * An error code that exists in both the runtime API and the driver API has the
 * same value in both. No lock is held on entry.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/device/device.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/memory/copy.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "cpu/run/child_launch.h"
#include "cpu/run/device_runtime.h"
#include "cpu/run/fault.h"
#include "cpu/run/launch.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/occupancy.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/child_ops.h"
#include "cpu/stream/operation.h"
#include "image/abi.h"
#include "image/image.h"

/* Error codes of the runtime API that the driver API lacks. */
enum {
    INVALID_CONFIGURATION = 9,
    INVALID_DEVICE_FUNCTION = 98,
};

/* Returns the operation that contains `launch`. */
static struct cpu_op *
op_of(struct cpu_launch *launch)
{
    return (struct cpu_op *)((char *)launch - offsetof(struct cpu_op, launch));
}

static int
function_find(const struct cpu_launch *parent, const char *kernel,
              struct cpu_function **function)
{
    CUresult code =
        cpu_function_find(parent->function->module, kernel, function);

    return code == CUDA_ERROR_NOT_FOUND ? INVALID_DEVICE_FUNCTION : (int)code;
}

/* ---- launches ---- */

/* Returns INVALID_CONFIGURATION, an error code of the runtime API, if the
 * kernel cannot be launched with this grid, block and shared memory. GPUs
 * return this code for every such error of a launch by a kernel. */
static int
shape_check(const struct cpu_function *function,
            const struct image_child_launch *launch)
{
    CUresult code =
        launch->shared > INT32_MAX
            ? CUDA_ERROR_INVALID_VALUE
            : cpu_launch_check_shape(function, launch->grid, launch->block,
                                     (unsigned)launch->shared);

    return code ? INVALID_CONFIGURATION : 0;
}

/* Creates the operation of a launch. Returns NULL if there is not enough
 * memory. */
static struct cpu_op *
op_make(struct cpu_launch *parent, const struct image_child_launch *launch,
        struct cpu_function *function, const void *params)
{
    struct cpu_op *above = op_of(parent);
    size_t bytes = function->kernel->parameter_bytes;
    struct cpu_op *op = cpu_op_new(above->ctx, CPU_OP_KERNEL, bytes);

    if (!op) {
        return NULL;
    }
    memcpy(op->argument, params, bytes);
    op->priority = above->priority;
    cpu_launch_fill(op, function, launch->grid, launch->block,
                    (unsigned)launch->shared, false);
    op->launch.root_started_ns =
        parent->root_started_ns ? parent->root_started_ns : parent->started_ns;
    return op;
}

static int
launch(struct cpu_launch *parent, const struct image_child_launch *launch,
       const char *kernel, const void *params, uint64_t bytes)
{
    struct cpu_function *function = NULL;
    int code = function_find(parent, kernel, &function);

    code = code ? code : shape_check(function, launch);
    if (!code && bytes < function->kernel->parameter_bytes) {
        /* The kernel was called through a pointer to a function with fewer
         * parameters. */
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code) {
        return code;
    }
    struct cpu_op *op = op_make(parent, launch, function, params);
    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* The watchdog only ends launches that run for a long time. A long chain
     * of short launches, each by the kernel before it, is ended here. */
    if (cpu_watchdog_expired(op->launch.root_started_ns)) {
        cpu_context_fail(op->ctx, CUDA_ERROR_LAUNCH_TIMEOUT);
    }
    code = cpu_child_submit(op_of(parent), op, launch->stream,
                            launch->caller_block);
    cpu_op_release(op);
    return code;
}

/* ---- streams and events ---- */

static int
object(struct cpu_launch *parent, int action, void **object)
{
    switch (action) {
    case IMAGE_STREAM_CREATE:
        return cpu_child_stream_create(op_of(parent), object);
    case IMAGE_STREAM_DESTROY:
        return cpu_child_stream_destroy(op_of(parent), *object);
    case IMAGE_EVENT_CREATE:
        return cpu_child_event_create(op_of(parent), object);
    default:
        return cpu_child_event_destroy(op_of(parent), *object);
    }
}

static int
event_use(struct cpu_launch *parent, void *event, void *stream, uint64_t block,
          bool wait)
{
    return wait ? cpu_child_event_wait(op_of(parent), event, stream, block)
                : cpu_child_event_record(op_of(parent), event, stream, block);
}

/* ---- copies ---- */

static CUresult
box_fill(void *argument)
{
    const struct image_device_copy *box = argument;

    for (uint64_t z = 0; z < box->depth; z++) {
        for (uint64_t y = 0; y < box->height; y++) {
            char *row = box->to + z * box->to_slice + y * box->to_pitch;

            memset(row, box->value, box->width);
            cpu_check_filled(row, box->width);
        }
    }
    return CUDA_SUCCESS;
}

/* Runs a copy or fill as an operation. An invalid address becomes a sticky
 * error of the context, like an invalid access by a kernel. */
static CUresult
copy_run(void *argument)
{
    const struct image_device_copy *box = argument;
    struct cpu_rows rows = {.to = box->to,
                            .from = box->from,
                            .width = box->width,
                            .height = box->height,
                            .depth = box->depth,
                            .to_pitch = box->to_pitch,
                            .to_slice = box->to_slice,
                            .from_pitch = box->from_pitch,
                            .from_slice = box->from_slice};
    CUresult code = box->is_fill ? cpu_fault_guard(box_fill, argument)
                                 : cpu_rows_run(&rows);

    return code == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_ILLEGAL_ADDRESS
                                            : code;
}

static int
copy(struct cpu_launch *parent, const struct image_device_copy *copy,
     void *stream, uint64_t block)
{
    struct cpu_op *above = op_of(parent);

    if (copy->width == 0 || copy->height == 0 || copy->depth == 0) {
        return 0;
    }
    struct cpu_op *op = cpu_op_new(above->ctx, CPU_OP_CALL, sizeof *copy);
    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(op->argument, copy, sizeof *copy);
    op->run = copy_run;
    int code = cpu_child_submit(above, op, stream, block);
    cpu_op_release(op);
    return code;
}

/* ---- queries ---- */

static int
limit_query(struct cpu_launch *parent, int limit, uint64_t *value)
{
    if (limit < 0 || limit >= CU_LIMIT_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (limit >= CPU_LIMITS) {
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    *value = op_of(parent)->ctx->limits[limit];
    return 0;
}

static int
attribute_query(struct cpu_launch *parent, int attribute, int device,
                int *value)
{
    if (attribute == IMAGE_DEVICE_CURRENT || attribute == IMAGE_DEVICE_COUNT) {
        *value = attribute == IMAGE_DEVICE_COUNT ? cpu_state.device_count
                                                 : op_of(parent)->ctx->device;
        return 0;
    }
    CUresult code = cpu_device_check(device);

    if (!code && !cpu_device_attribute((CUdevice_attribute)attribute, value)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    return (int)code;
}

static int
kernel_attribute_query(struct cpu_launch *parent, const char *kernel,
                       int attribute, int *value)
{
    struct cpu_function *function;
    int code = function_find(parent, kernel, &function);

    return code ? code
                : (int)cpu_function_attribute(
                      function, (CUfunction_attribute)attribute, value);
}

static int
occupancy_query(struct cpu_launch *parent, const char *kernel, int threads,
                uint64_t shared, int *blocks)
{
    struct cpu_function *function;
    int code = function_find(parent, kernel, &function);

    if (!code && threads < 1) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *blocks = cpu_occupancy_blocks(function, threads, shared);
    }
    return code;
}

void
cpu_child_launch_install(void)
{
    static const struct cpu_device_runtime functions = {
        .launch = launch,
        .object = object,
        .event = event_use,
        .copy = copy,
        .limit = limit_query,
        .attribute = attribute_query,
        .kernel_attribute = kernel_attribute_query,
        .occupancy = occupancy_query,
    };

    cpu_device_runtime_install(&functions);
}
