/* conditional_run.c - execution of conditional nodes in executable graphs.
 *
 * Called by exec.c and exec_launch.c. A worker thread runs the operation of
 * such a node: it reads the condition, submits the body that the condition
 * selects, and returns. The last operation of the body completes the node's
 * operation or, in a WHILE node, reads the condition again. So no thread waits
 * for a body. Bodies are submitted under the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/graph/exec.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/operation.h"

struct branch_call {
    /* the conditional node's bodies; owned by the executable graph */
    struct cpu_branch *branch;
    /* the stream operation of the conditional node */
    struct cpu_op *op;
    struct cpu_context *ctx;
    int priority;
};

void
cpu_branch_free(struct cpu_branch *branch)
{
    for (unsigned i = 0; i < branch->count; i++) {
        if (branch->bodies[i]) {
            cpu_exec_retire(branch->bodies[i]);
        }
    }
    cpu_condition_release(branch->condition);
    free(branch);
}

CUresult
cpu_branch_make(const struct cpu_conditional *conditional,
                struct cpu_branch **made)
{
    unsigned count = conditional->count;
    struct cpu_branch *branch =
        calloc(1, sizeof *branch + count * sizeof(struct cpu_exec *));
    CUresult code = CUDA_SUCCESS;

    if (!branch) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    branch->type = conditional->type;
    branch->condition = conditional->condition;
    branch->condition->references++;
    branch->count = count;
    for (unsigned i = 0; i < count && !code; i++) {
        struct cpu_graph *body = conditional->bodies[i];

        code = cpu_graph_has_memory(body)
                   /* as in CUDA, a body cannot allocate memory */
                   ? CUDA_ERROR_NOT_SUPPORTED
                   : cpu_exec_make(body, &branch->bodies[i]);
    }
    if (code) {
        cpu_branch_free(branch);
        return code;
    }
    *made = branch;
    return CUDA_SUCCESS;
}

/* ---- execution ---- */

/* Returns the body (graph) that the value of the condition selects, or NULL if
 * the value selects no body. */
static struct cpu_exec *
branch_choose(const struct cpu_branch *branch)
{
    uint32_t value = *(volatile uint32_t *)branch->condition->value;
    unsigned body = branch->type == CU_GRAPH_COND_TYPE_SWITCH ? value : !value;

    return body < branch->count ? branch->bodies[body] : NULL;
}

static CUresult branch_run(void *argument);

static CUresult
branch_end(void *argument)
{
    const struct branch_call *call = argument;

    cpu_op_finish(call->op);
    return CUDA_SUCCESS;
}

/* Submits the body (a graph) of a conditional node, followed by an operation
 * that completes the node or, in a WHILE node, reads the condition again. The
 * caller holds the graph lock. */
static CUresult
body_submit(const struct branch_call *call, struct cpu_exec *body)
{
    bool loop = call->branch->type == CU_GRAPH_COND_TYPE_WHILE;
    struct cpu_op *end = cpu_op_new(call->ctx, CPU_OP_CALL, sizeof *call);

    if (!end) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(end->argument, call, sizeof *call);
    end->run = loop ? branch_run : branch_end;
    end->runs_after_failure = true;
    end->priority = call->priority;
    CUresult code = cpu_exec_submit(body, call->ctx, NULL, NULL, end);
    cpu_op_release(end);
    return code;
}

/* Runs as the stream operation of a conditional node: submits the body (graph)
 * that the condition selects. If the condition selects no body, or if the
 * context has failed, completes the node instead. */
static CUresult
branch_run(void *argument)
{
    const struct branch_call call = *(const struct branch_call *)argument;
    CUresult code = CUDA_SUCCESS;
    struct cpu_exec *body = NULL;

    pthread_mutex_lock(&cpu_graph_lock);
    if (!cpu_context_status(call.ctx)) {
        body = branch_choose(call.branch);
    }
    if (body) {
        code = body_submit(&call, body);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    if (code) {
        cpu_context_fail(call.ctx, code);
    }
    if (!body || code) {
        cpu_op_finish(call.op);
    }
    return CUDA_SUCCESS;
}

CUresult
cpu_branch_op(struct cpu_branch *branch, struct cpu_context *ctx, int priority,
              struct cpu_op **made)
{
    struct branch_call call = {
        .branch = branch, .ctx = ctx, .priority = priority};

    call.op = cpu_op_new(ctx, CPU_OP_CALL, sizeof call);
    if (!call.op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(call.op->argument, &call, sizeof call);
    call.op->run = branch_run;
    call.op->runs_after_failure = true;
    call.op->finishes_later = true;
    *made = call.op;
    return CUDA_SUCCESS;
}

/* ---- initial values of conditions ---- */

bool
cpu_exec_has_resets(const struct cpu_exec *exec)
{
    bool resets = false;

    for (size_t i = 0; i < exec->count && !resets; i++) {
        const struct cpu_branch *branch = exec->steps[i].branch;

        resets = branch && branch->condition->reset;
        for (unsigned j = 0; branch && j < branch->count && !resets; j++) {
            resets = cpu_exec_has_resets(branch->bodies[j]);
        }
    }
    return resets;
}

void
cpu_exec_reset(const struct cpu_exec *exec)
{
    for (size_t i = 0; i < exec->count; i++) {
        const struct cpu_branch *branch = exec->steps[i].branch;

        if (branch && branch->condition->reset) {
            *(volatile uint32_t *)branch->condition->value =
                branch->condition->initial;
        }
        for (unsigned j = 0; branch && j < branch->count; j++) {
            cpu_exec_reset(branch->bodies[j]);
        }
    }
}
