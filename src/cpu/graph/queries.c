/* queries.c - queries of a graph's nodes and edges, and of node types.
 *
 * Called by users of the library; acquires the graph lock. At most as many
 * elements are written as the caller's arrays can hold. If an edge has nonzero
 * edge data, functions that cannot return these data fail with LOSSY_QUERY.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"

struct list {
    CUgraphNode *nodes, *others;
    CUgraphEdgeData *data;
    /* before the query: capacity of the caller's arrays; after it: number of
     * nodes or edges found */
    size_t *count;
    size_t room, found;
    /* an edge has nonzero data, but the caller passed no array for them */
    bool lossy;
};

/* Adds a node to the list, or an edge between `node` and `other`. If the
 * arrays are full, counts the node or edge but does not write it. */
static void
list_put(struct list *list, const struct cpu_node *node,
         const struct cpu_node *other, const CUgraphEdgeData *data)
{
    static const CUgraphEdgeData plain;

    if (list->nodes && list->found < list->room) {
        list->nodes[list->found] = node->handle;
        if (list->others) {
            list->others[list->found] = other->handle;
        }
        if (list->data) {
            list->data[list->found] = *data;
        } else if (data && memcmp(data, &plain, sizeof plain)) {
            list->lossy = true;
        }
    }
    list->found++;
}

/* Clears the unused elements of the arrays, and stores the number of elements
 * in *list->count. */
static CUresult
list_end(struct list *list)
{
    size_t end = list->nodes ? list->room : 0;

    for (size_t i = list->found; i < end; i++) {
        list->nodes[i] = NULL;
        if (list->others) {
            list->others[i] = NULL;
        }
        if (list->data) {
            list->data[i] = (CUgraphEdgeData){0};
        }
    }
    *list->count =
        list->nodes && list->found > list->room ? list->room : list->found;
    return list->lossy ? CUDA_ERROR_LOSSY_QUERY : CUDA_SUCCESS;
}

/* Lists all nodes of the graph; if `roots` is true, only those without
 * dependencies. Acquires the graph lock. */
static CUresult
list_nodes(CUgraph handle, CUgraphNode *nodes, size_t *count, bool roots)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_graph_of(handle, &graph);
    if (!code && !count) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        struct list list = {.nodes = nodes, .count = count, .room = *count};

        for (struct cpu_node *n = graph->first; n; n = n->next) {
            if (!roots || !n->after_count) {
                list_put(&list, n, NULL, NULL);
            }
        }
        code = list_end(&list);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, false);
}

CPU_API CUresult
cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    return list_nodes(graph, nodes, count, true);
}

CPU_API CUresult
cuGraphGetEdges_v2(CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                   CUgraphEdgeData *data, size_t *count)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_graph_of(handle, &graph);
    if (!code && (!count || !from != !to)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        struct list list = {.nodes = from,
                            .others = to,
                            .data = from ? data : NULL,
                            .count = count,
                            .room = *count};

        for (struct cpu_node *n = graph->first; n; n = n->next) {
            for (size_t i = 0; i < n->after_count; i++) {
                list_put(&list, n->after[i], n, &n->edge_data[i]);
            }
        }
        code = list_end(&list);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                size_t *count)
{
    return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

/* Lists the edges from the dependencies of `node` to `node`. If `dependents`
 * is true, lists the edges from `node` to its dependents instead. */
static void
list_edges(struct list *list, const struct cpu_node *node, bool dependents)
{
    if (!dependents) {
        for (size_t i = 0; i < node->after_count; i++) {
            list_put(list, node->after[i], NULL, &node->edge_data[i]);
        }
        return;
    }
    for (struct cpu_node *n = node->graph->first; n; n = n->next) {
        for (size_t i = 0; i < n->after_count; i++) {
            if (n->after[i] == node) {
                list_put(list, n, NULL, &n->edge_data[i]);
            }
        }
    }
}

/* Lists the dependencies of a node. If `dependents` is true, instead lists the
 * nodes that depend on the node. Acquires the graph lock. */
static CUresult
list_neighbours(CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *data,
                size_t *count, bool dependents)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && (!node || !count)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        struct list list = {.nodes = nodes,
                            .data = nodes ? data : NULL,
                            .count = count,
                            .room = *count};

        list_edges(&list, node, dependents);
        code = list_end(&list);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes,
                              CUgraphEdgeData *data, size_t *count)
{
    return list_neighbours(node, nodes, data, count, false);
}

CPU_API CUresult
cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    return list_neighbours(node, nodes, NULL, count, false);
}

CPU_API CUresult
cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
                                CUgraphEdgeData *data, size_t *count)
{
    return list_neighbours(node, nodes, data, count, true);
}

CPU_API CUresult
cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                             size_t *count)
{
    return list_neighbours(node, nodes, NULL, count, true);
}

CPU_API CUresult
cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && (!node || !type)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *type = node->task.type;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
