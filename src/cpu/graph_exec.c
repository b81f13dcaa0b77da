/* graph_exec.c - executable graphs: a frozen copy of a graph, launched whole.
 *
 * Called by users of the library.  A launch submits every task as an
 * operation that waits for those of its dependencies, between two marks in the
 * stream; launches of one executable graph follow each other.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/graph.h"

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

static CUresult
step_fill(struct step *step, struct cpu_node *node, struct step *steps)
{
    CUresult code = cpu_task_copy(&step->task, &node->task);

    step->after = malloc((node->after_count + 1) * sizeof *step->after);
    if (code || !step->after) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    step->node = node->handle;
    step->leaf = true;
    step->after_count = node->after_count;
    for (size_t i = 0; i < node->after_count; i++) {
        step->after[i] = node->after[i]->index;
        steps[step->after[i]].leaf = false;
    }
    return CUDA_SUCCESS;
}

/* An executable graph without a handle; the lock is held. */
static CUresult
exec_make(CUgraph handle, struct exec **made)
{
    struct cpu_graph *graph = cpu_handle_object(CPU_GRAPH, handle);

    if (!graph) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct exec *exec = calloc(1, sizeof *exec);
    struct cpu_node **order =
        malloc((graph->count + 1) * sizeof(struct cpu_node *));
    CUresult code = exec && order ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    if (!code && !cpu_graph_order(graph, order)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        exec->count = graph->count;
        exec->steps = calloc(graph->count + 1, sizeof *exec->steps);
        code = exec->steps ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; !code && i < exec->count; i++) {
        code = step_fill(&exec->steps[i], order[i], exec->steps);
    }
    if (!code) {
        code = cpu_holds_copy(&exec->holds, graph->holds);
    }
    free(order);
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

/* The steps as nodes of the stream's capture, after its tips: what a node
 * that holds a graph would do.  `nodes` has room for all steps, `after` for
 * the dependencies of one. */
static CUresult
steps_capture(const struct exec *exec, struct cpu_stream *stream,
              struct cpu_node **nodes, struct cpu_node **after)
{
    struct cpu_graph *graph = cpu_capture_graph(stream);
    CUresult code = CUDA_SUCCESS;

    for (size_t i = 0; i < exec->count && !code; i++) {
        const struct step *step = &exec->steps[i];
        size_t count = step->after_count;
        struct cpu_task task;

        for (size_t j = 0; j < count; j++) {
            after[j] = nodes[step->after[j]];
        }
        if (!count) {
            count = stream->tip_count;
            code = cpu_capture_tips(stream, after);
        }
        if (!code && !(code = cpu_task_copy(&task, &step->task))) {
            code = cpu_node_add(graph, after, count, &task, &nodes[i]);
            if (code) {
                cpu_task_free(&task);
            }
        }
    }
    return code;
}

static CUresult
exec_capture(const struct exec *exec, struct cpu_stream *stream)
{
    size_t room = exec->count + stream->tip_count + 1, leaves = 0;
    struct cpu_node **nodes = calloc(2 * room, sizeof(struct cpu_node *));
    CUgraphNode *tips = malloc(room * sizeof *tips);
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    if (!cpu_capture_graph(stream)) {
        code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    } else if (nodes && tips) {
        code = steps_capture(exec, stream, nodes, nodes + room);
    }
    for (size_t i = 0; i < exec->count && !code; i++) {
        if (exec->steps[i].leaf) {
            tips[leaves++] = nodes[i]->handle;
        }
    }
    if (!code && leaves) {
        code = cpu_capture_set_tips(stream, tips, leaves);
    }
    free(nodes);
    free(tips);
    return code;
}

CPU_API CUresult
cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    struct exec *exec;
    CUresult code = cpu_context_current(&ctx);

    if (!code) {
        code = cpu_stream_of(stream_handle, ctx, &stream);
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
        code = cpu_stream_records(stream) ? exec_capture(exec, stream)
                                          : exec_launch(exec, stream);
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
    CUresult code = cpu_context_current(&ctx);

    if (!code) {
        code = cpu_stream_of(stream_handle, ctx, &stream);
    }
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
