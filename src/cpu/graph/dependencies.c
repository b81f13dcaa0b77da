/* dependencies.c - adds and removes edges of graphs, with their edge data.
 *
 * Called by users of the library; acquires the graph lock. Edge data may state
 * that a kernel can begin before the kernel that it depends on has ended
 * (programmatic dependent launch). This device waits for the end in that case,
 * too. A program cannot distinguish this from a slow start of the kernel.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"

bool
cpu_edge_data_valid(const CUgraphEdgeData *data, size_t count)
{
    static const unsigned char none[sizeof data->reserved];

    for (size_t i = 0; data && i < count; i++) {
        if (data[i].type > CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC ||
            data[i].from_port > CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER ||
            data[i].to_port || memcmp(data[i].reserved, none, sizeof none)) {
            return false;
        }
    }
    return true;
}

bool
cpu_node_depends(const struct cpu_node *node, const struct cpu_node *on)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] == on) {
            return true;
        }
    }
    return false;
}

/* Removes `on` from the dependencies of `node`, if it is one of them. */
static void
edge_drop(struct cpu_node *node, const struct cpu_node *on)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] == on) {
            size_t last = --node->after_count;

            node->after[i] = node->after[last];
            node->edge_data[i] = node->edge_data[last];
            return;
        }
    }
}

/* Makes `node` depend on `on`. `data` is the edge data; NULL means default
 * data. */
static CUresult
edge_make(struct cpu_node *node, struct cpu_node *on,
          const CUgraphEdgeData *data)
{
    size_t room = node->after_count + 1;
    struct cpu_node **after =
        realloc(node->after, room * sizeof(struct cpu_node *));

    if (!after) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->after = after;
    CUgraphEdgeData *grown =
        realloc(node->edge_data, room * sizeof *node->edge_data);
    if (!grown) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->edge_data = grown;
    grown[node->after_count] = data ? *data : (CUgraphEdgeData){0};
    after[node->after_count++] = on;
    return CUDA_SUCCESS;
}

/* Adds or removes one edge between nodes of the graph. Adding an existing
 * edge, or removing a missing one, is an error. */
static CUresult
edge_change(struct cpu_graph *graph, struct cpu_node *from,
            struct cpu_node *to, const CUgraphEdgeData *data, bool add)
{
    if (!from || !to || from->graph != graph || to->graph != graph ||
        from == to || cpu_node_depends(to, from) == add) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (add) {
        return edge_make(to, from, data);
    }
    edge_drop(to, from);
    return CUDA_SUCCESS;
}

/* Adds or removes `count` edges; acquires the graph lock. If one edge causes
 * an error, the changes of the edges before it remain. */
static CUresult
edges_change(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
             const CUgraphEdgeData *data, size_t count, bool add)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_graph_of(handle, &graph);
    if (!code &&
        ((count && (!from || !to)) || !cpu_edge_data_valid(data, count))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code && !add && cpu_graph_has_memory(graph)) {
        /* No edge can be removed from a graph with memory nodes, since edges
         * determine when such nodes free memory. */
        code = CUDA_ERROR_NOT_SUPPORTED;
    }
    for (size_t i = 0; i < count && !code; i++) {
        code = edge_change(graph, cpu_node_of(from[i]), cpu_node_of(to[i]),
                           data ? &data[i] : NULL, add);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                          const CUgraphNode *to, const CUgraphEdgeData *data,
                          size_t count)
{
    return edges_change(graph, from, to, data, count, true);
}

CPU_API CUresult
cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                       const CUgraphNode *to, size_t count)
{
    return edges_change(graph, from, to, NULL, count, true);
}

CPU_API CUresult
cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
                             const CUgraphNode *to,
                             const CUgraphEdgeData *data, size_t count)
{
    return edges_change(graph, from, to, data, count, false);
}

CPU_API CUresult
cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                          const CUgraphNode *to, size_t count)
{
    return edges_change(graph, from, to, NULL, count, false);
}

CPU_API CUresult
cuGraphDestroyNode(CUgraphNode handle)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && !node) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code && cpu_graph_has_memory(node->graph)) {
        code = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!code && cpu_node_captures(node)) {
        code = CUDA_ERROR_ILLEGAL_STATE;
    }
    if (!code) {
        for (struct cpu_node *n = node->graph->first; n; n = n->next) {
            edge_drop(n, node);
        }
        cpu_node_remove(node);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}
