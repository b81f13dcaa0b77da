/* graph.c - graphs: nodes, what they depend on, and questions about them.
 *
 * Called by users of the library, by capture.c, nodes.c and
 * exec.c.  A graph owns its nodes; handles are checked, so that a node
 * of a destroyed graph is an error.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/graph/graph.h"

pthread_mutex_t cpu_graph_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- tasks and nodes ---- */

void
cpu_task_free(struct cpu_task *task)
{
    free(task->payload);
    task->payload = NULL;
}

CUresult
cpu_task_copy(struct cpu_task *to, const struct cpu_task *from)
{
    *to = *from;
    to->payload = NULL;
    if (from->payload) {
        to->payload = malloc(from->bytes ? from->bytes : 1);
        if (!to->payload) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        memcpy(to->payload, from->payload, from->bytes);
    }
    return CUDA_SUCCESS;
}

struct cpu_node *
cpu_node_of(CUgraphNode handle)
{
    return cpu_handle_object(CPU_NODE, handle);
}

static void
node_free(struct cpu_node *node)
{
    cpu_handle_delete(node->handle);
    cpu_task_free(&node->task);
    free(node->after);
    free(node->params);
    free(node->described);
    if (node->child) {
        cpu_graph_free(node->child);
    }
    free(node);
}

CUresult
cpu_node_add(struct cpu_graph *graph, struct cpu_node *const *after,
             size_t count, struct cpu_task *task, struct cpu_node **made)
{
    struct cpu_node *node = calloc(1, sizeof *node);

    if (node) {
        node->after = malloc((count + 1) * sizeof(struct cpu_node *));
        node->handle = cpu_handle_new(CPU_NODE, node, 0);
    }
    if (!node || !node->after || !node->handle) {
        if (node) {
            node_free(node);
        }
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        node->after[i] = after[i];
    }
    node->after_count = count;
    node->task = *task;
    node->graph = graph;
    node->previous = graph->last;
    if (graph->last) {
        graph->last->next = node;
    } else {
        graph->first = node;
    }
    graph->last = node;
    graph->count++;
    *made = node;
    return CUDA_SUCCESS;
}

bool
cpu_node_depends(struct cpu_node *node, struct cpu_node *on)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] == on) {
            return true;
        }
    }
    return false;
}

static void
node_independ(struct cpu_node *node, struct cpu_node *on)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] == on) {
            node->after[i] = node->after[--node->after_count];
            return;
        }
    }
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
    cpu_holds_free(&graph->holds);
    cpu_handle_delete(graph->handle);
    free(graph);
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

static CUresult
graph_of(CUgraph handle, struct cpu_graph **graph)
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
    CUresult code = graph_of(handle, &graph);
    if (!code && graph->capturing) {
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

/* The parameters of an added node, which a question gives back. */
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

CUresult
cpu_graph_copy(struct cpu_graph *to, struct cpu_graph *from)
{
    CUresult code = cpu_holds_copy(&to->holds, from->holds);

    for (struct cpu_node *n = from->first; n && !code; n = n->next) {
        struct cpu_task task;

        code = cpu_task_copy(&task, &n->task);
        if (!code) {
            code = cpu_node_add(to, n->after, n->after_count, &task, &n->twin);
            if (code) {
                cpu_task_free(&task);
            }
        }
        if (!code) {
            n->twin->original = n->handle;
            code = described_copy(n->twin, n);
        }
        if (!code) {
            code = child_copy(n->twin, n);
        }
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
    CUresult code = graph_of(original, &graph);
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
    CUresult code = graph_of(clone, &graph);
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

/* ---- lists: `count` is the room, then how many there are ---- */

struct list {
    CUgraphNode *nodes, *others;
    size_t *count;
    size_t room, found;
};

static void
list_put(struct list *list, struct cpu_node *node, struct cpu_node *other)
{
    if (list->nodes && list->found < list->room) {
        list->nodes[list->found] = node->handle;
        if (list->others) {
            list->others[list->found] = other->handle;
        }
    }
    list->found++;
}

static void
list_end(struct list *list)
{
    size_t end = list->nodes ? list->room : 0;

    for (size_t i = list->found; i < end; i++) {
        list->nodes[i] = NULL;
        if (list->others) {
            list->others[i] = NULL;
        }
    }
    *list->count =
        list->nodes && list->found > list->room ? list->room : list->found;
}

static CUresult
list_nodes(CUgraph handle, CUgraphNode *nodes, size_t *count, bool roots)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = graph_of(handle, &graph);
    if (!code && !count) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        struct list list = {.nodes = nodes, .count = count, .room = *count};

        for (struct cpu_node *n = graph->first; n; n = n->next) {
            if (!roots || !n->after_count) {
                list_put(&list, n, NULL);
            }
        }
        list_end(&list);
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
cuGraphGetEdges(CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                size_t *count)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = graph_of(handle, &graph);
    if (!code && (!count || !from != !to)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        struct list list = {
            .nodes = from, .others = to, .count = count, .room = *count};

        for (struct cpu_node *n = graph->first; n; n = n->next) {
            for (size_t i = 0; i < n->after_count; i++) {
                list_put(&list, n->after[i], n);
            }
        }
        list_end(&list);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

static CUresult
list_neighbours(CUgraphNode handle, CUgraphNode *nodes, size_t *count,
                bool dependents)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && (!node || !count)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        struct list list = {.nodes = nodes, .count = count, .room = *count};

        for (size_t i = 0; !dependents && i < node->after_count; i++) {
            list_put(&list, node->after[i], NULL);
        }
        for (struct cpu_node *n = node->graph->first; dependents && n;
             n = n->next) {
            if (cpu_node_depends(n, node)) {
                list_put(&list, n, NULL);
            }
        }
        list_end(&list);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    return list_neighbours(node, nodes, count, false);
}

CPU_API CUresult
cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                             size_t *count)
{
    return list_neighbours(node, nodes, count, true);
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

/* ---- changing dependencies ---- */

static CUresult
edge_change(struct cpu_graph *graph, struct cpu_node *from,
            struct cpu_node *to, bool add)
{
    if (!from || !to || from->graph != graph || to->graph != graph ||
        from == to || cpu_node_depends(to, from) == add) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!add) {
        node_independ(to, from);
        return CUDA_SUCCESS;
    }
    struct cpu_node **grown =
        realloc(to->after, (to->after_count + 1) * sizeof(struct cpu_node *));
    if (!grown) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    to->after = grown;
    grown[to->after_count++] = from;
    return CUDA_SUCCESS;
}

static CUresult
edges_change(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
             size_t count, bool add)
{
    struct cpu_graph *graph;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = graph_of(handle, &graph);
    if (!code && count && (!from || !to)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count && !code; i++) {
        code =
            edge_change(graph, cpu_node_of(from[i]), cpu_node_of(to[i]), add);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                       const CUgraphNode *to, size_t count)
{
    return edges_change(graph, from, to, count, true);
}

CPU_API CUresult
cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                          const CUgraphNode *to, size_t count)
{
    return edges_change(graph, from, to, count, false);
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
    if (!code) {
        struct cpu_graph *graph = node->graph;

        for (struct cpu_node *n = graph->first; n; n = n->next) {
            node_independ(n, node);
        }
        *(node->previous ? &node->previous->next : &graph->first) = node->next;
        *(node->next ? &node->next->previous : &graph->last) = node->previous;
        graph->count--;
        node_free(node);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}
