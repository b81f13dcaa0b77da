/* exec.h - executable graphs; internal to exec*.c and conditional_run.c.
 *
 * An executable graph is an array of steps, one or more for each node. The
 * graph lock guards all state. Callers hold it, unless stated otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_EXEC_H
#define PYCUDA_CPU_EXEC_H

#include <stdbool.h>
#include <stddef.h>

#include "api/cuda_types.h"
#include "cpu/graph/graph.h"

struct cpu_context;
struct cpu_stream;

/* The bodies of a conditional node, as executable graphs. The value of the
 * condition selects the body that runs. */
struct cpu_branch {
    CUgraphConditionalNodeType type;
    struct cpu_condition *condition; /* counted reference to the condition */
    unsigned count;
    /* owned executable graphs of the bodies; they have no handles */
    struct cpu_exec *bodies[];
};

struct cpu_step {
    struct cpu_node_task task;
    /* node of the source graph from which the step (executable node) was
     * created */
    CUgraphNode node;
    /* indices of the steps (executable nodes) that must end before this one
     * starts; owned array */
    unsigned *after;
    size_t after_count;
    /* for the first step (executable node) of a child graph: index of the
     * child graph's last step */
    unsigned last;
    /* true if no other step (executable node) depends on this one */
    bool leaf;
    bool disabled;
    /* the bodies (graphs) of a conditional node, owned by the step; NULL for
     * other nodes */
    struct cpu_branch *branch;
};

struct cpu_exec {
    CUgraphExec handle;
    struct cpu_step *steps;
    size_t count;
    unsigned long long flags;
    /* list of references to user objects (cuUserObjectCreate) */
    struct cpu_hold *holds;
    bool has_memory; /* true if some nodes allocate or free memory */
    /* end operation of the latest launch; counted reference */
    struct cpu_op *last;
    /* next element in the list of executable graphs to free */
    struct cpu_exec *next;
};

/* ---- exec.c ---- */

/* Creates an executable graph without a handle. The caller owns it, and frees
 * it with cpu_exec_retire. The caller holds the graph lock. Returns
 * OUT_OF_MEMORY, or the error of a node that cannot be executed. */
CUresult cpu_exec_make(struct cpu_graph *graph, struct cpu_exec **made);
/* Frees the executable graph when its pending launches are done. The caller
 * must not launch it any more. */
void cpu_exec_retire(struct cpu_exec *exec);
/* Stores the executable graph of a handle in *exec. Returns INVALID_VALUE for
 * an invalid handle, NOT_INITIALIZED before cuInit. */
CUresult cpu_exec_of(CUgraphExec handle, struct cpu_exec **exec);

/* ---- exec_launch.c ---- */

/* Submits the operations of one launch: `begin` in the stream, then an
 * operation for each step (executable node), then `end` in the stream, which
 * waits for all steps. If `stream` is NULL, `begin` is not used, and `end` is
 * submitted without a stream. On failure nothing is submitted. */
CUresult cpu_exec_submit(struct cpu_exec *exec, struct cpu_context *ctx,
                         struct cpu_stream *stream, struct cpu_op *begin,
                         struct cpu_op *end);

/* ---- conditional_run.c ---- */

/* cpu_branch_make creates the executable bodies of a conditional node. It
 * returns NOT_SUPPORTED if a body has nodes that allocate or free memory.
 * cpu_branch_free frees them. */
CUresult cpu_branch_make(const struct cpu_conditional *conditional,
                         struct cpu_branch **made);
void cpu_branch_free(struct cpu_branch *branch);
/* Creates the operation of a conditional node. When the operation runs, it
 * reads the condition and submits the selected body. The operation is complete
 * when the body is complete. The caller gets a reference to the operation.
 * Returns OUT_OF_MEMORY on failure. */
CUresult cpu_branch_op(struct cpu_branch *branch, struct cpu_context *ctx,
                       int priority, struct cpu_op **made);
/* cpu_exec_has_resets returns true if a launch must set conditions (values
 * that select bodies of conditional nodes) to their initial values;
 * cpu_exec_reset sets all these conditions of the graph, including those of
 * the bodies. */
bool cpu_exec_has_resets(const struct cpu_exec *exec);
void cpu_exec_reset(const struct cpu_exec *exec);

/* ---- exec_params.c; these functions acquire the graph lock ---- */

/* Returns the context in which the executable graph runs the node `node` of
 * its source graph. Returns NULL if the executable graph has no such node. */
CUcontext cpu_step_context(CUgraphExec exec, CUgraphNode node);
/* cpu_exec_set_task replaces the task (work) of the step (executable node)
 * that was created from `node`, and takes ownership of the new task, also on
 * failure. cpu_exec_set_child replaces the child graph of that step. */
CUresult cpu_exec_set_task(CUgraphExec exec, CUgraphNode node,
                           struct cpu_node_task *task);
CUresult cpu_exec_set_child(CUgraphExec exec, CUgraphNode node, CUgraph graph);

#endif
