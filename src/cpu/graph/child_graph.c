/* child_graph.c - child graphs: nodes that contain a graph.
 *
 * Called by users of the library and by params.c. The node owns its child
 * graph. This graph is a copy of the one that the program passes or, with
 * CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE, the passed graph itself. Acquires the
 * graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"

/* Copies the graph for a node. The caller holds the graph lock. */
static CUresult
child_clone(struct cpu_graph *graph, struct cpu_graph **child)
{
    struct cpu_graph *copy = cpu_graph_new();

    if (!copy) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code = cpu_graph_copy(copy, graph);
    if (code) {
        cpu_graph_free(copy);
        return code;
    }
    copy->owned = true;
    *child = copy;
    return CUDA_SUCCESS;
}

/* Returns true if `inner` is `outer` or one of its nested child graphs. */
static bool
graph_contains(const struct cpu_graph *outer, const struct cpu_graph *inner)
{
    if (outer == inner) {
        return true;
    }
    for (const struct cpu_node *n = outer->first; n; n = n->next) {
        if (n->child && graph_contains(n->child, inner)) {
            return true;
        }
    }
    return false;
}

/* Stores in *child the graph that a new node of `parent` will own: a copy of
 * the graph `handle`, or this graph itself if `move` is true. */
static CUresult
child_take(CUgraph parent, CUgraph handle, bool move, struct cpu_graph **child)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);
    struct cpu_graph *outer = cpu_handle_object(CPU_GRAPH, parent);

    if (!graph || !outer) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!move) {
        return child_clone(graph, child);
    }
    if (graph->owned || graph->capturing || graph_contains(graph, outer)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *child = graph;
    return CUDA_SUCCESS;
}

CUresult
cpu_child_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
              const CUgraphEdgeData *data, size_t count,
              const CUDA_CHILD_GRAPH_NODE_PARAMS *params)
{
    bool move = params->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    struct cpu_graph *child = NULL;
    struct cpu_node_task task;
    CUresult code =
        cpu_node_task_make(CU_GRAPH_NODE_TYPE_GRAPH, NULL, NULL, &task);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = child_take(graph, params->graph, move, &child);
    /* The child graph is copied before the node is added: if a program adds a
     * graph to itself, the copy must not contain the new node. */
    if (!code) {
        code = cpu_node_insert_locked(made, graph, after, data, count, &task,
                                      NULL);
    }
    if (!code) {
        cpu_node_of(*made)->child = child;
        child->owned = true;
    } else if (child && !move) {
        cpu_graph_free(child);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}

CPU_API CUresult
cuGraphAddChildGraphNode(CUgraphNode *made, CUgraph graph,
                         const CUgraphNode *after, size_t count, CUgraph child)
{
    CUDA_CHILD_GRAPH_NODE_PARAMS params = {
        .graph = child, .ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE};

    return cpu_child_add(made, graph, after, NULL, count, &params);
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
