/* params.c - reads and replaces the parameters of nodes, with one pair of
 * functions per node type.
 *
 * Called by users of the library; acquires the graph lock. A node that a
 * program has added stores a copy of its CUDA parameters. For a node that a
 * capture has added, the parameters are derived from the node's task.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *after, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *params);

CUDA_KERNEL_NODE_PARAMS
cpu_kernel_params_newer(const CUDA_KERNEL_NODE_PARAMS_v1 *old)
{
    return (CUDA_KERNEL_NODE_PARAMS){
        .func = old->func,
        .gridDimX = old->gridDimX,
        .gridDimY = old->gridDimY,
        .gridDimZ = old->gridDimZ,
        .blockDimX = old->blockDimX,
        .blockDimY = old->blockDimY,
        .blockDimZ = old->blockDimZ,
        .sharedMemBytes = old->sharedMemBytes,
        .kernelParams = old->kernelParams,
        .extra = old->extra,
    };
}

/* ---- queries ---- */

/* Stores the node of a handle in *node. Returns an error if the node does not
 * have this type or if `params` is NULL. The caller holds the graph lock. */
static CUresult
node_asked(CUgraphNode handle, CUgraphNodeType type, const void *params,
           struct cpu_node **node)
{
    CUresult code = cpu_ready();

    *node = cpu_node_of(handle);
    if (!code && (!*node || !params || (*node)->task.type != type)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    return code;
}

/* Derives the CUDA parameters of a node from its task (its work). Used for
 * nodes that a capture has added. */
static void
task_describe(const struct cpu_node_task *task, void *params)
{
    switch ((int)task->type) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        cpu_copy_describe(task->payload, params);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        cpu_fill_describe(task->payload, params);
        break;
    default:
        cpu_host_call_describe(task->payload, params);
    }
}

CUresult
cpu_node_read_params(const struct cpu_node *node, void *params)
{
    if (node->described) {
        memcpy(params, node->described, node->described_bytes);
    } else if (node->task.payload) {
        task_describe(&node->task, params);
    } else {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* Writes the parameters of the node to `params`. Returns an error if the node
 * does not have this type. Acquires the graph lock. */
static CUresult
params_get(CUgraphNode handle, CUgraphNodeType type, void *params)
{
    struct cpu_node *node;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = node_asked(handle, type, params, &node);
    if (!code) {
        code = cpu_node_read_params(node, params);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* Writes the parameters of a kernel node to `params`. Its kernelParams point
 * into memory that the node owns. */
static CUresult
kernel_describe(struct cpu_node *node, CUDA_KERNEL_NODE_PARAMS *params)
{
    struct cpu_node_task *task = &node->task;
    struct cpu_function *function = cpu_function_of(task->function);

    if (!function) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    free(node->params);
    uint32_t count = function->kernel->parameter_count;
    node->params = malloc((count + 1) * sizeof(void *));
    if (!node->params) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        node->params[i] =
            (char *)task->payload + function->parameters[i].offset;
    }
    *params = (CUDA_KERNEL_NODE_PARAMS){
        .func = task->function,
        .gridDimX = task->grid[0],
        .gridDimY = task->grid[1],
        .gridDimZ = task->grid[2],
        .blockDimX = task->block[0],
        .blockDimY = task->block[1],
        .blockDimZ = task->block[2],
        .sharedMemBytes = task->shared,
        .kernelParams = node->params,
        .ctx = task->context,
    };
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGraphKernelNodeGetParams_v2(CUgraphNode handle,
                              CUDA_KERNEL_NODE_PARAMS *params)
{
    struct cpu_node *node;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code =
        node_asked(handle, CU_GRAPH_NODE_TYPE_KERNEL, params, &node);
    if (!code) {
        code = kernel_describe(node, params);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphKernelNodeGetParams(CUgraphNode handle,
                           CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    CUDA_KERNEL_NODE_PARAMS newer;

    if (!params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult code = cuGraphKernelNodeGetParams_v2(handle, &newer);
    if (!code) {
        memcpy(params, &newer,
               /* CUDA_KERNEL_NODE_PARAMS_v1 is a prefix of the newer
                * structure */
               sizeof *params);
    }
    return code;
}

CPU_API CUresult
cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    return params_get(node, CU_GRAPH_NODE_TYPE_MEMCPY, params);
}

CPU_API CUresult
cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    return params_get(node, CU_GRAPH_NODE_TYPE_MEMSET, params);
}

CPU_API CUresult
cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)
{
    return params_get(node, CU_GRAPH_NODE_TYPE_HOST, params);
}

/* ---- changes ---- */

CUresult
cpu_node_set_task(CUgraphNode handle, struct cpu_node_task *task,
                  const void *params)
{
    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    CUresult code = node && node->task.type == task->type
                        ? cpu_node_describe(node, params)
                        : CUDA_ERROR_INVALID_VALUE;
    if (!code) {
        cpu_node_task_replace(&node->task, task);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_node_task_free(task);
    return code;
}

CUcontext
cpu_node_context(CUgraphNode handle)
{
    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    CUcontext ctx = node ? node->task.context : NULL;
    pthread_mutex_unlock(&cpu_graph_lock);
    return ctx;
}

static CUresult
params_set(CUgraphNode node, CUgraphNodeType type, const void *params,
           CUcontext ctx)
{
    struct cpu_node_task task;
    CUresult code = cpu_node_task_make(type, params, ctx, &task);

    return code ? code : cpu_node_set_task(node, &task, params);
}

CPU_API CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                              const CUDA_KERNEL_NODE_PARAMS *params)
{
    return params_set(node, CU_GRAPH_NODE_TYPE_KERNEL, params,
                      params ? params->ctx : NULL);
}

CPU_API CUresult
cuGraphKernelNodeSetParams(CUgraphNode node,
                           const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    if (!params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUDA_KERNEL_NODE_PARAMS newer = cpu_kernel_params_newer(params);
    return cuGraphKernelNodeSetParams_v2(node, &newer);
}

CPU_API CUresult
cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                     const CUgraphNode *after, size_t count,
                     const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    if (!params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUDA_KERNEL_NODE_PARAMS newer = cpu_kernel_params_newer(params);
    return cuGraphAddKernelNode_v2(node, graph, after, count, &newer);
}

CPU_API CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    return params_set(node, CU_GRAPH_NODE_TYPE_MEMCPY, params,
                      cpu_node_context(node));
}

CPU_API CUresult
cuGraphMemsetNodeSetParams(CUgraphNode node,
                           const CUDA_MEMSET_NODE_PARAMS *params)
{
    return params_set(node, CU_GRAPH_NODE_TYPE_MEMSET, params,
                      cpu_node_context(node));
}

CPU_API CUresult
cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    return params_set(node, CU_GRAPH_NODE_TYPE_HOST, params,
                      cpu_node_context(node));
}
