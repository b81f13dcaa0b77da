/* graph.c - graphs and their nodes: creation, copies, topological order.
 *
 * Called by users of the library and by the other files of this folder.
 * Handles are checked, so that using a node of a destroyed graph is an error.
 * cpu_graph_lock guards all graphs.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"

pthread_mutex_t cpu_graph_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- nodes ---- */

struct cpu_node *
cpu_node_of(CUgraphNode handle)
{
    return cpu_handle_object(CPU_NODE, handle);
}

/* Frees the node with all that it owns. The caller has removed it from its
 * graph. */
static void
node_free(struct cpu_node *node)
{
    cpu_handle_delete(node->handle);
    cpu_node_task_free(&node->task);
    free(node->after);
    free(node->edge_data);
    free(node->params);
    free(node->described);
    free(node->attributes);
    if (node->child) {
        cpu_graph_free(node->child);
    }
    if (node->conditional) {
        cpu_conditional_free(node->conditional);
    }
    free(node);
}

/* Allocates a node that can have `count` dependencies, and creates its handle.
 * Returns NULL on failure. */
static struct cpu_node *
node_new(size_t count)
{
    struct cpu_node *node = calloc(1, sizeof *node);

    if (!node) {
        return NULL;
    }
    node->after = calloc(count + 1, sizeof(struct cpu_node *));
    node->edge_data = calloc(count + 1, sizeof *node->edge_data);
    node->handle = cpu_handle_new(CPU_NODE, node, 0);
    if (!node->after || !node->edge_data || !node->handle) {
        if (node->handle) {
            cpu_handle_delete(node->handle);
        }
        free(node->after);
        free(node->edge_data);
        free(node);
        return NULL;
    }
    return node;
}

CUresult
cpu_node_add(struct cpu_graph *graph, struct cpu_node *const *after,
             const CUgraphEdgeData *data, size_t count,
             struct cpu_node_task *task, struct cpu_node **made)
{
    struct cpu_node *node = node_new(count);

    if (!node) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        node->after[i] = after[i];
        if (data) {
            node->edge_data[i] = data[i];
        }
    }
    node->after_count = count;
    node->task = *task;
    node->graph = graph;
    node->previous = graph->last;
    *(graph->last ? &graph->last->next : &graph->first) = node;
    graph->last = node;
    graph->count++;
    *made = node;
    return CUDA_SUCCESS;
}

void
cpu_node_remove(struct cpu_node *node)
{
    struct cpu_graph *graph = node->graph;

    *(node->previous ? &node->previous->next : &graph->first) = node->next;
    *(node->next ? &node->next->previous : &graph->last) = node->previous;
    graph->count--;
    node_free(node);
}

/* ---- graphs ---- */

struct cpu_graph *
cpu_graph_new(void)
{
    struct cpu_graph *graph = calloc(1, sizeof *graph);

    if (graph) {
        graph->handle = cpu_handle_new(CPU_GRAPH, graph, 0);
    }
    if (graph && !graph->handle) {
        free(graph);
        graph = NULL;
    }
    return graph;
}

void
cpu_graph_free(struct cpu_graph *graph)
{
    while (graph->first) {
        struct cpu_node *next = graph->first->next;

        node_free(graph->first);
        graph->first = next;
    }
    cpu_conditions_end(graph);
    cpu_holds_free(&graph->holds);
    cpu_handle_delete(graph->handle);
    free(graph);
}

bool
cpu_graph_has_memory(const struct cpu_graph *graph)
{
    for (const struct cpu_node *n = graph->first; n; n = n->next) {
        if (n->task.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
            n->task.type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
            (n->child && cpu_graph_has_memory(n->child))) {
            return true;
        }
    }
    return false;
}

bool
cpu_node_captures(const struct cpu_node *node)
{
    const struct cpu_conditional *conditional = node->conditional;
    bool captures = node->child && cpu_graph_captures(node->child);

    for (unsigned i = 0; conditional && i < conditional->count && !captures;
         i++) {
        captures = cpu_graph_captures(conditional->bodies[i]);
    }
    return captures;
}

bool
cpu_graph_captures(const struct cpu_graph *graph)
{
    bool captures = graph->capturing;

    for (const struct cpu_node *n = graph->first; n && !captures;
         n = n->next) {
        captures = cpu_node_captures(n);
    }
    return captures;
}

bool
cpu_graph_order(struct cpu_graph *graph, struct cpu_node **order)
{
    size_t done = 0;

    for (struct cpu_node *n = graph->first; n; n = n->next) {
        n->index = UINT32_MAX;
    }
    for (bool progress = true; done < graph->count && progress;) {
        progress = false;
        for (struct cpu_node *n = graph->first; n; n = n->next) {
            bool ready = n->index == UINT32_MAX;

            for (size_t i = 0; ready && i < n->after_count; i++) {
                ready = n->after[i]->index != UINT32_MAX;
            }
            if (ready) {
                n->index = (unsigned)done;
                order[done++] = n;
                progress = true;
            }
        }
    }
    return done == graph->count;
}

CUresult
cpu_graph_of(CUgraph handle, struct cpu_graph **graph)
{
    CUresult code = cpu_ready();

    *graph = cpu_handle_object(CPU_GRAPH, handle);
    return code || *graph ? code : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuGraphCreate(CUgraph *handle, unsigned flags)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle || flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_graph *graph = cpu_graph_new();
    if (!graph) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = graph->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGraphDestroy(CUgraph handle)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_graph_of(handle, &graph);
    if (!code && cpu_graph_captures(graph)) {
        code = CUDA_ERROR_ILLEGAL_STATE;
    }
    if (!code && graph->owned) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        cpu_graph_free(graph);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}

/* Copies the CUDA parameters that a program has passed for the node `from` and
 * that queries return. */
static CUresult
described_copy(struct cpu_node *to, const struct cpu_node *from)
{
    if (!from->described) {
        return CUDA_SUCCESS;
    }
    to->described = malloc(from->described_bytes);
    if (!to->described) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(to->described, from->described, from->described_bytes);
    to->described_bytes = from->described_bytes;
    return CUDA_SUCCESS;
}

/* If `from` is a child graph node, copies its graph to the node `to`. */
static CUresult
child_copy(struct cpu_node *to, const struct cpu_node *from)
{
    if (!from->child) {
        return CUDA_SUCCESS;
    }
    to->child = cpu_graph_new();
    if (!to->child) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    to->child->owned = true;
    return cpu_graph_copy(to->child, from->child);
}

/* Adds a copy of the node to the graph `to` and stores it in node->twin. The
 * copy's dependencies are the original nodes until cpu_graph_copy replaces
 * them. */
static CUresult
node_copy(struct cpu_graph *to, struct cpu_node *node)
{
    struct cpu_node_task task;
    CUresult code = cpu_node_task_copy(&task, &node->task);

    if (code) {
        return code;
    }
    code = cpu_node_add(to, node->after, node->edge_data, node->after_count,
                        &task, &node->twin);
    if (code) {
        cpu_node_task_free(&task);
        return code;
    }
    struct cpu_node *twin = node->twin;
    twin->original = node->handle;
    code = described_copy(twin, node);
    code = code ? code : cpu_node_attributes_copy(twin, node);
    code = code ? code : child_copy(twin, node);
    return code ? code : cpu_conditional_copy(twin, node);
}

CUresult
cpu_graph_copy(struct cpu_graph *to, struct cpu_graph *from)
{
    if (cpu_graph_has_memory(from)) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    CUresult code = cpu_holds_copy(&to->holds, from->holds);
    for (struct cpu_node *n = from->first; n && !code; n = n->next) {
        code = node_copy(to, n);
    }
    for (struct cpu_node *n = to->first; n && !code; n = n->next) {
        for (size_t i = 0; i < n->after_count; i++) {
            n->after[i] = n->after[i]->twin;
        }
    }
    return code;
}

CPU_API CUresult
cuGraphClone(CUgraph *clone, CUgraph original)
{
    struct cpu_graph *graph, *copy = NULL;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_graph_of(original, &graph);
    if (!code && !clone) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code && !(copy = cpu_graph_new())) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!code && (code = cpu_graph_copy(copy, graph))) {
        cpu_graph_free(copy);
    }
    if (!code) {
        *clone = copy->handle;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_graph_of(clone, &graph);
    if (!code) {
        code = CUDA_ERROR_INVALID_VALUE;
        for (struct cpu_node *n = graph->first; node && n; n = n->next) {
            if (n->original == original) {
                *node = n->handle;
                code = CUDA_SUCCESS;
            }
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
