/* graph.h - graphs and captures; internal to this folder, and to files that
 * submit tasks.
 *
 * An operation (struct cpu_op) is a unit of work in a stream. A task describes
 * the work of one operation, without its position in a stream; a node is a
 * task in a graph together with its dependencies. A launch, copy, fill or host
 * function becomes a task if its stream is being captured, if a program adds a
 * node for it, or if a program replaces the parameters of a node. In the last
 * two cases, the same driver function as for a stream is called; while the
 * thread's cpu_node_task_sink is set, this function stores a task there
 * instead of executing the work.
 *
 * The lock cpu_graph_lock guards graphs, executable graphs, conditions and
 * captures; it is acquired before the scheduler lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_GRAPH_H
#define PYCUDA_CPU_GRAPH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/stream/run_function.h"

struct cpu_context;
struct cpu_op;
struct cpu_stream;

/* Functions that retain and release the objects, such as events or graph
 * memory, to which the payload of a task (the work of a graph node) refers. */
struct cpu_node_task_hold {
    void (*retain)(void *payload);
    void (*release)(void *payload);
};

struct cpu_node_task {
    CUgraphNodeType type;
    /* function that does the work of the graph node; NULL if the work is a
     * kernel launch or there is none */
    cpu_run *run;
    /* `run` only starts the work; cpu_op_finish is called when it is complete,
     * even if the context has failed. `payload` then begins with a pointer
     * that a launch sets to the stream operation. */
    bool finishes_later;
    /* context in which the task runs; NULL: the context of the launch's
     * stream */
    CUcontext context;
    uint64_t context_id;
    void *payload; /* owned memory: argument of `run`, or kernel parameters */
    size_t bytes;  /* size of `payload` in bytes */
    /* functions that retain and release the objects to which `payload` refers;
     * NULL: it refers to no such objects */
    const struct cpu_node_task_hold *hold;
    CUfunction function; /* handle of the kernel; looked up at each launch */
    unsigned grid[3], block[3], shared;
    bool cooperative;
    /* true: `priority` is used instead of the stream's priority */
    bool has_priority;
    int priority;
};

struct cpu_node {
    CUgraphNode handle;
    struct cpu_graph *graph;
    struct cpu_node *next, *previous;
    /* nodes that this node depends on; owned array */
    struct cpu_node **after;
    CUgraphEdgeData *edge_data; /* edge data of each dependency; owned array */
    size_t after_count;
    struct cpu_node_task task;
    /* owned array of parameter addresses that cuGraphKernelNodeGetParams
     * returns */
    void **params;
    /* owned copy of the CUDA parameters that the program has passed */
    void *described;
    size_t described_bytes;
    /* owned graph of a child graph node; NULL for other nodes */
    struct cpu_graph *child;
    /* owned state of a conditional node; NULL for other nodes */
    struct cpu_conditional *conditional;
    /* owned attributes of a kernel node; NULL: none are set */
    struct cpu_node_attributes *attributes;
    /* copy of the node; only used while the graph is copied */
    struct cpu_node *twin;
    CUgraphNode original; /* if this node is a copy: the copied node */
    /* scratch: index in topological order, or index of the node's step */
    unsigned index;
    /* the program has removed the node from a stream's tips, which the
     * stream's next node depends on */
    bool detached;
    bool earlier; /* the node was in the graph before the capture began */
    /* the node was a tip (one of the latest nodes) of a stream that was
     * destroyed during its capture */
    bool orphaned;
};

struct cpu_graph {
    CUgraph handle;
    struct cpu_node *first, *last;
    size_t count;
    /* the graph cannot be destroyed: a stream is being captured into it */
    bool capturing;
    /* the graph belongs to a node: a child graph or conditional body */
    bool owned;
    /* list of references to user objects (cuUserObjectCreate) */
    struct cpu_hold *holds;
    /* owned list of the conditions that were created for this graph */
    struct cpu_condition *conditions;
};

extern pthread_mutex_t cpu_graph_lock;

/* ---- user_object.c ---- */

/* Adds to the list *to a reference to each user object (cuUserObjectCreate) in
 * the list `from`. Returns OUT_OF_MEMORY on failure. Acquires the lock of the
 * user objects. */
CUresult cpu_holds_copy(struct cpu_hold **to, const struct cpu_hold *from);
/* Releases all references to user objects in a list, and empties the list. */
void cpu_holds_free(struct cpu_hold **holds);
/* Destroys the user objects that have no references any more. The caller must
 * not hold a lock, because this calls destructors of the program. */
void cpu_users_end(void);

/* ---- node_task.c ---- */

/* Copies a task (the work of a graph node) and its payload, and retains the
 * objects that the payload refers to. On OUT_OF_MEMORY, `to` need not be
 * freed. */
CUresult cpu_node_task_copy(struct cpu_node_task *to,
                            const struct cpu_node_task *from);
/* Frees a task's payload (its argument or parameters), and releases the
 * objects to which the payload refers. */
void cpu_node_task_free(struct cpu_node_task *task);
/* Returns true if the task `new` can replace the task `old` of a node in an
 * executable graph: both must have the same type and the same context. For
 * host functions, only the type must be the same. */
bool cpu_node_task_may_replace(const struct cpu_node_task *old,
                               const struct cpu_node_task *new);
/* Swaps the contents of `used`, the task of a node, and `task`, its
 * replacement. The launch attributes (cooperative, priority) are not swapped:
 * `used` keeps its own. */
void cpu_node_task_replace(struct cpu_node_task *used,
                           struct cpu_node_task *task);
/* Creates a task for a node of this type from its CUDA parameter structure,
 * such as CUDA_MEMCPY3D; for child graphs and empty nodes, `params` is
 * ignored. If `ctx` is NULL, a kernel runs in its function's context, any
 * other task in the current one. The caller must not hold the graph lock. */
CUresult cpu_node_task_make(CUgraphNodeType type, const void *params,
                            CUcontext ctx, struct cpu_node_task *task);
/* If nodes of this type store a copy of their CUDA parameter structure for
 * queries, returns the size of the structure in bytes. Returns 0 if the
 * parameters are derived from the node's task (its work) instead. */
size_t cpu_node_task_params_bytes(CUgraphNodeType type);

/* ---- graph.c; the caller holds the graph lock ---- */

/* cpu_graph_new creates an empty graph, or returns NULL if out of memory;
 * cpu_graph_free frees a graph and its nodes. */
struct cpu_graph *cpu_graph_new(void);
void cpu_graph_free(struct cpu_graph *graph);
/* Copies all nodes of `from` into the empty graph `to`. Returns NOT_SUPPORTED
 * if `from` has nodes that allocate or free memory. */
CUresult cpu_graph_copy(struct cpu_graph *to, struct cpu_graph *from);
/* Stores the graph of a handle in *graph. Returns INVALID_VALUE for an invalid
 * handle, NOT_INITIALIZED before cuInit. */
CUresult cpu_graph_of(CUgraph handle, struct cpu_graph **graph);
/* Returns the node of a handle, or NULL. */
struct cpu_node *cpu_node_of(CUgraphNode handle);
/* Adds a node that depends on the `count` nodes in `after`; the node owns the
 * task on success. `data` has the edge data of each dependency; NULL means
 * default edges. */
CUresult cpu_node_add(struct cpu_graph *graph, struct cpu_node *const *after,
                      const CUgraphEdgeData *data, size_t count,
                      struct cpu_node_task *task, struct cpu_node **made);
/* Returns true if `node` directly depends on `on`. */
bool cpu_node_depends(const struct cpu_node *node, const struct cpu_node *on);
/* Stores the nodes in topological order in `order`, which has a capacity of
 * graph->count, and sets each node's index. Returns false if there is a
 * cycle. */
bool cpu_graph_order(struct cpu_graph *graph, struct cpu_node **order);
/* Returns true if the graph or one of its child graphs has nodes that allocate
 * or free memory. */
bool cpu_graph_has_memory(const struct cpu_graph *graph);
/* cpu_graph_captures returns true if a stream is being captured into the graph
 * or one of its child graphs; cpu_node_captures returns true if a stream is
 * being captured into the node's child graph or conditional bodies. */
bool cpu_graph_captures(const struct cpu_graph *graph);
bool cpu_node_captures(const struct cpu_node *node);
/* Removes the node from its graph and frees it with all that it owns. */
void cpu_node_remove(struct cpu_node *node);

/* ---- dependencies.c ---- */

/* Returns true if this device supports the edge data (CUgraphEdgeData) of all
 * `count` edges. NULL, which means default data, is supported. */
bool cpu_edge_data_valid(const CUgraphEdgeData *data, size_t count);

/* ---- nodes.c ---- */

/* Stores in the node a copy of the CUDA parameters `params`, for queries. The
 * caller holds the graph lock. */
CUresult cpu_node_describe(struct cpu_node *node, const void *params);
/* Adds a node with this task (the work of a node) to the graph, after the
 * nodes in `after`. If `params` is not NULL, later queries return a copy of
 * these parameters. The node owns the task on success. The caller holds the
 * graph lock. */
CUresult cpu_node_insert_locked(CUgraphNode *made, CUgraph graph,
                                const CUgraphNode *after,
                                const CUgraphEdgeData *data, size_t count,
                                struct cpu_node_task *task,
                                const void *params);
/* Acquires the graph lock and adds a node with this task (the work of a node),
 * after the nodes in `after`. If `params` is not NULL, later queries return a
 * copy of these parameters. Takes ownership of the task; on failure the task
 * is freed. */
CUresult cpu_node_insert(CUgraphNode *made, CUgraph graph,
                         const CUgraphNode *after, const CUgraphEdgeData *data,
                         size_t count, struct cpu_node_task *task,
                         const void *params);

/* ---- params.c ---- */

/* Returns the values of the older structure of kernel parameters in the
 * current structure, which has more members. */
CUDA_KERNEL_NODE_PARAMS
cpu_kernel_params_newer(const CUDA_KERNEL_NODE_PARAMS_v1 *old);
/* Writes the CUDA parameters of a memcpy, memset or host node to the structure
 * `params`. The caller holds the graph lock. Returns INVALID_VALUE for a node
 * that has no work. */
CUresult cpu_node_read_params(const struct cpu_node *node, void *params);
/* Replaces the node's task (its work). If `params` is not NULL, later queries
 * return a copy of these parameters. Acquires the graph lock. Takes ownership
 * of the task; on failure the task is freed. */
CUresult cpu_node_set_task(CUgraphNode node, struct cpu_node_task *task,
                           const void *params);
/* Returns the context of the node's task, or NULL. Takes the graph lock. */
CUcontext cpu_node_context(CUgraphNode node);
/* Each function converts the payload of a task (memcpy, memset or host
 * function) to the CUDA parameters of a node of this type. Defined in
 * memory/copy.c, memory/fill.c and stream/stream.c. */
void cpu_copy_describe(const void *payload, CUDA_MEMCPY3D *params);
void cpu_fill_describe(const void *payload, CUDA_MEMSET_NODE_PARAMS *params);
void cpu_host_call_describe(const void *payload,
                            CUDA_HOST_NODE_PARAMS *params);

/* ---- stream/memory_ops.c ---- */

/* Creates a task for a batch of stream memory operations (values to wait for
 * and to write, as in cuStreamBatchMemOp). The caller owns the task. Returns
 * INVALID_VALUE for an unknown or too long list of operations, the error for
 * an invalid context, or OUT_OF_MEMORY. */
CUresult cpu_batch_task(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params,
                        struct cpu_node_task *task);
/* Creates the stream operation for a task of cpu_batch_task. The operation
 * completes when all values that the batch waits for have been written. */
CUresult cpu_batch_op(const struct cpu_node_task *task,
                      struct cpu_context *ctx, struct cpu_op **made);

/* ---- child_graph.c ---- */

/* Adds a child graph node, with a copy of the child or, if `params` says so,
 * the child itself. Acquires the graph lock. Returns INVALID_VALUE for an
 * invalid handle or dependency, or OUT_OF_MEMORY. */
CUresult cpu_child_add(CUgraphNode *made, CUgraph graph,
                       const CUgraphNode *after, const CUgraphEdgeData *data,
                       size_t count,
                       const CUDA_CHILD_GRAPH_NODE_PARAMS *params);

/* ---- kernel_attributes.c; the caller holds the graph lock ---- */

/* Copies the attributes of the kernel node `from` to its copy `to`. Returns
 * OUT_OF_MEMORY on failure. */
CUresult cpu_node_attributes_copy(struct cpu_node *to,
                                  const struct cpu_node *from);

/* ---- event_nodes.c ---- */

/* Returns the event of a task (the work of a graph node) that records an event
 * or waits for one. Does not add a reference to the event. */
struct cpu_event *cpu_node_task_event(const struct cpu_node_task *task);
/* Creates a task that records the event or waits for it. The task holds a
 * reference to the event. Returns INVALID_VALUE for an invalid handle,
 * NOT_SUPPORTED for an interprocess event, or OUT_OF_MEMORY. */
CUresult cpu_event_task(CUgraphNodeType type, CUevent event,
                        struct cpu_node_task *task);
/* Adds a node of type EVENT_RECORD or WAIT_EVENT to the graph into which the
 * stream is being captured. */
CUresult cpu_event_record_task(CUgraphNodeType type, CUevent event,
                               struct cpu_stream *stream);

/* ---- graph_memory.c ---- */

/* Memory of an allocation node; its address is fixed when the node is added.
 * References to it are held by allocation and free tasks, by pending frees in
 * streams, and by the memory itself while a launch has left it allocated. */
struct cpu_graph_memory;
/* Creates memory of a device, with one reference. Returns INVALID_VALUE for 0
 * bytes or a size that overflows, else the error of the allocation. */
CUresult cpu_graph_memory_new(int device, size_t bytes,
                              struct cpu_graph_memory **made);
/* Adds a reference to the memory of an allocation node. */
void cpu_graph_memory_retain(struct cpu_graph_memory *memory);
/* Drops a reference to the memory of an allocation node. */
void cpu_graph_memory_release(struct cpu_graph_memory *memory);
/* Returns the address of the memory of an allocation node. */
CUdeviceptr cpu_graph_memory_base(const struct cpu_graph_memory *memory);
/* Returns the graph memory that starts at the address, or NULL. The caller
 * gets a reference and must release it. */
struct cpu_graph_memory *cpu_graph_memory_at(CUdeviceptr pointer);
/* Records the allocations and frees of a launch. `tasks` are its allocation
 * and free tasks in the order of its steps. Returns INVALID_VALUE, without
 * side effects, if a task frees memory that is not allocated or, without
 * `auto_free`, allocates memory that an earlier launch has left allocated. */
CUresult cpu_graph_memory_launch(const struct cpu_node_task *const *tasks,
                                 size_t count, bool auto_free);
/* Called when a program frees graph memory in a stream, not by a node. Marks
 * the memory as not allocated, and returns a reference in `*memory` that the
 * caller holds until the free is executed. Returns false if no graph memory is
 * allocated at the address. */
bool cpu_graph_memory_unallocate(CUdeviceptr pointer,
                                 struct cpu_graph_memory **memory);
/* Counts the memory as reserved in the values that
 * cuDeviceGetGraphMemAttribute returns. */
void cpu_graph_memory_reserve(struct cpu_graph_memory *memory);

/* ---- memory_nodes.c ---- */

/* Returns the memory that a task (the work of a graph node) allocates or
 * frees. Does not add a reference to the memory. */
struct cpu_graph_memory *
cpu_node_task_memory(const struct cpu_node_task *task);
/* Adds an allocation node to the graph into which the stream is being
 * captured, and stores the address of its memory. Returns INVALID_VALUE for 0
 * bytes, or the error of the capture or of the allocation. */
CUresult cpu_capture_allocate(struct cpu_stream *stream, size_t bytes,
                              CUdeviceptr *pointer);
/* Adds a node that frees graph memory to the graph into which the stream is
 * being captured. Returns INVALID_VALUE if the address is not that of graph
 * memory, or the error of the capture. */
CUresult cpu_capture_free(struct cpu_stream *stream, CUdeviceptr pointer);
/* Adds an allocation node, and stores the address of its memory in
 * params->dptr. Acquires the graph lock. Returns INVALID_VALUE for invalid
 * parameters or dependencies, or the error of the allocation. */
CUresult cpu_allocation_add(CUgraphNode *made, CUgraph graph,
                            const CUgraphNode *after,
                            const CUgraphEdgeData *data, size_t count,
                            CUDA_MEM_ALLOC_NODE_PARAMS *params);
/* Adds a node that frees graph memory. Acquires the graph lock. Returns
 * INVALID_VALUE if the address is not that of graph memory, or if the graph
 * frees it already. */
CUresult cpu_free_add(CUgraphNode *made, CUgraph graph,
                      const CUgraphNode *after, const CUgraphEdgeData *data,
                      size_t count, CUdeviceptr pointer);

/* ---- conditional.c; the caller holds the graph lock ---- */

/* A 32-bit value that kernels write and that selects the body of a conditional
 * node (IF, WHILE, SWITCH). */
struct cpu_condition {
    /* next element in the list of the graph's conditions */
    struct cpu_condition *next;
    /* address of the value, a uint32_t; also the condition's handle */
    uintptr_t value;
    unsigned initial;
    bool reset; /* each launch of the graph sets the value to `initial` */
    unsigned references;
};

struct cpu_conditional {
    CUgraphConditionalNodeType type;
    struct cpu_condition *condition; /* counted reference to the condition */
    unsigned count;
    CUgraph *handles; /* handles of the body graphs; owned array */
    struct cpu_graph **bodies;
};

/* Drops a reference to the condition. Frees it when none remains. */
void cpu_condition_release(struct cpu_condition *condition);
/* Drops the references that the graph holds to its conditions. */
void cpu_conditions_end(struct cpu_graph *graph);
/* Frees the state of a conditional node, including the graphs that are its
 * bodies. */
void cpu_conditional_free(struct cpu_conditional *conditional);
/* Copies the state of a conditional node, including the graphs that are its
 * bodies. Does nothing for other nodes. Returns OUT_OF_MEMORY on failure. */
CUresult cpu_conditional_copy(struct cpu_node *to,
                              const struct cpu_node *from);
/* Adds a conditional node and creates an empty graph for each body. Acquires
 * the graph lock. Returns INVALID_VALUE for invalid parameters or
 * dependencies, or OUT_OF_MEMORY. */
CUresult cpu_conditional_add(CUgraphNode *made, CUgraph graph,
                             const CUgraphNode *after,
                             const CUgraphEdgeData *data, size_t count,
                             CUDA_CONDITIONAL_NODE_PARAMS *params);

#endif
