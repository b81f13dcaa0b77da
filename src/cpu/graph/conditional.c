/* conditional.c - conditions and conditional nodes (IF, WHILE, SWITCH).
 *
 * Called by users of the library, by generic_nodes.c, and by graph.c, which
 * copies and frees conditional nodes; conditional_run.c runs them. A condition
 * is a value that selects which body (a graph) of a node runs. Its handle is
 * the address of the value, which kernels write (cudaGraphSetConditional). The
 * graph lock guards all state.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"

void
cpu_condition_release(struct cpu_condition *condition)
{
    if (--condition->references) {
        return;
    }
    cpu_arena_free(condition->value, CPU_MEMORY_GRAPH);
    free(condition);
}

void
cpu_conditions_end(struct cpu_graph *graph)
{
    while (graph->conditions) {
        struct cpu_condition *condition = graph->conditions;

        graph->conditions = condition->next;
        cpu_condition_release(condition);
    }
}

/* Creates a condition that belongs to the graph. Its value is in memory of
 * `device`, so that kernels can write it. The caller holds the graph lock. */
static CUresult
condition_new(struct cpu_graph *graph, int device, unsigned initial,
              bool reset, CUgraphConditionalHandle *handle)
{
    struct cpu_condition *condition = calloc(1, sizeof *condition);
    struct cpu_allocation as = {.kind = CPU_MEMORY_GRAPH, .device = device};

    if (!condition ||
        cpu_arena_allocate(sizeof(uint32_t), &as, &condition->value)) {
        free(condition);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *(uint32_t *)condition->value = initial;
    condition->initial = initial;
    condition->reset = reset;
    condition->references = 1;
    condition->next = graph->conditions;
    graph->conditions = condition;
    *handle = condition->value;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle,
                               CUgraph graph_handle, CUcontext ctx_handle,
                               unsigned initial, unsigned flags)
{
    struct cpu_context *ctx;
    struct cpu_graph *graph;
    CUresult code = ctx_handle ? cpu_context_of(ctx_handle, &ctx)
                               : cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle || flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = cpu_graph_of(graph_handle, &graph);
    if (!code) {
        code = condition_new(graph, ctx->device, initial, flags != 0, handle);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* ---- nodes ---- */

void
cpu_conditional_free(struct cpu_conditional *conditional)
{
    for (unsigned i = 0; i < conditional->count; i++) {
        if (conditional->bodies[i]) {
            cpu_graph_free(conditional->bodies[i]);
        }
    }
    cpu_condition_release(conditional->condition);
    free(conditional->bodies);
    free(conditional->handles);
    free(conditional);
}

/* Allocates the state of a conditional node, with `count` empty graphs as its
 * bodies. */
static CUresult
conditional_new(CUgraphConditionalNodeType type, unsigned count,
                struct cpu_condition *condition, struct cpu_conditional **made)
{
    struct cpu_conditional *conditional = calloc(1, sizeof *conditional);

    if (!conditional) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    condition->references++;
    conditional->type = type;
    conditional->condition = condition;
    conditional->handles = calloc(count, sizeof *conditional->handles);
    conditional->bodies = calloc(count, sizeof(struct cpu_graph *));
    bool whole = conditional->handles && conditional->bodies;
    for (unsigned i = 0; i < count && whole; i++) {
        struct cpu_graph *body = cpu_graph_new();

        whole = body != NULL;
        conditional->bodies[i] = body;
        conditional->count = i + 1;
        if (body) {
            body->owned = true;
            conditional->handles[i] = body->handle;
        }
    }
    if (!whole) {
        cpu_conditional_free(conditional);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = conditional;
    return CUDA_SUCCESS;
}

CUresult
cpu_conditional_copy(struct cpu_node *to, const struct cpu_node *from)
{
    const struct cpu_conditional *old = from->conditional;

    if (!old) {
        return CUDA_SUCCESS;
    }
    CUresult code = conditional_new(old->type, old->count, old->condition,
                                    &to->conditional);
    for (unsigned i = 0; i < old->count && !code; i++) {
        code = cpu_graph_copy(to->conditional->bodies[i], old->bodies[i]);
    }
    return code;
}

/* Returns true if a node of this type can have `count` bodies. */
static bool
count_is_right(CUgraphConditionalNodeType type, unsigned count)
{
    switch ((int)type) {
    case CU_GRAPH_COND_TYPE_IF:
        return count == 1 || count == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
        return count == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
        return count >= 1 && count <= 1u << 20;
    default:
        return false;
    }
}

/* Adds a conditional node. The caller holds the graph lock. */
static CUresult
conditional_add(CUgraphNode *made, CUgraph handle, const CUgraphNode *after,
                const CUgraphEdgeData *data, size_t count,
                CUDA_CONDITIONAL_NODE_PARAMS *params)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);
    struct cpu_condition *condition = graph ? graph->conditions : NULL;
    struct cpu_node_task task = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    struct cpu_conditional *conditional;

    while (condition && condition->value != params->handle) {
        condition = condition->next;
    }
    if (!condition || !count_is_right(params->type, params->size)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult code =
        conditional_new(params->type, params->size, condition, &conditional);
    if (code) {
        return code;
    }
    code =
        cpu_node_insert_locked(made, handle, after, data, count, &task, NULL);
    if (code) {
        cpu_conditional_free(conditional);
        return code;
    }
    cpu_node_of(*made)->conditional = conditional;
    params->phGraph_out = conditional->handles;
    return CUDA_SUCCESS;
}

CUresult
cpu_conditional_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                    const CUgraphEdgeData *data, size_t count,
                    CUDA_CONDITIONAL_NODE_PARAMS *params)
{
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = conditional_add(made, graph, after, data, count, params);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
