/* call.c - pieces of work that are functions: copies, fills, host functions.
 *
 * Called by every file that submits such work, and by workers.c, which runs
 * it.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/graph/graph.h"

static CUresult
op_run(struct cpu_op *op)
{
    CUresult code = cpu_context_status(op->ctx);

    return code && !op->always ? code : op->run(op->argument);
}

CUresult
cpu_run_sync(struct cpu_stream *stream, cpu_run *run, void *argument)
{
    struct cpu_op *op = cpu_op_new(stream->ctx, CPU_OP_CALLER, 0);

    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    op->run = run;
    op->argument = argument;
    if (!cpu_op_submit(stream, op, NULL)) {
        cpu_op_wait_ready(op);
    }
    CUresult code = op_run(op);
    cpu_op_finish(op);
    cpu_op_release(op);
    return code;
}

/* The same as a task. */
static CUresult
run_note(struct cpu_stream *stream, CUgraphNodeType type, cpu_run *run,
         const void *argument, size_t bytes)
{
    struct cpu_task task = {.type = type,
                            .run = run,
                            .context = stream->ctx->handle,
                            .context_id = stream->ctx->id,
                            .bytes = bytes};

    task.payload = malloc(bytes);
    if (!task.payload) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(task.payload, argument, bytes);
    return cpu_task_note(stream, &task);
}

CUresult
cpu_run_async(struct cpu_stream *stream, CUgraphNodeType type, cpu_run *run,
              const void *argument, size_t bytes, bool small)
{
    if (cpu_stream_records(stream)) {
        return run_note(stream, type, run, argument, bytes);
    }
    CUresult code = small ? CUDA_SUCCESS : cpu_workers_start();
    struct cpu_op *op;

    if (code) {
        return code;
    }
    op = cpu_op_new(stream->ctx, small ? CPU_OP_CALLER : CPU_OP_CALL, bytes);
    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    op->otherwise = CPU_OP_CALL;
    op->run = run;
    memcpy(op->argument, argument, bytes);
    bool at_once = cpu_op_submit(stream, op, NULL);
    if (small && at_once) {
        code = op_run(op);
        cpu_op_finish(op);
    } else if (small) {
        code = cpu_workers_start();
    }
    cpu_op_release(op);
    return code;
}

/* What a worker does with a call; an error poisons the context. */
void
cpu_op_call(struct cpu_op *op)
{
    bool ends_later = op->ends_later; /* and then it may be gone soon */
    CUresult code = op_run(op);

    if (code) {
        cpu_context_fail(op->ctx, code);
    }
    if (!ends_later) {
        cpu_op_finish(op);
    }
}
