/* exec_params.c - changes steps of an executable graph.
 *
 * Called by users of the library and by generic_nodes.c. Programs name a step
 * by the node from which it was created. Pending launches are not affected.
 * Acquires the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/exports/visibility.h"
#include "cpu/graph/exec.h"
#include "cpu/graph/graph.h"

static struct cpu_step *step_find(struct cpu_exec *exec, CUgraphNode node);

static struct cpu_step *
branch_find(const struct cpu_branch *branch, CUgraphNode node)
{
    struct cpu_step *found = NULL;

    for (unsigned i = 0; branch && i < branch->count && !found; i++) {
        found = step_find(branch->bodies[i], node);
    }
    return found;
}

/* Returns the step (executable node) that was created from the node; for a
 * child graph node, the first of its steps. Also searches the bodies of
 * conditional nodes. Returns NULL if there is none. */
static struct cpu_step *
step_find(struct cpu_exec *exec, CUgraphNode node)
{
    for (size_t i = 0; i < exec->count; i++) {
        struct cpu_step *step = &exec->steps[i];

        if (step->node == node) {
            return step;
        }
        struct cpu_step *inner = branch_find(step->branch, node);
        if (inner) {
            return inner;
        }
    }
    return NULL;
}

static CUresult
step_of(CUgraphExec handle, CUgraphNode node, struct cpu_step **step)
{
    struct cpu_exec *exec;
    CUresult code = cpu_exec_of(handle, &exec);

    *step = code ? NULL : step_find(exec, node);
    return code || *step ? code : CUDA_ERROR_INVALID_VALUE;
}

CUcontext
cpu_step_context(CUgraphExec exec, CUgraphNode node)
{
    struct cpu_step *step;

    pthread_mutex_lock(&cpu_graph_lock);
    CUcontext ctx = step_of(exec, node, &step) ? NULL : step->task.context;
    pthread_mutex_unlock(&cpu_graph_lock);
    return ctx;
}

CUresult
cpu_exec_set_task(CUgraphExec exec, CUgraphNode node,
                  struct cpu_node_task *task)
{
    struct cpu_step *step;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = step_of(exec, node, &step);
    if (!code && !cpu_node_task_may_replace(&step->task, task)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        cpu_node_task_replace(&step->task, task);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_node_task_free(task);
    return code;
}

static CUresult
params_set(CUgraphExec exec, CUgraphNode node, CUgraphNodeType type,
           const void *params, CUcontext ctx)
{
    struct cpu_node_task task;
    CUresult code = cpu_node_task_make(type, params, ctx, &task);

    return code ? code : cpu_exec_set_task(exec, node, &task);
}

CPU_API CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *params)
{
    return params_set(exec, node, CU_GRAPH_NODE_TYPE_KERNEL, params,
                      params ? params->ctx : NULL);
}

CPU_API CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    if (!params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUDA_KERNEL_NODE_PARAMS newer = cpu_kernel_params_newer(params);
    return cuGraphExecKernelNodeSetParams_v2(exec, node, &newer);
}

CPU_API CUresult
cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_MEMCPY3D *params, CUcontext ctx)
{
    return params_set(exec, node, CU_GRAPH_NODE_TYPE_MEMCPY, params,
                      ctx ? ctx : cpu_step_context(exec, node));
}

CPU_API CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS *params,
                               CUcontext ctx)
{
    return params_set(exec, node, CU_GRAPH_NODE_TYPE_MEMSET, params,
                      ctx ? ctx : cpu_step_context(exec, node));
}

CPU_API CUresult
cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                             const CUDA_HOST_NODE_PARAMS *params)
{
    return params_set(exec, node, CU_GRAPH_NODE_TYPE_HOST, params,
                      cpu_step_context(exec, node));
}

static CUresult
event_set(CUgraphExec exec, CUgraphNode node, CUgraphNodeType type,
          CUevent event)
{
    struct cpu_node_task task;
    CUresult code = cpu_event_task(type, event, &task);

    return code ? code : cpu_exec_set_task(exec, node, &task);
}

CPU_API CUresult
cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                   CUevent event)
{
    return event_set(exec, node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CPU_API CUresult
cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                 CUevent event)
{
    return event_set(exec, node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

/* ---- child graphs ---- */

/* Returns true if the `count` steps (executable nodes) at `new` can replace
 * the `count` steps at `old`, because they have the same dependencies and
 * compatible tasks. A new step with index i corresponds to the old step with
 * index i + `shift`. */
static bool
steps_match(const struct cpu_step *old, const struct cpu_step *new,
            size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; i++) {
        size_t waits = new[i].after_count;

        /* In the executable graph, an additional step precedes the steps of
         * the child graph; its index is `shift` - 1. The first steps of the
         * child graph depend on the additional step. The steps at `new` were
         * made from the child graph alone, so its first steps have no
         * dependencies there. They match old steps that depend on the
         * additional step only. */
        if (!cpu_node_task_may_replace(&old[i].task, &new[i].task) ||
            old[i].after_count != (waits ? waits : 1) ||
            (!waits && old[i].after[0] != shift - 1)) {
            return false;
        }
        for (size_t j = 0; j < waits; j++) {
            if (old[i].after[j] != new[i].after[j] + shift) {
                return false;
            }
        }
    }
    return true;
}

/* Replaces the tasks of the steps of a child graph node by those of the graph
 * `handle`. Returns an error if the two graphs do not match. The caller holds
 * the graph lock. */
static CUresult
child_set(struct cpu_exec *exec, CUgraphNode node, CUgraph handle)
{
    struct cpu_step *first = step_find(exec, node);
    struct cpu_graph *graph;
    struct cpu_exec *fresh;
    CUresult code = cpu_graph_of(handle, &graph);

    if (!code && (!first || !first->last ||
                  first->task.type != CU_GRAPH_NODE_TYPE_GRAPH)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : cpu_exec_make(graph, &fresh);
    if (code) {
        return code;
    }
    unsigned at = (unsigned)(first - exec->steps);
    size_t count = first->last - at - 1;
    if (count != fresh->count ||
        !steps_match(first + 1, fresh->steps, count, at + 1)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count && !code; i++) {
        struct cpu_node_task old = first[1 + i].task;

        first[1 + i].task = fresh->steps[i].task;
        fresh->steps[i].task = old;
    }
    cpu_exec_retire(fresh);
    return code;
}

CUresult
cpu_exec_set_child(CUgraphExec handle, CUgraphNode node, CUgraph graph)
{
    struct cpu_exec *exec;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_exec_of(handle, &exec);
    if (!code) {
        code = child_set(exec, node, graph);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}

CPU_API CUresult
cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                   CUgraph graph)
{
    return cpu_exec_set_child(exec, node, graph);
}

/* ---- disabled steps ---- */

static bool
may_be_disabled(const struct cpu_node_task *task)
{
    return task->type == CU_GRAPH_NODE_TYPE_KERNEL ||
           task->type == CU_GRAPH_NODE_TYPE_MEMCPY ||
           task->type == CU_GRAPH_NODE_TYPE_MEMSET;
}

CPU_API CUresult
cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
    struct cpu_step *step;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = step_of(exec, node, &step);
    if (!code && !may_be_disabled(&step->task)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        step->disabled = !enabled;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
    struct cpu_step *step;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = step_of(exec, node, &step);
    if (!code && (!enabled || !may_be_disabled(&step->task))) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *enabled = !step->disabled;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
