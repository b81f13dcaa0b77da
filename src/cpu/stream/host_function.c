/* host_function.c - submits host functions to a stream, or records them in its
 * capture.
 *
 * Called by all files that copy, fill or call functions of the program in
 * stream order. Takes the scheduler lock, and the graph lock for a captured
 * stream.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/host_operation.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/host_function.h"
#include "cpu/stream/run_function.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/wait.h"
#include "cpu/stream/workers.h"

CUresult
cpu_run_sync(struct cpu_stream *stream, cpu_run *run, void *argument,
             bool host_waits)
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
    CUresult code = cpu_op_run(op);
    cpu_op_finish(op);
    if (host_waits && cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_host_after(op);
    }
    cpu_op_release(op);
    return code;
}

/* Adds a host function as a node to the graph that the stream's capture
 * builds. Copies the function's argument. */
static CUresult
run_capture(struct cpu_stream *stream, CUgraphNodeType type, cpu_run *run,
            const void *argument, size_t bytes)
{
    struct cpu_node_task task = {.type = type,
                                 .run = run,
                                 .context = stream->ctx->handle,
                                 .context_id = stream->ctx->id,
                                 .bytes = bytes};

    task.payload = malloc(bytes);
    if (!task.payload) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(task.payload, argument, bytes);
    return cpu_node_task_record(stream, &task);
}

CUresult
cpu_run_async(struct cpu_stream *stream, CUgraphNodeType type, cpu_run *run,
              const void *argument, size_t bytes, bool small)
{
    if (cpu_stream_records(stream)) {
        return run_capture(stream, type, run, argument, bytes);
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
    op->kind_if_deferred = CPU_OP_CALL;
    op->run = run;
    memcpy(op->argument, argument, bytes);
    bool ready_now = cpu_op_submit(stream, op, NULL);
    if (small && ready_now) {
        code = cpu_op_run(op);
        cpu_op_finish(op);
    } else if (small) {
        code = cpu_workers_start();
    }
    cpu_op_release(op);
    return code;
}
