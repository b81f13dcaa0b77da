/* exec.c - executable graphs, which are created as copies of graphs.
 *
 * Called by users of the library and by the other exec files. Each node
 * becomes a step. A child graph becomes the steps of its nodes, with one
 * additional step before and one after them. An executable graph keeps
 * references to the objects that it uses until its last launch is done. The
 * graph lock guards all state.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/exec.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/operation.h"

/* Frees an executable graph, which must not have pending launches. The caller
 * holds the graph lock. */
static void
exec_free(struct cpu_exec *exec)
{
    for (size_t i = 0; exec->steps && i < exec->count; i++) {
        struct cpu_step *step = &exec->steps[i];

        cpu_node_task_free(&step->task);
        free(step->after);
        if (step->branch) {
            cpu_branch_free(step->branch);
        }
    }
    free(exec->steps);
    cpu_holds_free(&exec->holds);
    cpu_op_release(exec->last);
    free(exec);
}

static CUresult
retire_run(void *argument)
{
    struct cpu_exec *exec = *(struct cpu_exec **)argument;

    pthread_mutex_lock(&cpu_graph_lock);
    exec_free(exec);
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return CUDA_SUCCESS;
}

void
cpu_exec_retire(struct cpu_exec *exec)
{
    struct cpu_op *last = exec->last, *op = NULL;

    if (last && !cpu_op_done(last)) {
        op = cpu_op_new(last->ctx, CPU_OP_CALL, sizeof exec);
    }
    if (!op) {
        exec_free(exec);
        return;
    }
    op->run = retire_run;
    op->runs_after_failure = true;
    memcpy(op->argument, &exec, sizeof exec);
    cpu_op_submit_after(NULL, op, &last, 1);
    cpu_op_release(op);
}

/* Appends a step (executable node) for `node` to exec->steps, which has space
 * for it. `after` has the indices of the `count` steps that the new step
 * depends on. */
static CUresult
step_add(struct cpu_exec *exec, const struct cpu_node *node,
         const unsigned *after, size_t count)
{
    struct cpu_step *step = &exec->steps[exec->count];
    CUresult code = cpu_node_task_copy(&step->task, &node->task);

    step->after = malloc((count + 1) * sizeof *step->after);
    exec->count++;
    if (code || !step->after) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    step->node = node->handle;
    step->leaf = true;
    step->after_count = count;
    for (size_t i = 0; i < count; i++) {
        step->after[i] = after[i];
        exec->steps[after[i]].leaf = false;
    }
    if (step->task.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
        step->task.type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
        exec->has_memory = true;
    }
    return node->conditional
               ? cpu_branch_make(node->conditional, &step->branch)
               : CUDA_SUCCESS;
}

/* Returns how many steps (executable nodes) the graph needs, including its
 * child graphs. */
static size_t
steps_needed(const struct cpu_graph *graph)
{
    size_t count = graph->count;

    for (const struct cpu_node *n = graph->first; n; n = n->next) {
        count += n->child ? 1 + steps_needed(n->child) : 0;
    }
    return count;
}

static CUresult steps_add(struct cpu_exec *exec, struct cpu_graph *graph,
                          unsigned *after, const unsigned *before);

/* Appends the steps (executable nodes) for a node. A child graph node gets a
 * first step, the steps of the child graph, and a last step after them. Sets
 * node->index to the index of the node's last step. A node without
 * dependencies depends on the step *before, unless `before` is NULL (in the
 * top-level graph). `after` is a scratch array for the indices of steps. */
static CUresult
node_steps(struct cpu_exec *exec, struct cpu_node *node, unsigned *after,
           const unsigned *before)
{
    size_t count = 0;

    for (; count < node->after_count; count++) {
        after[count] = node->after[count]->index;
    }
    if (!count && before) {
        after[count++] = *before;
    }
    unsigned first = (unsigned)exec->count;
    CUresult code = step_add(exec, node, after, count);
    if (!code && node->child) {
        code = steps_add(exec, node->child, after, &first);
        count = 0;
        for (unsigned i = first; i < exec->count; i++) {
            if (exec->steps[i].leaf) {
                after[count++] = i;
            }
        }
        code = code ? code : step_add(exec, node, after, count);
        exec->steps[first].last = (unsigned)exec->count - 1;
    }
    node->index = (unsigned)exec->count - 1;
    return code;
}

/* Appends the steps (executable nodes) for the graph's nodes in topological
 * order, and copies the graph's references to user objects. Nodes without
 * dependencies depend on the step *before, unless `before` is NULL (in the
 * top-level graph). `after` is a scratch array. Returns INVALID_VALUE if the
 * graph has a cycle. */
static CUresult
steps_add(struct cpu_exec *exec, struct cpu_graph *graph, unsigned *after,
          const unsigned *before)
{
    struct cpu_node **order =
        malloc((graph->count + 1) * sizeof(struct cpu_node *));
    CUresult code = order ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    if (!code && !cpu_graph_order(graph, order)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < graph->count && !code; i++) {
        code = node_steps(exec, order[i], after, before);
    }
    free(order);
    return code ? code : cpu_holds_copy(&exec->holds, graph->holds);
}

CUresult
cpu_exec_make(struct cpu_graph *graph, struct cpu_exec **made)
{
    size_t room = steps_needed(graph) + 1;
    struct cpu_exec *exec = calloc(1, sizeof *exec);
    unsigned *after = malloc(room * sizeof *after);
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    if (exec && after) {
        exec->steps = calloc(room, sizeof *exec->steps);
        code = exec->steps ? steps_add(exec, graph, after, NULL) : code;
    }
    free(after);
    if (code && exec) {
        exec_free(exec);
    }
    *made = code ? NULL : exec;
    return code;
}

/* ---- the API ---- */

#define EXEC_FLAGS                                                            \
    (CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |                        \
     CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |                                     \
     CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |                              \
     CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

/* Returns true if CUDA allows kernels to launch the graph: all its nodes,
 * including those of child graphs, are kernel, memcpy, memset or empty
 * nodes. */
static bool
device_could_launch(const struct cpu_graph *graph)
{
    for (const struct cpu_node *n = graph->first; n; n = n->next) {
        if (n->task.type != CU_GRAPH_NODE_TYPE_KERNEL &&
            n->task.type != CU_GRAPH_NODE_TYPE_MEMCPY &&
            n->task.type != CU_GRAPH_NODE_TYPE_MEMSET &&
            n->task.type != CU_GRAPH_NODE_TYPE_EMPTY &&
            !(n->child && device_could_launch(n->child))) {
            return false;
        }
    }
    return true;
}

/* Creates an executable graph from the graph `graph_handle`, and a handle for
 * it. The caller holds the graph lock. */
static CUresult
instantiate(CUgraphExec *handle, CUgraph graph_handle,
            unsigned long long flags)
{
    struct cpu_graph *graph;
    struct cpu_exec *exec;
    CUresult code = cpu_graph_of(graph_handle, &graph);

    if (code) {
        return code;
    }
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH &&
        (!device_could_launch(graph) ||
         flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    code = cpu_exec_make(graph, &exec);
    if (code) {
        return code;
    }
    exec->flags = flags;
    exec->handle = cpu_handle_new(CPU_EXEC, exec, 0);
    if (!exec->handle) {
        exec_free(exec);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = exec->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGraphInstantiateWithFlags(CUgraphExec *handle, CUgraph graph,
                            unsigned long long flags)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle || flags & ~(unsigned long long)EXEC_FLAGS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = instantiate(handle, graph, flags);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphInstantiateWithParams(CUgraphExec *handle, CUgraph graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    if (!params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult code = cuGraphInstantiateWithFlags(handle, graph, params->flags);
    params->hErrNode_out = NULL;
    params->result_out =
        code == CUDA_ERROR_NOT_SUPPORTED
            ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
        : code ? CUDA_GRAPH_INSTANTIATE_ERROR
               : CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return code;
}

CPU_API CUresult
cuGraphInstantiate_v2(CUgraphExec *handle, CUgraph graph, CUgraphNode *node,
                      char *log, size_t log_bytes)
{
    if (node) {
        *node = NULL;
    }
    if (log && log_bytes) {
        *log = 0;
    }
    return cuGraphInstantiateWithFlags(handle, graph, 0);
}

CPU_API CUresult
cuGraphInstantiate(CUgraphExec *handle, CUgraph graph, CUgraphNode *node,
                   char *log, size_t log_bytes)
{
    return cuGraphInstantiate_v2(handle, graph, node, log, log_bytes);
}

CUresult
cpu_exec_of(CUgraphExec handle, struct cpu_exec **exec)
{
    CUresult code = cpu_ready();

    *exec = cpu_handle_object(CPU_EXEC, handle);
    return code || *exec ? code : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags)
{
    struct cpu_exec *exec;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_exec_of(handle, &exec);
    if (!code && !flags) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *flags = exec->flags;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* Destroys the handle. Pending launches of the graph still run; the memory is
 * freed after them. */
CPU_API CUresult
cuGraphExecDestroy(CUgraphExec handle)
{
    struct cpu_exec *exec;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = cpu_exec_of(handle, &exec);
    if (!code) {
        cpu_handle_delete(handle);
        cpu_exec_retire(exec);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}
