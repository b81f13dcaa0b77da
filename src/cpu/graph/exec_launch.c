/* exec_launch.c - launches of executable graphs.
 *
 * Called by users of the library, and by conditional_run.c for the bodies of
 * conditional nodes. A launch submits a begin operation in the stream, then an
 * operation for each step, and then an end operation in the stream. The
 * operation of a step waits for those of the steps that it depends on, or for
 * the begin operation. Launches of one executable graph run one after another.
 * The graph lock is held while a launch is submitted.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/exec.h"
#include "cpu/graph/graph.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "cpu/run/launch.h"
#include "cpu/stream/event.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/worker.h"
#include "cpu/stream/workers.h"

/* Stores in *found the context in which a task (the work of a graph node)
 * runs: the task's own context or, if it has none, `ctx`, the context of the
 * launch. Returns an error if the context was destroyed. */
static CUresult
task_context(const struct cpu_node_task *task, struct cpu_context *ctx,
             struct cpu_context **found)
{
    *found = ctx;
    if (!task->context || task->context_id == ctx->id) {
        return CUDA_SUCCESS;
    }
    *found = cpu_handle_object(CPU_CONTEXT, task->context);
    return *found && (*found)->id == task->context_id
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_CONTEXT;
}

/* Creates the stream operation that performs the task, but does not submit it.
 * If the graph node is `disabled`, the operation does no work. */
static CUresult
task_op(struct cpu_context *launch_ctx, const struct cpu_node_task *task,
        bool disabled, struct cpu_op **made)
{
    enum cpu_op_kind kind = task->run && !disabled ? CPU_OP_CALL : CPU_OP_MARK;
    struct cpu_function *function = NULL;
    struct cpu_context *ctx;
    CUresult code = task_context(task, launch_ctx, &ctx);

    if (code) {
        return code;
    }
    if (task->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) {
        return cpu_batch_op(task, ctx, made);
    }
    if (task->type == CU_GRAPH_NODE_TYPE_KERNEL && !disabled) {
        function = cpu_function_of(task->function);
        if (!function) {
            /* the module of the kernel was unloaded, so its handle is
             * invalid */
            return CUDA_ERROR_INVALID_HANDLE;
        }
        kind = CPU_OP_KERNEL;
    }
    struct cpu_op *op = cpu_op_new(ctx, kind, task->bytes);
    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (kind != CPU_OP_MARK && task->bytes) {
        memcpy(op->argument, task->payload, task->bytes);
    }
    op->run = task->run;
    if (task->finishes_later && kind == CPU_OP_CALL) {
        op->finishes_later = true;
        op->runs_after_failure = true;
        *(struct cpu_op **)op->argument = op;
    }
    if (function) {
        cpu_launch_fill(op, function, task->grid, task->block, task->shared,
                        task->cooperative);
    }
    *made = op;
    return CUDA_SUCCESS;
}

/* Creates the operation of a step (executable node). The operation gets
 * `priority`, the priority of the launch. If the graph was instantiated with
 * USE_NODE_PRIORITY, the node's own priority has precedence. */
static CUresult
step_op(const struct cpu_exec *exec, const struct cpu_step *step,
        struct cpu_context *ctx, int priority, struct cpu_op **made)
{
    if (exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY &&
        step->task.has_priority) {
        priority = step->task.priority;
    }
    CUresult code = step->branch
                        ? cpu_branch_op(step->branch, ctx, priority, made)
                        : task_op(ctx, &step->task, step->disabled, made);
    if (!code) {
        (*made)->priority = priority;
    }
    return code;
}

/* If the step (executable node) waits for an event, returns a reference to the
 * operation whose end completes the event. Otherwise returns NULL. */
static struct cpu_op *
step_waits_for(const struct cpu_step *step)
{
    return step->task.type == CU_GRAPH_NODE_TYPE_WAIT_EVENT
               ? cpu_event_record_op(cpu_node_task_event(&step->task))
               : NULL;
}

/* Submits `op`, the operation of the step (executable node). `ops` has the
 * operations of all steps. `op` waits for the operations of the steps that its
 * step depends on or, if there are none, for `begin`. If the step waits for an
 * event, `op` also waits for the operation that records the event. `after` is
 * a scratch array for all of these operations. */
static void
step_submit(const struct cpu_step *step, struct cpu_op **ops,
            struct cpu_op *op, struct cpu_op *begin, struct cpu_op **after)
{
    struct cpu_op *event = step_waits_for(step);
    size_t count = 0;

    for (; count < step->after_count; count++) {
        after[count] = ops[step->after[count]];
    }
    if (!count && begin) {
        after[count++] = begin;
    }
    if (event) {
        after[count++] = event;
    }
    if (step->task.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
        cpu_event_set_record_op(cpu_node_task_event(&step->task), op);
    }
    cpu_op_submit_after(NULL, op, after, count);
    cpu_op_release(event);
}

/* Records which memory is allocated and freed by a launch. Returns an error if
 * memory is still allocated by an earlier launch, unless the graph was
 * instantiated with AUTO_FREE_ON_LAUNCH. */
static CUresult
memory_launch(const struct cpu_exec *exec)
{
    const struct cpu_node_task **tasks =
        malloc((exec->count + 1) * sizeof(struct cpu_node_task *));
    bool auto_free =
        exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    size_t count = 0;

    if (!tasks) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < exec->count; i++) {
        const struct cpu_node_task *task = &exec->steps[i].task;

        if (task->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
            task->type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
            tasks[count++] = task;
        }
    }
    CUresult code = cpu_graph_memory_launch(tasks, count, auto_free);
    free(tasks);
    return code;
}

CUresult
cpu_exec_submit(struct cpu_exec *exec, struct cpu_context *ctx,
                struct cpu_stream *stream, struct cpu_op *begin,
                struct cpu_op *end)
{
    size_t count = exec->count, leaves = 0;
    struct cpu_op **ops = calloc(2 * count + 3, sizeof(struct cpu_op *));
    struct cpu_op **after = ops + count;
    CUresult code = ops ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    for (size_t i = 0; i < count && !code; i++) {
        code = step_op(exec, &exec->steps[i], ctx, end->priority, &ops[i]);
    }
    /* A launch that fails must not leave memory allocated. So memory_launch is
     * the last call that can fail. */
    if (!code && stream && exec->has_memory) {
        code = memory_launch(exec);
    }
    if (!code && stream) {
        cpu_op_submit(stream, begin, exec->last);
    }
    for (size_t i = 0; i < count && !code; i++) {
        step_submit(&exec->steps[i], ops, ops[i], begin, after);
    }
    for (size_t i = 0; i < count && !code; i++) {
        if (exec->steps[i].leaf) {
            after[leaves++] = ops[i];
        }
    }
    if (!code) {
        cpu_op_submit_after(stream, end, after, leaves);
    }
    for (size_t i = 0; ops && i < count; i++) {
        cpu_op_release(ops[i]);
    }
    free(ops);
    return code;
}

/* ---- launches in streams ---- */

static CUresult
reset_run(void *argument)
{
    pthread_mutex_lock(&cpu_graph_lock);
    cpu_exec_reset(*(struct cpu_exec **)argument);
    pthread_mutex_unlock(&cpu_graph_lock);
    return CUDA_SUCCESS;
}

/* Creates the begin operation of a launch. It sets conditions to their initial
 * values, if the graph has conditions that each launch resets. */
static struct cpu_op *
begin_op(struct cpu_exec *exec, struct cpu_context *ctx)
{
    bool resets = cpu_exec_has_resets(exec);
    struct cpu_op *op =
        cpu_op_new(ctx, resets ? CPU_OP_CALL : CPU_OP_MARK, sizeof exec);

    if (op && resets) {
        op->run = reset_run;
        memcpy(op->argument, &exec, sizeof exec);
    }
    return op;
}

/* Submits a launch. Stores its end operation in exec->last, since the next
 * launch of the graph waits for it. The caller holds the graph lock. */
static CUresult
exec_launch(struct cpu_exec *exec, struct cpu_stream *stream)
{
    struct cpu_op *begin = begin_op(exec, stream->ctx);
    struct cpu_op *end = cpu_op_new(stream->ctx, CPU_OP_MARK, 0);
    CUresult code = begin && end ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

    if (!code) {
        end->priority = stream->priority;
        code = cpu_exec_submit(exec, stream->ctx, stream, begin, end);
    }
    cpu_op_release(begin);
    if (code) {
        cpu_op_release(end);
        return code;
    }
    cpu_op_release(exec->last);
    exec->last = end;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    struct cpu_exec *exec;
    CUresult code = cpu_stream_current(stream_handle, &ctx, &stream);

    if (!code && cpu_stream_records(stream)) {
        /* an executable graph cannot be launched during a capture */
        code = cpu_capture_refuse(stream);
    }
    if (!code) {
        code = cpu_workers_start();
    }
    if (code) {
        return code;
    }
    char site[CPU_CHECK_CALL_SITE_SIZE];
    bool checked = cpu_check_flags & CPU_CHECK_STREAMS;
    if (checked) {
        cpu_check_graph_launch_begin(site);
    }
    pthread_mutex_lock(&cpu_graph_lock);
    code = cpu_exec_of(handle, &exec);
    if (!code) {
        code = exec_launch(exec, stream);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    if (checked) {
        cpu_check_graph_launch_end();
    }
    return code;
}

CPU_API CUresult
cuGraphUpload(CUgraphExec handle, CUstream stream_handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    struct cpu_exec *exec;
    CUresult code = cpu_stream_current(stream_handle, &ctx, &stream);

    pthread_mutex_lock(&cpu_graph_lock);
    code = code ? code : cpu_exec_of(handle, &exec);
    for (size_t i = 0; !code && i < exec->count; i++) {
        const struct cpu_node_task *task = &exec->steps[i].task;

        if (task->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
            cpu_graph_memory_reserve(cpu_node_task_memory(task));
        }
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}
