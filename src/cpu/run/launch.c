/* launch.c - cuLaunchKernel and the other launch functions of the driver API.
 *
 * Called by users of the library. A launch becomes a KERNEL operation whose
 * blocks are shared among workers (chunks.c). A small launch runs on the
 * caller's thread if the kernel is known to be quick and no earlier operation
 * is pending in the stream.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "cpu/run/block.h"
#include "cpu/run/chunks.h"
#include "cpu/run/launch.h"
#include "cpu/run/launch_accounting.h"
#include "cpu/run/launch_state.h"
#include "cpu/run/occupancy.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/ready_queue.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/thread_worker.h"
#include "cpu/stream/worker.h"
#include "cpu/stream/workers.h"
#include "image/image.h"

/* Limits on the expected time of a launch that the calling thread runs itself.
 * INLINE_NS is less than the time to wake a worker; INLINE_AWAKE_NS is less
 * than the time to share the work with an awake worker. If launches in quick
 * succession have taken BURST_NS in total, the next launch wakes a worker,
 * because later launches can use the worker as well. */
#define INLINE_NS       10000u
#define INLINE_AWAKE_NS 3000u
#define BURST_NS        50000u
/* A pause of this many ns ends a quick succession of launches. */
#define BURST_PAUSE_NS 50000u

static _Atomic uint64_t last_serial;
/* burst_ns: total time in ns of launches in quick succession that the calling
 * threads ran, although an awake worker could have helped. burst_end: time at
 * which the last of these launches ended. Both are estimates: simultaneous
 * updates by several threads may be lost. */
static _Atomic uint64_t burst_ns, burst_end;

CUresult
cpu_launch_check_shape(const struct cpu_function *function,
                       const unsigned grid[3], const unsigned block[3],
                       unsigned shared)
{
    static const unsigned grid_max[3] = {2147483647u, 65535, 65535};
    static const unsigned block_max[3] = {1024, 1024, 64};
    const struct image_kernel *kernel = function->kernel;

    for (int i = 0; i < 3; i++) {
        if (!grid[i] || grid[i] > grid_max[i] || !block[i] ||
            block[i] > block_max[i]) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads > CPU_MAX_THREADS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (kernel->max_threads && threads > kernel->max_threads) {
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    if (shared > (unsigned)function->max_dynamic_shared) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* Reads the buffer with the kernel arguments that `extra` describes
 * (CU_LAUNCH_PARAM_BUFFER_POINTER). */
static CUresult
extra_read(void **extra, const void **buffer, size_t *bytes)
{
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            *buffer = extra[1];
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            *bytes = extra[1] ? *(const size_t *)extra[1] : 0;
        } else {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return *buffer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
params_copy(const struct cpu_function *function, char *to, void **params,
            void **extra)
{
    const struct image_kernel *kernel = function->kernel;
    const void *buffer = NULL;
    size_t bytes = 0;

    if (params && extra) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (extra) {
        CUresult code = extra_read(extra, &buffer, &bytes);
        if (code || bytes < kernel->parameter_bytes) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        memcpy(to, buffer, kernel->parameter_bytes);
        return CUDA_SUCCESS;
    }
    if (!params) {
        return kernel->parameter_count ? CUDA_ERROR_INVALID_VALUE
                                       : CUDA_SUCCESS;
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct image_parameter *parameter = &function->parameters[i];

        if (!params[i]) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        memcpy(to + parameter->offset, params[i], parameter->bytes);
    }
    return CUDA_SUCCESS;
}

/* Returns true if the launch will probably end before a woken worker could
 * help with it. */
static bool
launch_is_short(const struct cpu_function *function, uint64_t threads)
{
    uint64_t ns =
        atomic_load_explicit(&function->ns_per_launch, memory_order_relaxed);
    uint64_t known = atomic_load_explicit(&function->threads_per_launch,
                                          memory_order_relaxed);

    if (!function->may_inline || !known) {
        return false;
    }
    if (threads > known) {
        ns = ns * (threads / known + 1);
    }
    if (ns <= INLINE_AWAKE_NS || cpu_state.threads == 1) {
        return ns <= INLINE_NS;
    }
    if (atomic_load_explicit(&burst_ns, memory_order_relaxed) >= BURST_NS) {
        atomic_store_explicit(&burst_ns, 0, memory_order_relaxed);
        return false;
    }
    return ns <= INLINE_NS &&
           !atomic_load_explicit(&cpu_ready_queue_counters.spinning,
                                 memory_order_relaxed);
}

/* Called after the calling thread has run a launch without workers. Adds the
 * duration to `burst_ns`; launch_is_short uses this sum to decide whether to
 * wake a worker. */
static void
burst_account(const struct cpu_launch *launch, uint64_t end)
{
    uint64_t start = launch->started_ns;
    uint64_t last = atomic_load_explicit(&burst_end, memory_order_relaxed);
    uint64_t ns = atomic_load_explicit(&burst_ns, memory_order_relaxed);

    if (end - start > INLINE_AWAKE_NS && launch->total > 1) {
        ns = start - last < BURST_PAUSE_NS ? ns + (end - start) : end - start;
        atomic_store_explicit(&burst_ns, ns, memory_order_relaxed);
        atomic_store_explicit(&burst_end, end, memory_order_relaxed);
    }
}

void
cpu_launch_fill(struct cpu_op *op, struct cpu_function *function,
                const unsigned grid[3], const unsigned block[3],
                unsigned shared, bool cooperative)
{
    struct cpu_launch *launch = &op->launch;

    launch->serial = atomic_fetch_add(&last_serial, 1) + 1;
    atomic_store(&launch->checked, false);
    launch->function = function;
    for (int i = 0; i < 3; i++) {
        launch->grid[i] = grid[i];
        launch->block[i] = block[i];
    }
    launch->dynamic_shared = shared;
    launch->threads = block[0] * block[1] * block[2];
    launch->params = op->argument;
    launch->total = (uint64_t)grid[0] * grid[1] * grid[2];
    atomic_store(&launch->left, launch->total);
    launch->cooperative = cooperative;
    atomic_store(&launch->grid_arrived, 0);
    atomic_store(&launch->grid_ended, 0);
    cpu_chunks_plan(op);
}

/* Runs all blocks of the launch on the calling thread. */
static void
launch_inline(struct cpu_op *op)
{
    struct cpu_worker *worker = cpu_worker_self();
    struct cpu_launch *launch = &op->launch;
    CUresult code = cpu_context_status(op->ctx);

    cpu_launch_start(launch);
    if (!code && worker) {
        cpu_runner_begin(&worker->runner, launch->serial, op->ctx->id,
                         launch->started_ns);
    }
    if (!code) {
        code = worker ? cpu_block_run(worker, launch, 0, launch->total)
                      : CUDA_ERROR_OUT_OF_MEMORY;
        atomic_store(&launch->error, (int)code);
    }
    if (worker) {
        cpu_runner_end(&worker->runner);
    }
    uint64_t end = cpu_now_ns();
    atomic_store(&launch->ns, end - launch->started_ns);
    burst_account(launch, end);
    cpu_launch_finish(launch);
    cpu_op_finish(op);
}

struct launch_call {
    CUfunction function;
    unsigned grid[3], block[3];
    unsigned shared;
    CUstream stream;
    void **params, **extra;
    bool cooperative;
    bool has_priority; /* `priority` replaces the stream's priority */
    int priority;
};

/* Adds the launch as a node to the graph that the stream's capture builds. */
static CUresult
launch_record(struct cpu_context *ctx, struct cpu_stream *stream,
              struct cpu_function *function, const struct launch_call *call)
{
    struct cpu_node_task task = {.type = CU_GRAPH_NODE_TYPE_KERNEL,
                                 .context = ctx->handle,
                                 .context_id = ctx->id,
                                 .bytes = function->kernel->parameter_bytes,
                                 .function = function->handle,
                                 .shared = call->shared,
                                 .cooperative = call->cooperative,
                                 .has_priority = call->has_priority,
                                 .priority = call->priority};

    task.payload = malloc(task.bytes + 1);
    if (!task.payload) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(task.grid, call->grid, sizeof task.grid);
    memcpy(task.block, call->block, sizeof task.block);
    CUresult code =
        params_copy(function, task.payload, call->params, call->extra);
    if (code) {
        cpu_node_task_free(&task);
        return code;
    }
    return cpu_node_task_record(stream, &task);
}

static CUresult
launch_submit(struct cpu_context *ctx, struct cpu_stream *stream,
              struct cpu_function *function, const struct launch_call *call)
{
    uint64_t threads = (uint64_t)call->grid[0] * call->grid[1] *
                       call->grid[2] *
                       (call->block[0] * call->block[1] * call->block[2]);
    bool quick = !call->cooperative && launch_is_short(function, threads);
    struct cpu_op *op = cpu_op_new(ctx, quick ? CPU_OP_CALLER : CPU_OP_KERNEL,
                                   function->kernel->parameter_bytes);

    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code =
        params_copy(function, op->argument, call->params, call->extra);
    if (!code) {
        code = cpu_workers_start();
    }
    if (code) {
        cpu_op_release(op);
        return code;
    }
    op->kind_if_deferred = CPU_OP_KERNEL;
    op->priority = call->has_priority ? call->priority : stream->priority;
    cpu_launch_fill(op, function, call->grid, call->block, call->shared,
                    call->cooperative);
    if (cpu_op_submit(stream, op, NULL) && quick) {
        launch_inline(op);
    }
    cpu_op_release(op);
    return CUDA_SUCCESS;
}

/* Returns true if a cooperative launch has more blocks than can be resident on
 * the device at a time. Such a launch cannot run, since its blocks wait for
 * each other. */
static bool
grid_is_too_large(const struct cpu_function *function,
                  const struct launch_call *call)
{
    const unsigned *grid = call->grid, *block = call->block;
    uint64_t fitting = (uint64_t)cpu_occupancy_blocks(
        function, (int)(block[0] * block[1] * block[2]), call->shared);

    return (uint64_t)grid[0] * grid[1] * grid[2] >
           fitting * (uint64_t)cpu_state.threads;
}

static CUresult
launch(const struct launch_call *call)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    struct cpu_function *function = cpu_function_of(call->function);
    if (!function || function->module->ctx != ctx) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    code = cpu_stream_of(call->stream, ctx, &stream);
    if (!code) {
        code = cpu_launch_check_shape(function, call->grid, call->block,
                                      call->shared);
    }
    if (code) {
        return code;
    }
    if (call->cooperative && grid_is_too_large(function, call)) {
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    }
    return cpu_stream_records(stream)
               ? launch_record(ctx, stream, function, call)
               : launch_submit(ctx, stream, function, call);
}

CPU_API CUresult
cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
               unsigned grid_z, unsigned block_x, unsigned block_y,
               unsigned block_z, unsigned shared, CUstream stream,
               void **params, void **extra)
{
    struct launch_call call = {
        .function = function,
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared = shared,
        .stream = stream,
        .params = params,
        .extra = extra,
    };

    return launch(&call);
}

CPU_API CUresult
cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                          unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared,
                          CUstream stream, void **params)
{
    struct launch_call call = {
        .function = function,
        .grid = {grid_x, grid_y, grid_z},
        .block = {block_x, block_y, block_z},
        .shared = shared,
        .stream = stream,
        .params = params,
        .cooperative = true,
    };

    return launch(&call);
}

/* Applies an attribute of cuLaunchKernelEx to the launch; hints are accepted
 * without effect. */
static CUresult
attribute_apply(const CUlaunchAttribute *attribute, struct launch_call *call)
{
    switch ((int)attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        call->cooperative = attribute->value.cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        call->has_priority = true;
        call->priority = cpu_priority_clamp(attribute->value.priority);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return attribute->value.clusterDim.x * attribute->value.clusterDim.y *
                           attribute->value.clusterDim.z ==
                       1
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_NOT_SUPPORTED;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_SUCCESS;
    }
}

CPU_API CUresult
cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                 void **params, void **extra)
{
    if (!config || (config->numAttrs && !config->attrs)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct launch_call call = {
        .function = function,
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared = config->sharedMemBytes,
        .stream = config->hStream,
        .params = params,
        .extra = extra,
    };
    for (unsigned i = 0; i < config->numAttrs; i++) {
        CUresult code = attribute_apply(&config->attrs[i], &call);

        if (code) {
            return code;
        }
    }
    return launch(&call);
}
