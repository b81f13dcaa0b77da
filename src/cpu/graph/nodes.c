/* nodes.c - adds nodes to a graph, with one function per node type.
 *
 * Called by users of the library; generic_nodes.c has the function for all
 * types. Takes the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/handle.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"

CUresult
cpu_node_describe(struct cpu_node *node, const void *params)
{
    size_t bytes = cpu_node_task_params_bytes(node->task.type);

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

/* Stores the nodes of `count` handles in `nodes`. Returns INVALID_VALUE if a
 * node belongs to another graph or appears twice. */
static CUresult
nodes_read(struct cpu_graph *graph, const CUgraphNode *handles, size_t count,
           struct cpu_node **nodes)
{
    for (size_t i = 0; i < count; i++) {
        nodes[i] = cpu_node_of(handles[i]);
        if (!nodes[i] || nodes[i]->graph != graph) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        for (size_t j = 0; j < i; j++) {
            /* a node that is named twice would give two equal edges */
            if (nodes[j] == nodes[i]) {
                return CUDA_ERROR_INVALID_VALUE;
            }
        }
    }
    return CUDA_SUCCESS;
}

CUresult
cpu_node_insert_locked(CUgraphNode *made, CUgraph handle,
                       const CUgraphNode *after, const CUgraphEdgeData *data,
                       size_t count, struct cpu_node_task *task,
                       const void *params)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);
    struct cpu_node **nodes, *node;

    if (!graph || !made || (count && !after) || count > SIZE_MAX / 16 ||
        !cpu_edge_data_valid(data, count)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    nodes = malloc((count + 1) * sizeof(struct cpu_node *));
    if (!nodes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code = nodes_read(graph, after, count, nodes);
    if (!code) {
        code = cpu_node_add(graph, nodes, data, count, task, &node);
    }
    free(nodes);
    if (code) {
        return code;
    }
    /* the node owns the task's memory now */
    *task = (struct cpu_node_task){0};
    code = cpu_node_describe(node, params);
    if (code) {
        cpu_node_remove(node);
    } else {
        *made = node->handle;
    }
    return code;
}

CUresult
cpu_node_insert(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                const CUgraphEdgeData *data, size_t count,
                struct cpu_node_task *task, const void *params)
{
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code =
        cpu_node_insert_locked(made, graph, after, data, count, task, params);
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_node_task_free(task);
    return code;
}

static CUresult
node_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
         size_t count, CUgraphNodeType type, const void *params, CUcontext ctx)
{
    struct cpu_node_task task;
    CUresult code = cpu_node_task_make(type, params, ctx, &task);

    return code ? code
                : cpu_node_insert(made, graph, after, NULL, count, &task,
                                  params);
}

CPU_API CUresult
cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                        const CUgraphNode *after, size_t count,
                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_KERNEL,
                    params, params ? params->ctx : NULL);
}

CPU_API CUresult
cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                     const CUgraphNode *after, size_t count,
                     const CUDA_MEMCPY3D *params, CUcontext ctx)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_MEMCPY,
                    params, ctx);
}

CPU_API CUresult
cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                     const CUgraphNode *after, size_t count,
                     const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_MEMSET,
                    params, ctx);
}

CPU_API CUresult
cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                   size_t count, const CUDA_HOST_NODE_PARAMS *params)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_HOST, params,
                    NULL);
}

CPU_API CUresult
cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                    size_t count)
{
    return node_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_EMPTY, NULL,
                    NULL);
}
