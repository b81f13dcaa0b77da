/* graph.h - what the files about graphs and captures share.
 *
 * A task is what one operation will do, apart from when; a node is a task in
 * a graph, with the nodes it depends on.  Launches, copies, fills and host
 * functions become tasks in three ways: by a stream that captures, by a node
 * that is added (its parameters go through the very function that a stream
 * would use, with cpu_task_sink set), and by parameters that are replaced.
 *
 * One lock, cpu_graph_lock, guards graphs, executable graphs and captures; it
 * comes before the scheduler lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_GRAPH_H
#define PYCUDA_CPU_GRAPH_H

#include "cpu/cpu.h"

struct cpu_task {
    CUgraphNodeType type;
    cpu_run *run; /* NULL: a kernel, or nothing to do */
    uint64_t context_id;
    void *payload; /* owned; the run's argument, or the parameters */
    size_t bytes;
    CUfunction function; /* of a kernel; looked up again at each launch */
    unsigned grid[3], block[3], shared;
    bool cooperative;
};

struct cpu_node {
    CUgraphNode handle;
    struct cpu_graph *graph;
    struct cpu_node *next, *previous;
    struct cpu_node **after; /* dependencies; owned */
    size_t after_count;
    struct cpu_task task;
    void **params;   /* owned; for cuGraphKernelNodeGetParams */
    void *described; /* owned; the CUDA parameters of an added node */
    size_t described_bytes;
    struct cpu_graph *child; /* owned; of a node that is a graph */
    struct cpu_node *twin;   /* scratch: its copy */
    CUgraphNode original;    /* of a copy */
    unsigned index;          /* scratch: place in a topological order */
    bool let_go;             /* a capturing stream was told to forget it */
};

struct cpu_graph {
    CUgraph handle;
    struct cpu_node *first, *last;
    size_t count;
    bool capturing;         /* a capture adds to it; it cannot be destroyed */
    bool owned;             /* by a node of another graph */
    struct cpu_hold *holds; /* references to user objects */
};

/* ---- user_object.c ---- */

CUresult cpu_holds_copy(struct cpu_hold **to, const struct cpu_hold *from);
void cpu_holds_free(struct cpu_hold **holds);
/* Ends the objects that nobody refers to any more; no lock is held. */
void cpu_users_end(void);

struct cpu_capture {
    struct cpu_capture *next; /* in the list of all */
    struct cpu_graph *graph;
    struct cpu_context *ctx;
    struct cpu_stream *origin;
    uint64_t id;
    CUstreamCaptureMode mode;
    CUstreamCaptureStatus status;
    pthread_t thread;
};

extern pthread_mutex_t cpu_graph_lock;

/* ---- graph.c; the lock is held ---- */

struct cpu_graph *cpu_graph_new(void);
void cpu_graph_free(struct cpu_graph *graph);
CUresult cpu_graph_copy(struct cpu_graph *to, struct cpu_graph *from);
struct cpu_node *cpu_node_of(CUgraphNode handle);
/* Takes the task over where it succeeds. */
CUresult cpu_node_add(struct cpu_graph *graph, struct cpu_node *const *after,
                      size_t count, struct cpu_task *task,
                      struct cpu_node **made);
bool cpu_node_depends(struct cpu_node *node, struct cpu_node *on);
/* The nodes in an order in which each follows what it depends on; `order` has
 * room for all, `index` is set.  False: they depend on each other. */
bool cpu_graph_order(struct cpu_graph *graph, struct cpu_node **order);
CUresult cpu_task_copy(struct cpu_task *to, const struct cpu_task *from);
void cpu_task_free(struct cpu_task *task);

#endif
