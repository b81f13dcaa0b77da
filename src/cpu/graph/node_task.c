/* node_task.c - tasks: the work of graph nodes, created from CUDA's
 * parameters.
 *
 * Called by nodes.c, params.c and exec_params.c for added and changed nodes,
 * and by graph.c and exec.c, which copy tasks. To convert a node's parameters
 * to a task, the driver function for the same work in a stream is called, such
 * as cuMemcpy3DAsync. While the thread-local cpu_node_task_sink is set, the
 * driver function checks its arguments as usual, but stores a task instead of
 * executing the work. No lock is needed.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/context_stack.h"
#include "cpu/device/state.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                           size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data);

void
cpu_node_task_free(struct cpu_node_task *task)
{
    if (task->payload && task->hold) {
        task->hold->release(task->payload);
    }
    free(task->payload);
    task->payload = NULL;
}

CUresult
cpu_node_task_copy(struct cpu_node_task *to, const struct cpu_node_task *from)
{
    *to = *from;
    to->payload = NULL;
    if (!from->payload) {
        return CUDA_SUCCESS;
    }
    to->payload = malloc(from->bytes ? from->bytes : 1);
    if (!to->payload) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(to->payload, from->payload, from->bytes);
    if (to->hold) {
        to->hold->retain(to->payload);
    }
    return CUDA_SUCCESS;
}

bool
cpu_node_task_may_replace(const struct cpu_node_task *old,
                          const struct cpu_node_task *new)
{
    return old->type == new->type && (old->context_id == new->context_id ||
                                      old->type == CU_GRAPH_NODE_TYPE_HOST);
}

void
cpu_node_task_replace(struct cpu_node_task *used, struct cpu_node_task *task)
{
    struct cpu_node_task old = *used;

    task->cooperative = old.cooperative;
    task->has_priority = old.has_priority;
    task->priority = old.priority;
    *used = *task;
    *task = old;
}

/* ---- conversion of CUDA's parameters ---- */

typedef CUresult submit(const void *params);

/* Calls the driver function that launches a kernel in a stream. Since
 * cpu_node_task_sink is set, the driver function stores a task (the work of a
 * graph node) in cpu_node_task_sink and does not launch the kernel. */
static CUresult
kernel_submit(const void *params)
{
    const CUDA_KERNEL_NODE_PARAMS *k = params;
    CUlaunchConfig config = {.gridDimX = k->gridDimX,
                             .gridDimY = k->gridDimY,
                             .gridDimZ = k->gridDimZ,
                             .blockDimX = k->blockDimX,
                             .blockDimY = k->blockDimY,
                             .blockDimZ = k->blockDimZ,
                             .sharedMemBytes = k->sharedMemBytes};

    return cuLaunchKernelEx(&config, k->func ? k->func : (CUfunction)k->kern,
                            k->kernelParams, k->extra);
}

static CUresult
copy_submit(const void *params)
{
    return cuMemcpy3DAsync_v2(params, NULL);
}

static CUresult
fill_submit(const void *params)
{
    const CUDA_MEMSET_NODE_PARAMS *fill = params;

    switch (fill->elementSize) {
    case 1:
        return cuMemsetD2D8Async(fill->dst, fill->pitch,
                                 (unsigned char)fill->value, fill->width,
                                 fill->height, NULL);
    case 2:
        return cuMemsetD2D16Async(fill->dst, fill->pitch,
                                  (unsigned short)fill->value, fill->width,
                                  fill->height, NULL);
    case 4:
        return cuMemsetD2D32Async(fill->dst, fill->pitch, fill->value,
                                  fill->width, fill->height, NULL);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult
host_submit(const void *params)
{
    const CUDA_HOST_NODE_PARAMS *host = params;

    return cuLaunchHostFunc(NULL, host->fn, host->userData);
}

struct node_kind {
    /* driver function that creates the task; NULL for node types whose tasks
     * have no parameters */
    submit *how;
    /* size in bytes of the parameters that a node stores, or 0 */
    size_t bytes;
};

static const struct node_kind kinds[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = {kernel_submit, 0},
    [CU_GRAPH_NODE_TYPE_MEMCPY] = {copy_submit, sizeof(CUDA_MEMCPY3D)},
    [CU_GRAPH_NODE_TYPE_MEMSET] = {fill_submit,
                                   sizeof(CUDA_MEMSET_NODE_PARAMS)},
    [CU_GRAPH_NODE_TYPE_HOST] = {host_submit, sizeof(CUDA_HOST_NODE_PARAMS)},
    /* the largest node type, so that the array has an element for every
     * type */
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = {NULL, 0},
};

size_t
cpu_node_task_params_bytes(CUgraphNodeType type)
{
    return type < sizeof kinds / sizeof *kinds ? kinds[type].bytes : 0;
}

/* Creates a task (the work of a graph node) of this type that runs in the
 * current context. A copy of 0 bytes also gets a task, although a stream gets
 * no operation for such a copy. */
static CUresult
task_fill(CUgraphNodeType type, const void *params, struct cpu_node_task *task)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *task = (struct cpu_node_task){
        .type = type, .context = ctx->handle, .context_id = ctx->id};
    cpu_node_task_sink = task;
    code = kinds[type].how(params);
    cpu_node_task_sink = NULL;
    task->type = type;
    if (code) {
        cpu_node_task_free(task);
    }
    return code;
}

/* Returns the context of a kernel's function, or NULL. */
static CUcontext
kernel_context(const CUDA_KERNEL_NODE_PARAMS *params)
{
    CUfunction handle = params->func ? params->func : (CUfunction)params->kern;
    struct cpu_function *function = cpu_function_of(handle);

    return function ? function->module->ctx->handle : NULL;
}

CUresult
cpu_node_task_make(CUgraphNodeType type, const void *params, CUcontext ctx,
                   struct cpu_node_task *task)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!kinds[type].how) {
        *task = (struct cpu_node_task){.type = type};
        return CUDA_SUCCESS;
    }
    if (!ctx && type == CU_GRAPH_NODE_TYPE_KERNEL && params) {
        ctx = kernel_context(params);
    }
    if (!ctx) {
        return task_fill(type, params, task);
    }
    struct cpu_context *found;
    code = cpu_context_of(ctx, &found);
    code = code ? code : context_stack_push(ctx);
    if (!code) {
        code = task_fill(type, params, task);
        context_stack_pop();
    }
    return code;
}
