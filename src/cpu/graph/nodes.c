/* nodes.c - nodes that a program adds, and their parameters.
 *
 * Called by users of the library.  Parameters become a task by going through
 * the function that a stream would use, so that both are checked alike.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/graph/graph.h"

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared, CUstream stream,
                        void **params, void **extra);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                           size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data);

/* ---- from CUDA's parameters to a task ---- */

typedef CUresult submit(const void *params);

static CUresult
kernel_submit(const void *params)
{
    const CUDA_KERNEL_NODE_PARAMS *k = params;
    CUfunction function = k->func ? k->func : (CUfunction)k->kern;

    return cuLaunchKernel(function, k->gridDimX, k->gridDimY, k->gridDimZ,
                          k->blockDimX, k->blockDimY, k->blockDimZ,
                          k->sharedMemBytes, NULL, k->kernelParams, k->extra);
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
    submit *how;
    size_t bytes; /* of the parameters that a question gives back; or 0 */
};

static const struct node_kind kinds[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = {kernel_submit, 0},
    [CU_GRAPH_NODE_TYPE_MEMCPY] = {copy_submit, sizeof(CUDA_MEMCPY3D)},
    [CU_GRAPH_NODE_TYPE_MEMSET] = {fill_submit,
                                   sizeof(CUDA_MEMSET_NODE_PARAMS)},
    [CU_GRAPH_NODE_TYPE_HOST] = {host_submit, sizeof(CUDA_HOST_NODE_PARAMS)},
};

/* An empty task where there is nothing to do (no bytes to copy). */
static CUresult
task_make(CUgraphNodeType type, const void *params, struct cpu_task *task)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    *task = (struct cpu_task){.type = CU_GRAPH_NODE_TYPE_EMPTY,
                              .context_id = ctx->id};
    if (type == CU_GRAPH_NODE_TYPE_EMPTY) {
        return CUDA_SUCCESS;
    }
    if (type == CU_GRAPH_NODE_TYPE_GRAPH) { /* its steps do the work */
        task->type = type;
        return CUDA_SUCCESS;
    }
    if (!params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    cpu_task_sink = task;
    code = kinds[type].how(params);
    cpu_task_sink = NULL;
    task->type = type;
    if (code) {
        cpu_task_free(task);
    }
    return code;
}

/* ---- adding ---- */

static CUresult
node_describe(struct cpu_node *node, const void *params)
{
    size_t bytes = node->task.type < 4 ? kinds[node->task.type].bytes : 0;

    if (!bytes || !params) {
        return CUDA_SUCCESS;
    }
    void *copy = malloc(bytes);
    if (!copy) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, params, bytes);
    free(node->described);
    node->described = copy;
    node->described_bytes = bytes;
    return CUDA_SUCCESS;
}

static CUresult
nodes_read(struct cpu_graph *graph, const CUgraphNode *handles, size_t count,
           struct cpu_node **nodes)
{
    for (size_t i = 0; i < count; i++) {
        nodes[i] = cpu_node_of(handles[i]);
        if (!nodes[i] || nodes[i]->graph != graph) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult
node_insert(CUgraphNode *made, CUgraph handle, const CUgraphNode *after,
            size_t count, struct cpu_task *task, const void *params)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);
    struct cpu_node **nodes, *node;

    if (!graph || !made || (count && !after) || count > SIZE_MAX / 16) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    nodes = malloc((count + 1) * sizeof(struct cpu_node *));
    if (!nodes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code = nodes_read(graph, after, count, nodes);
    if (!code) {
        code = cpu_node_add(graph, nodes, count, task, &node);
    }
    free(nodes);
    if (code) {
        return code;
    }
    *task = (struct cpu_task){0}; /* the node's */
    *made = node->handle;
    return node_describe(node, params);
}

static CUresult
node_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
         size_t count, CUgraphNodeType type, const void *params)
{
    struct cpu_task task;
    CUresult code = task_make(type, params, &task);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = node_insert(made, graph, after, count, &task, params);
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_task_free(&task);
    return code;
}

CPU_API CUresult
cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                        const CUgraphNode *after, size_t count,
                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_KERNEL,
                    params);
}

CPU_API CUresult
cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                     const CUgraphNode *after, size_t count,
                     const CUDA_MEMCPY3D *params, CUcontext ctx)
{
    (void)ctx; /* the current one, or an error at the launch */
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_MEMCPY,
                    params);
}

CPU_API CUresult
cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                     const CUgraphNode *after, size_t count,
                     const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx)
{
    (void)ctx;
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_MEMSET,
                    params);
}

CPU_API CUresult
cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                   size_t count, const CUDA_HOST_NODE_PARAMS *params)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_HOST,
                    params);
}

CPU_API CUresult
cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                    size_t count)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_EMPTY, NULL);
}

/* A copy of `handle`'s graph becomes the node's; the lock is held. */
static CUresult
node_adopt(struct cpu_node *node, CUgraph handle)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);

    if (!graph) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    node->child = cpu_graph_new();
    if (!node->child) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->child->owned = true;
    return cpu_graph_copy(node->child, graph);
}

CPU_API CUresult
cuGraphAddChildGraphNode(CUgraphNode *made, CUgraph graph,
                         const CUgraphNode *after, size_t count, CUgraph child)
{
    struct cpu_node draft = {0};
    struct cpu_task task;
    CUresult code = task_make(CU_GRAPH_NODE_TYPE_GRAPH, NULL, &task);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = node_adopt(&draft, child); /* first: it may be `graph` itself */
    if (!code) {
        code = node_insert(made, graph, after, count, &task, NULL);
    }
    if (!code) {
        cpu_node_of(*made)->child = draft.child;
    } else if (draft.child) {
        cpu_graph_free(draft.child);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}

CPU_API CUresult
cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph *graph)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && (!node || !node->child || !graph)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *graph = node->child->handle;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* ---- asking and changing ---- */

static CUresult
node_describe_into(CUgraphNode handle, CUgraphNodeType type, void *params)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && (!node || !params || node->task.type != type)) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (!code && !node->described) {
        code = CUDA_ERROR_NOT_SUPPORTED; /* captured */
    } else if (!code) {
        memcpy(params, node->described, kinds[type].bytes);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

static CUresult
node_change(CUgraphNode handle, CUgraphNodeType type, const void *params)
{
    struct cpu_task task;
    CUresult code = task_make(type, params, &task);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!node || node->task.type != type) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (!(code = node_describe(node, params))) {
        cpu_task_free(&node->task);
        node->task = task;
        task.payload = NULL;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_task_free(&task);
    return code;
}

/* Pointers to the parameters, which stay the node's. */
static CUresult
kernel_describe(struct cpu_node *node, CUDA_KERNEL_NODE_PARAMS *params)
{
    struct cpu_task *task = &node->task;
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
    };
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGraphKernelNodeGetParams_v2(CUgraphNode handle,
                              CUDA_KERNEL_NODE_PARAMS *params)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code &&
        (!node || !params || node->task.type != CU_GRAPH_NODE_TYPE_KERNEL)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        code = kernel_describe(node, params);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                              const CUDA_KERNEL_NODE_PARAMS *params)
{
    return node_change(node, CU_GRAPH_NODE_TYPE_KERNEL, params);
}

CPU_API CUresult
cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    return node_describe_into(node, CU_GRAPH_NODE_TYPE_MEMCPY, params);
}

CPU_API CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    return node_change(node, CU_GRAPH_NODE_TYPE_MEMCPY, params);
}

CPU_API CUresult
cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    return node_describe_into(node, CU_GRAPH_NODE_TYPE_MEMSET, params);
}

CPU_API CUresult
cuGraphMemsetNodeSetParams(CUgraphNode node,
                           const CUDA_MEMSET_NODE_PARAMS *params)
{
    return node_change(node, CU_GRAPH_NODE_TYPE_MEMSET, params);
}

CPU_API CUresult
cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)
{
    return node_describe_into(node, CU_GRAPH_NODE_TYPE_HOST, params);
}

CPU_API CUresult
cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    return node_change(node, CU_GRAPH_NODE_TYPE_HOST, params);
}
