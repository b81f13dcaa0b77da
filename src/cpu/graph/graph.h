/* graph.h - graphs and captures; internal to this folder, and to files that
 * submit tasks.
 *
 * A task describes the work of one operation, without its position in a
 * stream; a node is a task in a graph together with its dependencies.
 * Launches, copies, fills and host functions become tasks in three ways: by a
 * captured stream, by an added node (its parameters pass through the function
 * that a stream would use, with cpu_task_sink set), and by replaced
 * parameters.
 *
 * The lock cpu_graph_lock guards graphs, executable graphs, conditions and
 * captures; it is acquired before the scheduler lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_GRAPH_H
#define PYCUDA_CPU_GRAPH_H

#include "cpu/cpu.h"

/* Retains and releases the references that a task's payload holds on objects:
 * events and graph memory. */
struct cpu_task_hold {
    void (*retain)(void *payload);
    void (*release)(void *payload);
};

struct cpu_task {
    CUgraphNodeType type;
    cpu_run *run;      /* NULL: a kernel, or no work */
    CUcontext context; /* NULL: the context of the launch's stream */
    uint64_t context_id;
    void *payload; /* owned; argument of `run`, or kernel parameters */
    size_t bytes;
    const struct cpu_task_hold *hold; /* NULL: holds no references */
    CUfunction function;              /* kernel; looked up at each launch */
    unsigned grid[3], block[3], shared;
    bool cooperative;
    bool has_priority; /* overrides the stream's priority */
    int priority;
};

struct cpu_node {
    CUgraphNode handle;
    struct cpu_graph *graph;
    struct cpu_node *next, *previous;
    struct cpu_node **after;    /* dependencies; owned */
    CUgraphEdgeData *edge_data; /* one per dependency; owned */
    size_t after_count;
    struct cpu_task task;
    void **params;   /* owned; for cuGraphKernelNodeGetParams */
    void *described; /* owned; CUDA parameters of an added node */
    size_t described_bytes;
    struct cpu_graph *child;                /* owned; of a child graph node */
    struct cpu_conditional *conditional;    /* owned; of a conditional node */
    struct cpu_node_attributes *attributes; /* owned; of a kernel node */
    struct cpu_node *twin;                  /* scratch: the node's copy */
    CUgraphNode original;                   /* of a copy: the copied node */
    unsigned index; /* scratch: position in topological order */
    bool let_go;    /* removed from a captured stream's tips */
    bool earlier;   /* older than the capture */
};

struct cpu_graph {
    CUgraph handle;
    struct cpu_node *first, *last;
    size_t count;
    bool capturing;         /* target of a capture; cannot be destroyed */
    bool owned;             /* belongs to a node of another graph */
    struct cpu_hold *holds; /* references to user objects */
    struct cpu_condition *conditions; /* owned; created for this graph */
};

extern pthread_mutex_t cpu_graph_lock;

/* ---- user_object.c ---- */

/* Copy a list of references to user objects, or release all references of a
 * list. */
CUresult cpu_holds_copy(struct cpu_hold **to, const struct cpu_hold *from);
void cpu_holds_free(struct cpu_hold **holds);
/* Destroys the user objects without references. The caller holds no lock,
 * because this calls the program's functions. */
void cpu_users_end(void);

/* ---- task.c ---- */

/* Copies the task and retains the copy's references. OUT_OF_MEMORY leaves
 * nothing to free. */
CUresult cpu_task_copy(struct cpu_task *to, const struct cpu_task *from);
void cpu_task_free(struct cpu_task *task);
/* Returns true if `new` can replace `old` in an executable graph: the type and
 * the context of the node must be the same, except that host functions have no
 * context. */
bool cpu_task_may_replace(const struct cpu_task *old,
                          const struct cpu_task *new);
/* Creates a task from CUDA's parameters for this type of node; child graphs
 * and empty nodes have no parameters. If `ctx` is NULL, a kernel runs in its
 * function's context, any other task in the current one. The caller does not
 * hold the graph lock. */
CUresult cpu_task_make(CUgraphNodeType type, const void *params, CUcontext ctx,
                       struct cpu_task *task);
/* Size in bytes of the parameters that cpu_task_make reads for this type of
 * node. Returns 0 if their description is derived from the task. */
size_t cpu_task_params_bytes(CUgraphNodeType type);

/* ---- graph.c; the caller holds the lock ---- */

/* Create an empty graph, or NULL if out of memory; free a graph with its
 * nodes. */
struct cpu_graph *cpu_graph_new(void);
void cpu_graph_free(struct cpu_graph *graph);
/* Copies all nodes. Returns NOT_SUPPORTED for a graph with memory nodes, which
 * cannot be copied. */
CUresult cpu_graph_copy(struct cpu_graph *to, struct cpu_graph *from);
/* Returns INVALID_VALUE for an invalid handle, NOT_INITIALIZED before
 * cuInit. */
CUresult cpu_graph_of(CUgraph handle, struct cpu_graph **graph);
/* Returns the node of a handle, or NULL. */
struct cpu_node *cpu_node_of(CUgraphNode handle);
/* Adds a node. Takes ownership of the task on success. NULL for `data` means
 * default edges. */
CUresult cpu_node_add(struct cpu_graph *graph, struct cpu_node *const *after,
                      const CUgraphEdgeData *data, size_t count,
                      struct cpu_task *task, struct cpu_node **made);
/* Returns true if there is an edge from `on` to `node`. */
bool cpu_node_depends(const struct cpu_node *node, const struct cpu_node *on);
/* Stores the nodes in topological order in `order`, which has a capacity of
 * graph->count, and sets each node's index. Returns false if there is a
 * cycle. */
bool cpu_graph_order(struct cpu_graph *graph, struct cpu_node **order);
/* Returns true if the graph or one of its child graphs has memory nodes. */
bool cpu_graph_has_memory(const struct cpu_graph *graph);
/* Return true if a stream is captured into the graph or one of its child
 * graphs, or into a graph inside the node. */
bool cpu_graph_captures(const struct cpu_graph *graph);
bool cpu_node_captures(const struct cpu_node *node);
/* Unlinks the node and frees it with all that it owns. */
void cpu_node_remove(struct cpu_node *node);

/* ---- dependencies.c ---- */

/* Returns true if edges can have these data on this device. */
bool cpu_edge_data_valid(const CUgraphEdgeData *data, size_t count);

/* ---- nodes.c ---- */

/* Stores a copy of the parameters for queries. The caller holds the lock. */
CUresult cpu_node_describe(struct cpu_node *node, const void *params);
/* Adds a node with the task, described by `params` if not NULL. The node owns
 * the task on success. The caller holds the lock. */
CUresult cpu_node_insert_locked(CUgraphNode *made, CUgraph graph,
                                const CUgraphNode *after,
                                const CUgraphEdgeData *data, size_t count,
                                struct cpu_task *task, const void *params);
/* Adds a node like cpu_node_insert_locked, but takes the lock, and takes
 * ownership of the task even on failure. */
CUresult cpu_node_insert(CUgraphNode *made, CUgraph graph,
                         const CUgraphNode *after, const CUgraphEdgeData *data,
                         size_t count, struct cpu_task *task,
                         const void *params);

/* ---- params.c ---- */

/* Converts the older structure of kernel parameters. */
CUDA_KERNEL_NODE_PARAMS
cpu_kernel_params_newer(const CUDA_KERNEL_NODE_PARAMS_v1 *old);
/* Reads CUDA's parameters of a memcpy, memset or host node. The caller holds
 * the lock. */
CUresult cpu_node_read_params(const struct cpu_node *node, void *params);
/* Replaces the node's task, described by `params` if not NULL. Takes the lock,
 * and takes ownership of the task even on failure. */
CUresult cpu_node_set_task(CUgraphNode node, struct cpu_task *task,
                           const void *params);
/* Returns the context of the node's task, or NULL; takes the lock. */
CUcontext cpu_node_context(CUgraphNode node);
/* Convert a task's payload to CUDA's parameters. Defined in memory/copy.c,
 * memory/fill.c and stream/stream.c. */
void cpu_copy_describe(const void *payload, CUDA_MEMCPY3D *params);
void cpu_fill_describe(const void *payload, CUDA_MEMSET_NODE_PARAMS *params);
void cpu_host_call_describe(const void *payload,
                            CUDA_HOST_NODE_PARAMS *params);

/* ---- stream/memory_ops.c ---- */

/* Creates a task that executes a batch of memory operations. */
CUresult cpu_batch_task(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params,
                        struct cpu_task *task);
/* Creates the operation of a batch of memory operations. It is not done until
 * all awaited values have been written. */
CUresult cpu_batch_op(const struct cpu_task *task, struct cpu_context *ctx,
                      struct cpu_op **made);

/* ---- child.c ---- */

/* Adds a child graph node; takes the lock. */
CUresult cpu_child_add(CUgraphNode *made, CUgraph graph,
                       const CUgraphNode *after, const CUgraphEdgeData *data,
                       size_t count,
                       const CUDA_CHILD_GRAPH_NODE_PARAMS *params);

/* ---- kernel_attributes.c; the caller holds the lock ---- */

/* Copies the attributes of a kernel node. Returns OUT_OF_MEMORY on failure. */
CUresult cpu_node_attributes_copy(struct cpu_node *to,
                                  const struct cpu_node *from);

/* ---- event_nodes.c ---- */

/* Returns the event of a record or wait node's task, without a reference. */
struct cpu_event *cpu_task_event(const struct cpu_task *task);
/* Creates a task that records the event or waits for it. */
CUresult cpu_event_task(CUgraphNodeType type, CUevent event,
                        struct cpu_task *task);
/* Adds such a node to the stream's capture. */
CUresult cpu_event_note(CUgraphNodeType type, CUevent event,
                        struct cpu_stream *stream);

/* ---- graph_memory.c ---- */

/* Memory of an allocation node; its address is fixed when the node is added.
 * References are held by tasks, by launches that left the memory allocated,
 * and by pending frees in streams. */
struct cpu_graph_memory;
/* Create memory on the device with one reference, and retain or release it.
 * `base` is its address. */
CUresult cpu_graph_memory_new(int device, size_t bytes,
                              struct cpu_graph_memory **made);
void cpu_graph_memory_retain(struct cpu_graph_memory *memory);
void cpu_graph_memory_release(struct cpu_graph_memory *memory);
CUdeviceptr cpu_graph_memory_base(const struct cpu_graph_memory *memory);
/* Returns the memory that starts at the address, with a reference, or NULL. */
struct cpu_graph_memory *cpu_graph_memory_at(CUdeviceptr pointer);
/* Allocates and frees the memory of a launch with these tasks. Returns
 * INVALID_VALUE, without side effects, if memory is already allocated and
 * `again` is false, or if memory to free is not allocated. */
CUresult cpu_graph_memory_launch(const struct cpu_task *const *tasks,
                                 size_t count, bool again);
/* Frees memory outside graphs: marks it as not allocated, and returns a
 * reference in `*memory` that the caller holds until the free is executed.
 * Returns false if no graph memory is allocated at the address. */
bool cpu_graph_memory_unallocate(CUdeviceptr pointer,
                                 struct cpu_graph_memory **memory);
/* Counts the memory as reserved in the device's attributes. */
void cpu_graph_memory_reserve(struct cpu_graph_memory *memory);

/* ---- memory_nodes.c ---- */

/* Returns the memory of an allocation or free task, without a reference. */
struct cpu_graph_memory *cpu_task_memory(const struct cpu_task *task);
/* Add an allocation or a free to the stream's capture. */
CUresult cpu_capture_allocate(struct cpu_stream *stream, size_t bytes,
                              CUdeviceptr *pointer);
CUresult cpu_capture_free(struct cpu_stream *stream, CUdeviceptr pointer);
/* Add allocation and free nodes; take the lock. */
CUresult cpu_allocation_add(CUgraphNode *made, CUgraph graph,
                            const CUgraphNode *after,
                            const CUgraphEdgeData *data, size_t count,
                            CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cpu_free_add(CUgraphNode *made, CUgraph graph,
                      const CUgraphNode *after, const CUgraphEdgeData *data,
                      size_t count, CUdeviceptr pointer);

/* ---- conditional.c; the caller holds the lock ---- */

/* A value that conditional nodes read, at an address that kernels write. */
struct cpu_condition {
    struct cpu_condition *next; /* link of the graph's list */
    uintptr_t value;            /* address of a uint32_t; also the handle */
    unsigned initial;
    bool reset; /* set to `initial` at each launch */
    unsigned references;
};

struct cpu_conditional {
    CUgraphConditionalNodeType type;
    struct cpu_condition *condition; /* holds a reference */
    unsigned count;
    CUgraph *handles; /* owned; handles of the bodies */
    struct cpu_graph **bodies;
};

/* Drops a reference to the condition; frees it with the last one. */
void cpu_condition_release(struct cpu_condition *condition);
/* Drops the graph's references to its conditions. */
void cpu_conditions_end(struct cpu_graph *graph);
/* Free or copy a conditional node's state with its bodies. */
void cpu_conditional_free(struct cpu_conditional *conditional);
CUresult cpu_conditional_copy(struct cpu_node *to,
                              const struct cpu_node *from);
/* Adds a conditional node and creates its bodies; takes the lock. */
CUresult cpu_conditional_add(CUgraphNode *made, CUgraph graph,
                             const CUgraphNode *after,
                             const CUgraphEdgeData *data, size_t count,
                             CUDA_CONDITIONAL_NODE_PARAMS *params);

#endif
