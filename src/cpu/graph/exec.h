/* exec.h - executable graphs: what the files that make, launch and change them
 * share.
 *
 * Everything is under the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_EXEC_H
#define PYCUDA_CPU_EXEC_H

#include "cpu/graph/graph.h"

/* What a conditional node does: the graphs that its condition chooses from. */
struct cpu_branch {
    CUgraphConditionalNodeType type;
    struct cpu_condition *condition; /* referenced */
    unsigned count;
    struct cpu_exec *bodies[]; /* owned; they have no handles */
};

struct cpu_step {
    struct cpu_task task;
    CUgraphNode node; /* that it came from */
    unsigned *after;  /* steps before this one; owned */
    size_t after_count;
    unsigned last; /* of a graph's first step: the step that ends it; else 0 */
    bool leaf;     /* nothing follows */
    bool disabled;
    struct cpu_branch *branch; /* of a conditional node; owned */
};

struct cpu_exec {
    CUgraphExec handle;
    struct cpu_step *steps;
    size_t count;
    unsigned long long flags;
    struct cpu_hold *holds;
    bool has_memory;       /* steps that allocate or free */
    struct cpu_op *last;   /* the end of the latest launch; owned */
    struct cpu_exec *next; /* in the list of those to be freed */
};

/* ---- exec.c ---- */

/* An executable graph without a handle. */
CUresult cpu_exec_make(struct cpu_graph *graph, struct cpu_exec **made);
/* Frees it once its launches are over; no launch follows. */
void cpu_exec_retire(struct cpu_exec *exec);
/* INVALID_VALUE: the handle is none; before cuInit NOT_INITIALIZED. */
CUresult cpu_exec_of(CUgraphExec handle, struct cpu_exec **exec);

/* ---- exec_launch.c ---- */

/* Submits the steps: after `begin` and before `end`, which this submits too,
 * in `stream` or without one (NULL).  Nothing was submitted if it fails. */
CUresult cpu_exec_submit(struct cpu_exec *exec, struct cpu_context *ctx,
                         struct cpu_stream *stream, struct cpu_op *begin,
                         struct cpu_op *end);

/* ---- branch.c ---- */

CUresult cpu_branch_make(const struct cpu_conditional *conditional,
                         struct cpu_branch **made);
void cpu_branch_free(struct cpu_branch *branch);
/* The operation that runs a branch when its turn comes. */
CUresult cpu_branch_op(struct cpu_branch *branch, struct cpu_context *ctx,
                       int priority, struct cpu_op **made);
/* Sets the conditions of the steps, and of those within them, to what each
 * launch begins with. */
bool cpu_exec_has_resets(const struct cpu_exec *exec);
void cpu_exec_reset(const struct cpu_exec *exec);

/* ---- exec_params.c; these take the lock ---- */

/* The context of the node's step, or NULL. */
CUcontext cpu_step_context(CUgraphExec exec, CUgraphNode node);
/* Replaces what the node's step does; takes the task over in any case. */
CUresult cpu_exec_set_task(CUgraphExec exec, CUgraphNode node,
                           struct cpu_task *task);
CUresult cpu_exec_set_child(CUgraphExec exec, CUgraphNode node, CUgraph graph);

#endif
