/* graph.h - what the files about graphs and captures share.
 *
 * A task is what one operation will do, apart from when; a node is a task in
 * a graph, with the nodes it depends on.  Launches, copies, fills and host
 * functions become tasks in three ways: by a stream that captures, by a node
 * that is added (its parameters go through the very function that a stream
 * would use, with cpu_task_sink set), and by parameters that are replaced.
 *
 * One lock, cpu_graph_lock, guards graphs, executable graphs, conditions and
 * captures; it comes before the scheduler lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_GRAPH_H
#define PYCUDA_CPU_GRAPH_H

#include "cpu/cpu.h"

/* References that a task's payload holds on objects: events, graph memory. */
struct cpu_task_hold {
    void (*retain)(void *payload);
    void (*release)(void *payload);
};

struct cpu_task {
    CUgraphNodeType type;
    cpu_run *run;      /* NULL: a kernel, or nothing to do */
    CUcontext context; /* NULL: of the stream that it is launched in */
    uint64_t context_id;
    void *payload; /* owned; the run's argument, or the parameters */
    size_t bytes;
    const struct cpu_task_hold *hold; /* NULL: the payload is plain bytes */
    CUfunction function; /* of a kernel; looked up again at each launch */
    unsigned grid[3], block[3], shared;
    bool cooperative;
    bool has_priority; /* the launch had a priority of its own */
    int priority;
};

struct cpu_node {
    CUgraphNode handle;
    struct cpu_graph *graph;
    struct cpu_node *next, *previous;
    struct cpu_node **after;    /* dependencies; owned */
    CUgraphEdgeData *edge_data; /* of each dependency; owned */
    size_t after_count;
    struct cpu_task task;
    void **params;   /* owned; for cuGraphKernelNodeGetParams */
    void *described; /* owned; the CUDA parameters of an added node */
    size_t described_bytes;
    struct cpu_graph *child;             /* owned; of a node that is a graph */
    struct cpu_conditional *conditional; /* owned; of a conditional node */
    struct cpu_node_attributes *attributes; /* owned; of a kernel node */
    struct cpu_node *twin;                  /* scratch: its copy */
    CUgraphNode original;                   /* of a copy */
    unsigned index; /* scratch: place in a topological order */
    bool let_go;    /* a capturing stream was told to forget it */
    bool earlier;   /* it was in the graph before the capture began */
};

struct cpu_graph {
    CUgraph handle;
    struct cpu_node *first, *last;
    size_t count;
    bool capturing;         /* a capture adds to it; it cannot be destroyed */
    bool owned;             /* by a node of another graph */
    struct cpu_hold *holds; /* references to user objects */
    struct cpu_condition *conditions; /* made for it; owned */
};

extern pthread_mutex_t cpu_graph_lock;

/* ---- user_object.c ---- */

CUresult cpu_holds_copy(struct cpu_hold **to, const struct cpu_hold *from);
void cpu_holds_free(struct cpu_hold **holds);
/* Ends the objects that nobody refers to any more; no lock is held. */
void cpu_users_end(void);

/* ---- task.c ---- */

/* A copy with references of its own; OUT_OF_MEMORY leaves nothing to free. */
CUresult cpu_task_copy(struct cpu_task *to, const struct cpu_task *from);
void cpu_task_free(struct cpu_task *task);
/* Whether an executable graph may do `new` instead of `old`: the type of the
 * node stays, and its context too, except that host functions have none. */
bool cpu_task_may_replace(const struct cpu_task *old,
                          const struct cpu_task *new);
/* Makes a task of CUDA's parameters for this type of node; for a graph or an
 * empty node there are none.  The context is `ctx`, or NULL: the function's
 * for a kernel, else the current one.  Takes no lock of the graph's. */
CUresult cpu_task_make(CUgraphNodeType type, const void *params, CUcontext ctx,
                       struct cpu_task *task);
/* Bytes of CUDA's parameters for this type of node, as cpu_task_make reads
 * them; 0: their description is made from the task. */
size_t cpu_task_params_bytes(CUgraphNodeType type);

/* ---- graph.c; the lock is held ---- */

struct cpu_graph *cpu_graph_new(void);
void cpu_graph_free(struct cpu_graph *graph);
/* NOT_SUPPORTED for a graph with memory nodes, which cannot be copied. */
CUresult cpu_graph_copy(struct cpu_graph *to, struct cpu_graph *from);
/* INVALID_VALUE: the handle is no graph's; before cuInit NOT_INITIALIZED. */
CUresult cpu_graph_of(CUgraph handle, struct cpu_graph **graph);
struct cpu_node *cpu_node_of(CUgraphNode handle);
/* Takes the task over where it succeeds; `data` may be NULL: plain edges. */
CUresult cpu_node_add(struct cpu_graph *graph, struct cpu_node *const *after,
                      const CUgraphEdgeData *data, size_t count,
                      struct cpu_task *task, struct cpu_node **made);
bool cpu_node_depends(const struct cpu_node *node, const struct cpu_node *on);
/* The nodes in an order in which each follows what it depends on; `order` has
 * room for all, `index` is set.  False: they depend on each other. */
bool cpu_graph_order(struct cpu_graph *graph, struct cpu_node **order);
/* Whether a node of the graph, or of one within it, has to do with memory. */
bool cpu_graph_has_memory(const struct cpu_graph *graph);
/* Whether a stream captures into the graph, or into one within it; or into one
 * within the node. */
bool cpu_graph_captures(const struct cpu_graph *graph);
bool cpu_node_captures(const struct cpu_node *node);
/* Unlinks the node and frees it, with what it owns. */
void cpu_node_remove(struct cpu_node *node);

/* ---- dependencies.c ---- */

/* Whether these are data that edges may have here. */
bool cpu_edge_data_valid(const CUgraphEdgeData *data, size_t count);

/* ---- nodes.c ---- */

/* Keeps a copy of the parameters for those who ask; the lock is held. */
CUresult cpu_node_describe(struct cpu_node *node, const void *params);
/* Adds a node that does the task, and describes `params`, if not NULL.  The
 * task is the node's where it succeeds; the lock is held. */
CUresult cpu_node_insert_locked(CUgraphNode *made, CUgraph graph,
                                const CUgraphNode *after,
                                const CUgraphEdgeData *data, size_t count,
                                struct cpu_task *task, const void *params);
/* The same; takes the lock, and the task over in any case. */
CUresult cpu_node_insert(CUgraphNode *made, CUgraph graph,
                         const CUgraphNode *after, const CUgraphEdgeData *data,
                         size_t count, struct cpu_task *task,
                         const void *params);

/* ---- params.c ---- */

CUDA_KERNEL_NODE_PARAMS
cpu_kernel_params_newer(const CUDA_KERNEL_NODE_PARAMS_v1 *old);
/* CUDA's parameters of a node that copies, fills or calls; the lock is held.
 */
CUresult cpu_node_read_params(const struct cpu_node *node, void *params);
/* Replaces what the node does, described by `params`, if not NULL; takes the
 * lock, and the task over in any case. */
CUresult cpu_node_set_task(CUgraphNode node, struct cpu_task *task,
                           const void *params);
/* The context of the node's task, or NULL; takes the lock. */
CUcontext cpu_node_context(CUgraphNode node);
/* From the payloads of tasks: memory/copy.c, memory/fill.c, stream/stream.c.
 */
void cpu_copy_describe(const void *payload, CUDA_MEMCPY3D *params);
void cpu_fill_describe(const void *payload, CUDA_MEMSET_NODE_PARAMS *params);
void cpu_host_call_describe(const void *payload,
                            CUDA_HOST_NODE_PARAMS *params);

/* ---- stream/memory_ops.c ---- */

CUresult cpu_batch_task(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params,
                        struct cpu_task *task);
/* The operation of such a task, which a value that is not there keeps from
 * being over. */
CUresult cpu_batch_op(const struct cpu_task *task, struct cpu_context *ctx,
                      struct cpu_op **made);

/* ---- child.c ---- */

/* Adds a node that is a graph; takes the lock. */
CUresult cpu_child_add(CUgraphNode *made, CUgraph graph,
                       const CUgraphNode *after, const CUgraphEdgeData *data,
                       size_t count,
                       const CUDA_CHILD_GRAPH_NODE_PARAMS *params);

/* ---- kernel_attributes.c; the lock is held ---- */

CUresult cpu_node_attributes_copy(struct cpu_node *to,
                                  const struct cpu_node *from);

/* ---- event_nodes.c ---- */

/* The event of a record or wait node's task. */
struct cpu_event *cpu_task_event(const struct cpu_task *task);
/* A task that records the event or waits for it. */
CUresult cpu_event_task(CUgraphNodeType type, CUevent event,
                        struct cpu_task *task);
/* A node that does so, in the stream's capture. */
CUresult cpu_event_note(CUgraphNodeType type, CUevent event,
                        struct cpu_stream *stream);

/* ---- graph_memory.c ---- */

/* Memory that belongs to a node that allocates it: an address that is fixed
 * when the node is added.  References are held by tasks, by launches that left
 * it allocated, and by frees in streams that are not over. */
struct cpu_graph_memory;
CUresult cpu_graph_memory_new(int device, size_t bytes,
                              struct cpu_graph_memory **made);
void cpu_graph_memory_retain(struct cpu_graph_memory *memory);
void cpu_graph_memory_release(struct cpu_graph_memory *memory);
CUdeviceptr cpu_graph_memory_base(const struct cpu_graph_memory *memory);
/* The memory that starts at the address, referenced; NULL: none does. */
struct cpu_graph_memory *cpu_graph_memory_at(CUdeviceptr pointer);
/* What a launch of these tasks allocates and frees.  INVALID_VALUE, without an
 * effect: memory is allocated already and `again` is false, or memory to be
 * freed is not allocated. */
CUresult cpu_graph_memory_launch(const struct cpu_task *const *tasks,
                                 size_t count, bool again);
/* A program frees the memory at the address outside of graphs: it is not
 * allocated any more, and `*memory` has a reference for the time until the
 * free takes place.  False: no graph's memory is allocated there. */
bool cpu_graph_memory_unallocate(CUdeviceptr pointer,
                                 struct cpu_graph_memory **memory);
/* It counts as reserved from now on. */
void cpu_graph_memory_reserve(struct cpu_graph_memory *memory);

/* ---- memory_nodes.c ---- */

/* The memory of an allocating or freeing task. */
struct cpu_graph_memory *cpu_task_memory(const struct cpu_task *task);
/* Notes an allocation, or a free, in the stream's capture. */
CUresult cpu_capture_allocate(struct cpu_stream *stream, size_t bytes,
                              CUdeviceptr *pointer);
CUresult cpu_capture_free(struct cpu_stream *stream, CUdeviceptr pointer);
/* Add such nodes; take the lock. */
CUresult cpu_allocation_add(CUgraphNode *made, CUgraph graph,
                            const CUgraphNode *after,
                            const CUgraphEdgeData *data, size_t count,
                            CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cpu_free_add(CUgraphNode *made, CUgraph graph,
                      const CUgraphNode *after, const CUgraphEdgeData *data,
                      size_t count, CUdeviceptr pointer);

/* ---- conditional.c; the lock is held ---- */

/* A value that a conditional node reads, at an address that kernels write. */
struct cpu_condition {
    struct cpu_condition *next; /* of the graph's */
    uintptr_t value;            /* address of a uint32_t; the handle */
    unsigned initial;
    bool reset; /* to `initial` at each launch */
    unsigned references;
};

struct cpu_conditional {
    CUgraphConditionalNodeType type;
    struct cpu_condition *condition; /* referenced */
    unsigned count;
    CUgraph *handles; /* owned; of the bodies */
    struct cpu_graph **bodies;
};

void cpu_condition_release(struct cpu_condition *condition);
void cpu_conditions_end(struct cpu_graph *graph);
void cpu_conditional_free(struct cpu_conditional *conditional);
CUresult cpu_conditional_copy(struct cpu_node *to,
                              const struct cpu_node *from);
/* Adds such a node and makes its bodies; takes the lock. */
CUresult cpu_conditional_add(CUgraphNode *made, CUgraph graph,
                             const CUgraphNode *after,
                             const CUgraphEdgeData *data, size_t count,
                             CUDA_CONDITIONAL_NODE_PARAMS *params);

#endif
