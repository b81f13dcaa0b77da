/* memory_nodes.c - nodes that allocate and free memory.
 *
 * Called by users of the library, by params.c, and by mempool.c for captured
 * streams. These nodes do no work when they run. The address of the memory is
 * fixed when an allocation node is added. When a launch is submitted,
 * graph_memory.c records which memory it allocates and frees. Adding or
 * querying a node acquires the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream_state.h"

/* Payload of a task (the work of a graph node) that allocates or frees
 * memory. */
struct memory_call {
    struct cpu_graph_memory *memory; /* counted reference to the memory */
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    CUmemAccessDesc access[]; /* has params.accessDescCount elements */
};

static void
memory_retain(void *payload)
{
    cpu_graph_memory_retain(((struct memory_call *)payload)->memory);
}

static void
memory_release(void *payload)
{
    cpu_graph_memory_release(((struct memory_call *)payload)->memory);
}

static const struct cpu_node_task_hold memory_hold = {memory_retain,
                                                      memory_release};

struct cpu_graph_memory *
cpu_node_task_memory(const struct cpu_node_task *task)
{
    return ((const struct memory_call *)task->payload)->memory;
}

/* Creates a task (the work of a graph node) that allocates or frees memory.
 * The task takes over the caller's reference to the memory; on failure the
 * reference is released. */
static CUresult
task_make(CUgraphNodeType type, struct cpu_graph_memory *memory,
          const CUDA_MEM_ALLOC_NODE_PARAMS *params, struct cpu_node_task *task)
{
    size_t access = params ? params->accessDescCount : 0;
    size_t bytes =
        sizeof(struct memory_call) + access * sizeof(CUmemAccessDesc);
    struct memory_call *call = calloc(1, bytes);

    if (!call) {
        cpu_graph_memory_release(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    call->memory = memory;
    if (params) {
        call->params = *params;
    }
    if (access) {
        memcpy(call->access, params->accessDescs,
               access * sizeof *call->access);
    }
    call->params.dptr = cpu_graph_memory_base(memory);
    *task = (struct cpu_node_task){
        .type = type, .payload = call, .bytes = bytes, .hold = &memory_hold};
    return CUDA_SUCCESS;
}

/* ---- allocation nodes ---- */

/* Stores in *device the device that the memory of an allocation node belongs
 * to. Host memory counts as memory of the current context's device, or of
 * device 0 if no context is current. */
static CUresult
params_device(const CUmemPoolProps *props, int *device)
{
    struct cpu_context *ctx;

    if (props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED &&
        props->allocType != CU_MEM_ALLOCATION_TYPE_MANAGED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (props->handleTypes) {
        /* memory for IPC handles is not supported, as in CUDA */
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    switch ((int)props->location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        *device = props->location.id;
        return cpu_device_check(*device) ? CUDA_ERROR_INVALID_VALUE
                                         : CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_NONE:
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        *device = cpu_context_current_any(&ctx) ? 0 : ctx->device;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Creates the memory of an allocation node, with a fixed address, and the task
 * of the node. The task owns a reference to the memory. Returns INVALID_VALUE
 * for invalid parameters, or the error of the allocation. */
static CUresult
allocation_task(const CUDA_MEM_ALLOC_NODE_PARAMS *params,
                struct cpu_node_task *task)
{
    struct cpu_graph_memory *memory;
    int device;

    if (!params || (params->accessDescCount && !params->accessDescs)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult code = params_device(&params->poolProps, &device);
    if (!code) {
        code = cpu_graph_memory_new(device, params->bytesize, &memory);
    }
    return code
               ? code
               : task_make(CU_GRAPH_NODE_TYPE_MEM_ALLOC, memory, params, task);
}

CUresult
cpu_allocation_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                   const CUgraphEdgeData *data, size_t count,
                   CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    struct cpu_node_task task;
    CUresult code = cpu_ready();

    code = code ? code : allocation_task(params, &task);
    if (code) {
        return code;
    }
    CUdeviceptr base = cpu_graph_memory_base(cpu_node_task_memory(&task));
    code = cpu_node_insert(made, graph, after, data, count, &task, NULL);
    if (!code) {
        params->dptr = base;
    }
    return code;
}

CPU_API CUresult
cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                       const CUgraphNode *after, size_t count,
                       CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    return cpu_allocation_add(node, graph, after, NULL, count, params);
}

CUresult
cpu_capture_allocate(struct cpu_stream *stream, size_t bytes,
                     CUdeviceptr *pointer)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                                   .id = stream->ctx->device}},
        .bytesize = bytes,
    };
    struct cpu_node_task task;
    CUresult code = allocation_task(&params, &task);

    if (code) {
        return code;
    }
    CUdeviceptr base = cpu_graph_memory_base(cpu_node_task_memory(&task));
    code = cpu_node_task_record(stream, &task);
    if (!code) {
        *pointer = base;
    }
    return code;
}

/* ---- free nodes ---- */

static CUresult
free_task(CUdeviceptr pointer, struct cpu_node_task *task)
{
    struct cpu_graph_memory *memory = cpu_graph_memory_at(pointer);

    return memory ? task_make(CU_GRAPH_NODE_TYPE_MEM_FREE, memory, NULL, task)
                  : CUDA_ERROR_INVALID_VALUE;
}

/* Returns true if a node of the graph already frees the memory. */
static bool
graph_frees(CUgraph handle, const struct cpu_graph_memory *memory)
{
    const struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);

    for (const struct cpu_node *n = graph ? graph->first : NULL; n;
         n = n->next) {
        if (n->task.type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
            cpu_node_task_memory(&n->task) == memory) {
            return true;
        }
    }
    return false;
}

CUresult
cpu_free_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
             const CUgraphEdgeData *data, size_t count, CUdeviceptr pointer)
{
    struct cpu_node_task task;
    CUresult code = cpu_ready();

    code = code ? code : free_task(pointer, &task);
    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = graph_frees(graph, cpu_node_task_memory(&task))
               ? CUDA_ERROR_INVALID_VALUE
               : cpu_node_insert_locked(made, graph, after, data, count, &task,
                                        NULL);
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_node_task_free(&task);
    return code;
}

CPU_API CUresult
cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                      const CUgraphNode *after, size_t count,
                      CUdeviceptr pointer)
{
    return cpu_free_add(node, graph, after, NULL, count, pointer);
}

CUresult
cpu_capture_free(struct cpu_stream *stream, CUdeviceptr pointer)
{
    struct cpu_node_task task;
    CUresult code = free_task(pointer, &task);

    return code ? code : cpu_node_task_record(stream, &task);
}

/* ---- queries ---- */

/* Returns the payload of a node that allocates or frees memory, or NULL if the
 * node does not have this type. The caller holds the graph lock. */
static struct memory_call *
call_of(CUgraphNode handle, CUgraphNodeType type)
{
    struct cpu_node *node = cpu_node_of(handle);

    return node && node->task.type == type ? node->task.payload : NULL;
}

CPU_API CUresult
cuGraphMemAllocNodeGetParams(CUgraphNode node,
                             CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct memory_call *call = call_of(node, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    if (!code && (!call || !params)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *params = call->params;
        params->accessDescs = params->accessDescCount ? call->access : NULL;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *pointer)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct memory_call *call = call_of(node, CU_GRAPH_NODE_TYPE_MEM_FREE);
    if (!code && (!call || !pointer)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *pointer = call->params.dptr;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
