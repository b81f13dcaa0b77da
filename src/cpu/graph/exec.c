/* exec.c - executable graphs: a frozen copy of a graph, launched whole.
 *
 * Called by users of the library.  A launch submits every task as an
 * operation that waits for those of its dependencies, between two marks in the
 * stream; launches of one executable graph follow each other.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/graph/graph.h"

struct step {
    struct cpu_task task;
    CUgraphNode node; /* that it came from */
    unsigned *after;  /* steps before this one; owned */
    size_t after_count;
    bool leaf; /* nothing follows */
};

struct exec {
    CUgraphExec handle;
    struct step *steps;
    size_t count;
    unsigned long long flags;
    struct cpu_hold *holds;
    struct cpu_op *last; /* the end of the latest launch; owned */
};

static void
exec_free(struct exec *exec)
{
    for (size_t i = 0; exec->steps && i < exec->count; i++) {
        cpu_task_free(&exec->steps[i].task);
        free(exec->steps[i].after);
    }
    free(exec->steps);
    cpu_holds_free(&exec->holds);
    cpu_op_release(exec->last);
    free(exec);
}

/* The next step, after those of `count` indices; the room is there. */
static CUresult
step_add(struct exec *exec, const struct cpu_node *node, const unsigned *after,
         size_t count)
{
    struct step *step = &exec->steps[exec->count];
    CUresult code = cpu_task_copy(&step->task, &node->task);

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
    return CUDA_SUCCESS;
}

/* Steps of the graph and of those within it. */
static size_t
steps_needed(const struct cpu_graph *graph)
{
    size_t count = graph->count;

    for (const struct cpu_node *n = graph->first; n; n = n->next) {
        count += n->child ? 1 + steps_needed(n->child) : 0;
    }
    return count;
}

static CUresult steps_add(struct exec *exec, struct cpu_graph *graph,
                          unsigned *after, const unsigned *before);

/* A node's steps: one, or for a graph one before its own and one after.
 * `index` becomes that of the last; `before`, or NULL: what comes before all
 * of the node's graph.  `after` is scratch with room for all steps. */
static CUresult
node_steps(struct exec *exec, struct cpu_node *node, unsigned *after,
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
    }
    node->index = (unsigned)exec->count - 1;
    return code;
}

static CUresult
steps_add(struct exec *exec, struct cpu_graph *graph, unsigned *after,
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

/* An executable graph without a handle; the lock is held. */
static CUresult
exec_make(CUgraph handle, struct exec **made)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);

    if (!graph) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    size_t room = steps_needed(graph) + 1;
    struct exec *exec = calloc(1, sizeof *exec);
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

#define EXEC_FLAGS                                                            \
    (CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |                        \
     CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |                                     \
     CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)

CPU_API CUresult
cuGraphInstantiateWithFlags(CUgraphExec *handle, CUgraph graph,
                            unsigned long long flags)
{
    struct exec *exec;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!handle || flags & ~(unsigned long long)EXEC_FLAGS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = exec_make(graph, &exec);
    pthread_mutex_unlock(&cpu_graph_lock);
    if (code) {
        return code;
    }
    exec->flags = flags;
    exec->handle = cpu_handle_new(CPU_EXEC, exec, 0);
    *handle = exec->handle;
    if (!exec->handle) {
        exec_free(exec);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
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
        code ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
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

/* The lock is held. */
static CUresult
exec_of(CUgraphExec handle, struct exec **exec)
{
    CUresult code = cpu_ready();

    *exec = cpu_handle_object(CPU_EXEC, handle);
    return code || *exec ? code : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags)
{
    struct exec *exec;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = exec_of(handle, &exec);
    if (!code && !flags) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *flags = exec->flags;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* Its launches go on. */
CPU_API CUresult
cuGraphExecDestroy(CUgraphExec handle)
{
    struct exec *exec;

    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = exec_of(handle, &exec);
    if (!code) {
        cpu_handle_delete(handle);
        exec_free(exec);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    cpu_users_end();
    return code;
}

/* ---- launching ---- */

/* The task as an operation that nobody has submitted. */
static CUresult
op_of(struct cpu_context *ctx, const struct cpu_task *task,
      struct cpu_op **made)
{
    enum cpu_op_kind kind = task->run ? CPU_OP_CALL : CPU_OP_MARK;
    struct cpu_function *function = NULL;

    if (task->context_id != ctx->id) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (task->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        function = cpu_function_of(task->function);
        if (!function) {
            return CUDA_ERROR_INVALID_HANDLE; /* its module was unloaded */
        }
        kind = CPU_OP_KERNEL;
    }
    struct cpu_op *op = cpu_op_new(ctx, kind, task->bytes);
    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (task->bytes) {
        memcpy(op->argument, task->payload, task->bytes);
    }
    op->run = task->run;
    if (function) {
        cpu_launch_fill(op, function, task->grid, task->block, task->shared,
                        task->cooperative);
    }
    *made = op;
    return CUDA_SUCCESS;
}

/* ops[0] begins, ops[1 + i] is step i, ops[1 + count] ends. */
static CUresult
ops_make(struct exec *exec, struct cpu_context *ctx, struct cpu_op **ops)
{
    struct cpu_task mark = {.type = CU_GRAPH_NODE_TYPE_EMPTY,
                            .context_id = ctx->id};
    CUresult code = op_of(ctx, &mark, &ops[0]);

    for (size_t i = 0; i < exec->count && !code; i++) {
        code = op_of(ctx, &exec->steps[i].task, &ops[1 + i]);
    }
    return code ? code : op_of(ctx, &mark, &ops[1 + exec->count]);
}

/* `after` has room for a step's dependencies and for all leaves. */
static void
ops_submit(struct exec *exec, struct cpu_stream *stream, struct cpu_op **ops,
           struct cpu_op **after)
{
    size_t leaves = 0;

    cpu_op_submit(stream, ops[0], exec->last);
    for (size_t i = 0; i < exec->count; i++) {
        const struct step *step = &exec->steps[i];

        after[0] = ops[0];
        for (size_t j = 0; j < step->after_count; j++) {
            after[j] = ops[1 + step->after[j]];
        }
        cpu_op_submit_after(NULL, ops[1 + i], after,
                            step->after_count ? step->after_count : 1);
    }
    for (size_t i = 0; i < exec->count; i++) {
        if (exec->steps[i].leaf) {
            after[leaves++] = ops[1 + i];
        }
    }
    cpu_op_submit_after(stream, ops[1 + exec->count], after, leaves);
    cpu_op_release(exec->last);
    exec->last = ops[1 + exec->count];
    ops[1 + exec->count] = NULL; /* its reference moved */
}

static CUresult
exec_launch(struct exec *exec, struct cpu_stream *stream)
{
    size_t count = exec->count + 2;
    struct cpu_op **ops = calloc(2 * count, sizeof(struct cpu_op *));

    if (!ops) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code = ops_make(exec, stream->ctx, ops);
    if (!code) {
        ops_submit(exec, stream, ops, ops + count);
    }
    for (size_t i = 0; i < count; i++) {
        cpu_op_release(ops[i]);
    }
    free(ops);
    return code;
}

CPU_API CUresult
cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    struct exec *exec;
    CUresult code = cpu_stream_current(stream_handle, &ctx, &stream);

    if (!code && cpu_stream_records(stream)) {
        code = cpu_capture_refuse(stream); /* a node holds a graph instead */
    }
    if (!code) {
        code = cpu_workers_start();
    }
    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = exec_of(handle, &exec);
    if (!code) {
        code = exec_launch(exec, stream);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphUpload(CUgraphExec handle, CUstream stream_handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    struct exec *exec;
    CUresult code = cpu_stream_current(stream_handle, &ctx, &stream);

    pthread_mutex_lock(&cpu_graph_lock);
    code = code ? code : exec_of(handle, &exec);
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

/* ---- updating ---- */

static CUgraphExecUpdateResult
steps_compare(const struct exec *old, const struct exec *new, size_t *where)
{
    *where = 0;
    if (old->count != new->count) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    for (size_t i = 0; i < new->count; i++) {
        const struct step *a = &old->steps[i], *b = &new->steps[i];

        *where = i;
        if (a->task.type != b->task.type) {
            return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        }
        if (a->after_count != b->after_count ||
            memcmp(a->after, b->after, a->after_count * sizeof *a->after)) {
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        }
        if (a->task.context_id != b->task.context_id) {
            return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
        }
    }
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/* The lock is held. */
static CUresult
exec_update(struct exec *exec, CUgraph graph,
            CUgraphExecUpdateResultInfo *info)
{
    struct exec *fresh;
    size_t where;
    CUresult code = exec_make(graph, &fresh);

    if (code) {
        return code;
    }
    info->result = steps_compare(exec, fresh, &where);
    if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
        info->errorNode =
            where < fresh->count ? fresh->steps[where].node : NULL;
        code = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    } else {
        struct step *steps = exec->steps;

        exec->steps = fresh->steps;
        fresh->steps = steps;
    }
    exec_free(fresh);
    return code;
}

CPU_API CUresult
cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph,
                     CUgraphExecUpdateResultInfo *info)
{
    struct exec *exec;

    if (!info) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *info =
        (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = exec_of(handle, &exec);
    if (!code) {
        code = exec_update(exec, graph, info);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
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
