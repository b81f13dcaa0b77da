/* exec_update.c - updates an executable graph from another graph.
 *
 * Called by users of the library; acquires the graph lock. An update
 * succeeds only if the other graph has nodes of the same types with the same
 * dependencies. It replaces the tasks of the executable graph and its
 * references to user objects.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/exports/visibility.h"
#include "cpu/graph/exec.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/operation.h"

static CUgraphExecUpdateResult steps_compare(const struct cpu_exec *old,
                                             const struct cpu_exec *new,
                                             size_t *where);

/* Compares an old and a new conditional node, including all steps (executable
 * nodes) of their bodies. */
static CUgraphExecUpdateResult
branches_compare(const struct cpu_branch *old, const struct cpu_branch *new)
{
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    size_t where;

    if (!old || !new) {
        return result;
    }
    /* The two nodes may have different conditions, but the update fails if
     * their types (IF, WHILE or SWITCH) differ. */
    if (old->type != new->type) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    }
    if (old->count != new->count) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    for (unsigned i = 0; i < old->count && !result; i++) {
        result = steps_compare(old->bodies[i], new->bodies[i], &where);
    }
    return result;
}

/* Compares type, dependencies and context of two steps (executable nodes).
 * Steps that allocate or free memory are equal only if they refer to the same
 * memory. */
static CUgraphExecUpdateResult
step_compare(const struct cpu_step *old, const struct cpu_step *new)
{
    const struct cpu_node_task *a = &old->task, *b = &new->task;

    if (a->type != b->type) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    }
    if (old->after_count != new->after_count ||
        memcmp(old->after, new->after,
               old->after_count * sizeof *old->after)) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    if (!cpu_node_task_may_replace(a, b)) {
        return a->type == CU_GRAPH_NODE_TYPE_KERNEL
                   ? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
                   : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    }
    if ((a->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
         a->type == CU_GRAPH_NODE_TYPE_MEM_FREE) &&
        cpu_node_task_memory(a) != cpu_node_task_memory(b)) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    }
    return branches_compare(old->branch, new->branch);
}

/* Compares all steps (executable nodes) of two executable graphs. Stores the
 * index of the first different step in `where`, or SIZE_MAX if the numbers of
 * steps differ. */
static CUgraphExecUpdateResult
steps_compare(const struct cpu_exec *old, const struct cpu_exec *new,
              size_t *where)
{
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;

    *where = SIZE_MAX;
    if (old->count != new->count) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    for (size_t i = 0; i < new->count && !result; i++) {
        *where = i;
        result = step_compare(&old->steps[i], &new->steps[i]);
    }
    return result;
}

/* Exchanges the steps and user objects of `exec` and `fresh`. The new steps
 * get the node handles of the old ones, since programs continue to identify a
 * step by the node from which the old step was created. */
static void
steps_exchange(struct cpu_exec *exec, struct cpu_exec *fresh)
{
    struct cpu_step *steps = exec->steps;
    struct cpu_hold *holds = exec->holds;

    for (size_t i = 0; i < exec->count; i++) {
        fresh->steps[i].node = steps[i].node;
        fresh->steps[i].disabled = steps[i].disabled;
    }
    exec->steps = fresh->steps;
    fresh->steps = steps;
    exec->holds = fresh->holds;
    fresh->holds = holds;
}

/* Compares `exec` with the graph `handle` and, if they match, replaces the
 * steps of `exec`. `info` receives the result. The caller holds the graph
 * lock. */
static CUresult
exec_update(struct cpu_exec *exec, CUgraph handle,
            CUgraphExecUpdateResultInfo *info)
{
    struct cpu_graph *graph;
    struct cpu_exec *fresh;
    size_t where;
    CUresult code = cpu_graph_of(handle, &graph);

    code = code ? code : cpu_exec_make(graph, &fresh);
    if (code) {
        return code;
    }
    info->result = steps_compare(exec, fresh, &where);
    if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
        info->errorNode =
            where < fresh->count ? fresh->steps[where].node : NULL;
        code = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    } else {
        steps_exchange(exec, fresh);
        /* the latest launch of `exec` still uses the old steps */
        fresh->last = exec->last;
        if (fresh->last) {
            atomic_fetch_add(&fresh->last->references, 1);
        }
    }
    cpu_exec_retire(fresh);
    return code;
}

CPU_API CUresult
cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph,
                     CUgraphExecUpdateResultInfo *info)
{
    struct cpu_exec *exec;

    if (!info) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *info =
        (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_exec_of(handle, &exec);
    if (!code) {
        code = exec_update(exec, graph, info);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}

CPU_API CUresult
cuGraphExecUpdate(CUgraphExec handle, CUgraph graph, CUgraphNode *node,
                  CUgraphExecUpdateResult *result)
{
    CUgraphExecUpdateResultInfo info;

    if (!result) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult code = cuGraphExecUpdate_v2(handle, graph, &info);
    *result = info.result;
    if (node) {
        *node = info.errorNode;
    }
    return code;
}
