/* exec.h - executable graphs; internal to the exec files.
 *
 * The graph lock guards all state. Callers hold it, except where a function
 * takes it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_EXEC_H
#define PYCUDA_CPU_EXEC_H

#include "cpu/graph/graph.h"

/* The graphs that a conditional node selects from. */
struct cpu_branch {
    CUgraphConditionalNodeType type;
    struct cpu_condition *condition; /* holds a reference */
    unsigned count;
    struct cpu_exec *bodies[]; /* owned; have no handles */
};

struct cpu_step {
    struct cpu_task task;
    CUgraphNode node; /* the step's node in the source graph */
    unsigned *after;  /* indices of the dependencies; owned */
    size_t after_count;
    unsigned last; /* child graph's first step: index of the last one; or 0 */
    bool leaf;     /* no other step depends on it */
    bool disabled;
    struct cpu_branch *branch; /* for a conditional node; owned */
};

struct cpu_exec {
    CUgraphExec handle;
    struct cpu_step *steps;
    size_t count;
    unsigned long long flags;
    struct cpu_hold *holds;
    bool has_memory;       /* some steps allocate or free memory */
    struct cpu_op *last;   /* end of the latest launch; holds a reference */
    struct cpu_exec *next; /* link of the list of graphs to free */
};

/* ---- exec.c ---- */

/* Creates an executable graph without a handle. */
CUresult cpu_exec_make(struct cpu_graph *graph, struct cpu_exec **made);
/* Frees the executable graph when its launches are done. It must not be
 * launched again. */
void cpu_exec_retire(struct cpu_exec *exec);
/* Returns INVALID_VALUE for an invalid handle, NOT_INITIALIZED before
 * cuInit. */
CUresult cpu_exec_of(CUgraphExec handle, struct cpu_exec **exec);

/* ---- exec_launch.c ---- */

/* Submits the steps between `begin` and `end`, and `end` as well, in `stream`,
 * or in no stream if NULL. On failure nothing was submitted. */
CUresult cpu_exec_submit(struct cpu_exec *exec, struct cpu_context *ctx,
                         struct cpu_stream *stream, struct cpu_op *begin,
                         struct cpu_op *end);

/* ---- branch.c ---- */

/* Create and free the bodies of a conditional node's step. Return
 * NOT_SUPPORTED for bodies with memory nodes. */
CUresult cpu_branch_make(const struct cpu_conditional *conditional,
                         struct cpu_branch **made);
void cpu_branch_free(struct cpu_branch *branch);
/* Creates the operation that evaluates the condition and runs a body. */
CUresult cpu_branch_op(struct cpu_branch *branch, struct cpu_context *ctx,
                       int priority, struct cpu_op **made);
/* Return whether a launch resets conditions, and reset the conditions of all
 * steps and bodies to their initial values. */
bool cpu_exec_has_resets(const struct cpu_exec *exec);
void cpu_exec_reset(const struct cpu_exec *exec);

/* ---- exec_params.c; these take the lock ---- */

/* Returns the context of the node's step, or NULL. */
CUcontext cpu_step_context(CUgraphExec exec, CUgraphNode node);
/* Replace the task of the node's step, or its child graph. The first one takes
 * ownership of the task even on failure. */
CUresult cpu_exec_set_task(CUgraphExec exec, CUgraphNode node,
                           struct cpu_task *task);
CUresult cpu_exec_set_child(CUgraphExec exec, CUgraphNode node, CUgraph graph);

#endif
