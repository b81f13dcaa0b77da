/* cpu.h - declarations shared by the files of the CPU driver.
 *
 * Lock order, outermost first: a context's `lock`, an event's lock, the graph
 * lock (graph/graph.h), the memory lock (memory/arena.c), the scheduler lock
 * (stream/scheduler.c), the printf lock. No lock is held while kernel code, a
 * host function or a copy runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_CPU_H
#define PYCUDA_CPU_CPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/arch/arch.h"
#include "cpu/check/hooks.h"
#include "cpu/device/handle.h"
#include "cpu/module/module.h"
#include "cpu/run/abandon.h"
#include "image/abi.h"
#include "image/image.h"

#define CPU_API __attribute__((visibility("default")))
/* Attribute of functions that suspend a fiber. Sanitizers count calls and
 * returns, and in such functions these do not match. */
#define CPU_ON_FIBER       __attribute__((no_sanitize_address, no_sanitize_thread))
#define CPU_VERSION        13000 /* CUDA version that the library reports */
#define CPU_MAX_DEVICES    64
#define CPU_MAX_THREADS    1024 /* threads per block */
#define CPU_WARP           32
#define CPU_TEXTURE_PITCH  32 /* pitch alignment in bytes */
#define CPU_SHARED_DEFAULT (48u << 10)
#define CPU_SHARED_OPTIN   (96u << 10)
#define CPU_LIMITS         8
#define CPU_PARAMETER_MAX  4096 /* most bytes of kernel parameters */

struct cpu_context;
struct cpu_green;
struct cpu_image;
struct cpu_op;
struct cpu_worker;

/* ---- device/device.c, device/attributes.c ---- */

/* Global state of the library. The first cuInit writes it. */
struct cpu_state {
    atomic_bool initialized;
    /* This process is a child, by fork(), of a process that had called
     * cuInit. */
    atomic_bool forked;
    bool fork_safe; /* the handlers of fork.c are installed */
    int device_count;
    /* Index of the virtual device for each ordinal. */
    int visible[CPU_MAX_DEVICES];
    int threads;           /* number of worker threads */
    uint64_t memory_bytes; /* memory in bytes of one device */
};

extern struct cpu_state cpu_state;
extern pthread_mutex_t cpu_init_lock;

/* Returns CUDA_SUCCESS, or NOT_INITIALIZED before cuInit. */
CUresult cpu_ready(void);
/* Returns CUDA_SUCCESS if the device exists, INVALID_DEVICE if it does not,
 * NOT_INITIALIZED before cuInit. */
CUresult cpu_device_check(CUdevice device);
/* Stores the value of a device attribute and returns 1. Returns 0 if CUDA has
 * no such attribute. */
int cpu_device_attribute(CUdevice_attribute attribute, int *value);
/* device/thread_count.c: determines how many worker threads to use, from 1 to
 * `most`. */
int cpu_thread_count(int most);

/* ---- device/context.c ---- */

struct cpu_stream {
    CUstream handle;
    struct cpu_context *ctx;
    unsigned flags;
    int priority;
    uint64_t id;
    /* The operation submitted last. The stream holds a reference to it.
     * Guarded by the scheduler lock. */
    struct cpu_op *tail;
    struct cpu_stream *next, *previous;
    bool ended; /* destroyed, but some operations are not done */
    /* Allocated on first use; owned; or NULL. */
    struct cpu_stream_attributes *attributes;
    /* Active capture or NULL; set under the graph lock. */
    struct cpu_capture *_Atomic capture;
    /* Next stream of the capture; graph lock. */
    struct cpu_stream *captured_next;
    /* Green context in which it was created, or NULL. */
    struct cpu_green *green;
    /* Capture: nodes that the next node depends on; graph lock. */
    CUgraphNode *tips;
    size_t tip_count;
    /* Another stream of the capture waits for all captured work of this one;
     * graph lock. */
    bool joined;
};

struct cpu_context {
    CUcontext handle;
    int device;
    unsigned flags;
    bool primary;
    uint64_t id;
    atomic_int error; /* sticky error (CUresult), or 0 */
    pthread_mutex_t lock;
    size_t limits[CPU_LIMITS];
    CUfunc_cache cache;
    CUsharedconfig shared_config;
    struct cpu_stream legacy, per_thread;
    /* List of all streams, legacy first; scheduler lock. */
    struct cpu_stream *streams;
    /* Number of operations that are not done; guarded by the scheduler
     * lock. */
    unsigned outstanding;
    struct cpu_module *modules; /* list of modules; guarded by `lock` */
    struct cpu_fifo *fifo;   /* output of printf in kernels (run/printf.c) */
    uint64_t peers;          /* bit mask of devices with enabled peer access */
    atomic_size_t heap_used; /* bytes allocated by malloc in kernels */
    pthread_mutex_t heap_lock;
    /* List of heap blocks of kernels; guarded by heap_lock. */
    struct cpu_heap_block *heap;
    atomic_uint capturing; /* number of streams that are being captured */
    /* Operation that new streams wait for, or NULL. Written under the
     * scheduler lock. */
    struct cpu_op *_Atomic gate;
};

/* Finds the calling thread's current context. Fails if there is none, or if it
 * was destroyed or has a sticky error. */
CUresult cpu_context_current(struct cpu_context **ctx);
/* Finds the calling thread's current context, even if it has a sticky
 * error. */
CUresult cpu_context_current_any(struct cpu_context **ctx);
/* Finds the context of a handle. Returns INVALID_CONTEXT if there is none. */
CUresult cpu_context_of(CUcontext handle, struct cpu_context **ctx);
/* Returns the context's sticky error, or CUDA_SUCCESS. */
CUresult cpu_context_status(struct cpu_context *ctx);
/* Sets the sticky error of the context to `code`, unless it already has
 * one. */
void cpu_context_fail(struct cpu_context *ctx, CUresult code);
/* Waits for all operations of the context and prints the pending output of
 * kernels. Returns the context's sticky error. */
CUresult cpu_context_synchronize(struct cpu_context *ctx);
/* Creates a context with its default streams. The caller owns it until it
 * calls cpu_context_destroy. */
CUresult cpu_context_new(CUdevice device, unsigned flags,
                         struct cpu_context **made);
/* Waits for the context's operations, then frees everything that the context
 * owns. */
void cpu_context_destroy(struct cpu_context *ctx);
/* Returns whether the flags are valid for the creation of a context. */
bool cpu_context_flags_valid(unsigned flags);
uint64_t cpu_context_next_id(void); /* unique in the process */

/* ---- memory/arena.c: device memory ---- */

enum cpu_memory_kind {
    CPU_MEMORY_FREE,
    CPU_MEMORY_DEVICE,
    CPU_MEMORY_MANAGED,
    CPU_MEMORY_HOST, /* cuMemHostAlloc */
    /* Memory of the program, from cuMemHostRegister. */
    CPU_MEMORY_REGISTERED,
    CPU_MEMORY_GLOBAL, /* variable of a module */
    CPU_MEMORY_IPC,
    CPU_MEMORY_GRAPH,    /* allocated by a memory node of a graph */
    CPU_MEMORY_RESERVED, /* address range of cuMemAddressReserve */
    CPU_MEMORY_MAPPED,   /* mapped to a reservation by cuMemMap */
    CPU_MEMORY_KEPT,     /* freed, in quarantine for the kernel checks */
};

struct cpu_allocation {
    uintptr_t base;
    size_t bytes;
    enum cpu_memory_kind kind;
    unsigned flags;
    int device;
    uint64_t context_id;
    uint64_t id;
    CUmemoryPool pool; /* pool of cuMemAllocAsync, or NULL */
    /* CPU_MEMORY_GRAPH: its state in the graph. */
    struct cpu_graph_memory *graph;
};

/* Where an allocation is in a memory file. */
struct cpu_shared {
    int fd; /* descriptor of the file, owned by the arena */
    size_t offset, bytes;
};

/* Moves the allocation that contains the address into a memory file, together
 * with allocations on the same pages. No thread may write to this memory
 * during the call. Takes the memory lock. */
CUresult cpu_arena_share(uintptr_t address, struct cpu_shared *shared);
void cpu_ipc_close(struct cpu_context *ctx); /* memory/ipc.c */

/* memory/mempool.c: subtracts `bytes` from the usage of a pool, because memory
 * of this size is about to be freed. */
void cpu_pool_return(CUmemoryPool pool, size_t bytes);

/* Allocates device memory with the properties in `as` and stores its address.
 * Returns OUT_OF_MEMORY on failure. This function and the cpu_arena_*
 * functions below take the memory lock. */
CUresult cpu_arena_allocate(size_t bytes, const struct cpu_allocation *as,
                            uintptr_t *base);
/* Frees the allocation of this kind that starts at `base`. Returns
 * INVALID_VALUE if there is none. */
CUresult cpu_arena_free(uintptr_t base, enum cpu_memory_kind kind);
/* Copies the allocation that contains `address` to `found`. Returns false if
 * there is none. */
bool cpu_arena_find(uintptr_t address, struct cpu_allocation *found);
CUresult cpu_arena_adopt(
    const struct cpu_allocation *as); /* adds memory outside the arena */
/* Removes memory outside the arena that cpu_arena_adopt has added. */
CUresult cpu_arena_disown(uintptr_t base, enum cpu_memory_kind kind);
/* Frees all memory of a context that is being destroyed. */
void cpu_arena_free_context(uint64_t context_id);
/* Returns true if the address is in the arena's address range. */
bool cpu_arena_contains(uintptr_t address);
/* Returns how many bytes are allocated on the device. */
size_t cpu_arena_used(int device);

/* ---- memory/memory.c ---- */

/* Returns INVALID_VALUE unless [pointer, pointer + bytes) is inside one
 * allocation. */
CUresult cpu_memory_check(CUdeviceptr pointer, size_t bytes);

/* ---- stream/scheduler.c: operations and their dependencies ---- */

/* Function that an operation runs. If a worker runs it, its error becomes the
 * context's sticky error. Otherwise the submitting function returns the
 * error. */
typedef CUresult cpu_run(void *argument);

enum cpu_op_kind {
    CPU_OP_MARK,   /* no work, only a position in the stream */
    CPU_OP_CALL,   /* run(argument) on a worker */
    CPU_OP_KERNEL, /* a kernel launch */
    CPU_OP_CALLER, /* work for the submitting thread itself */
};

enum cpu_op_state {
    CPU_OP_WAITING,
    CPU_OP_READY,
    CPU_OP_RUNNING,
    CPU_OP_DONE
};

/* A dependency, as an element of the list of operation X: `to` waits for X. */
struct cpu_edge {
    struct cpu_op *to;
    struct cpu_edge *next;
};

/* A share: consecutive blocks that one processor runs first (run/pieces.c). */
struct cpu_share {
    /* Index of the first block that no thread has taken. */
    _Alignas(64) _Atomic uint64_t next;
    uint64_t end;
};

#define CPU_SHARES 16

struct cpu_launch {
    struct cpu_function *function;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t dynamic_shared;
    uint32_t threads; /* threads per block */
    void *params;
    uint64_t total;       /* number of blocks */
    uint64_t most, least; /* blocks per chunk at the start and at the end */
    struct cpu_share *shares; /* array of shares in the operation */
    unsigned share_count;
    _Atomic uint64_t left; /* number of blocks that are not finished */
    _Atomic uint64_t ns;   /* total run time of all threads in ns */
    atomic_int error;
    atomic_uint running; /* number of threads that are running a block */
    unsigned joined; /* number of threads that have joined; scheduler lock */
    uint64_t started_ns;
    uint64_t serial; /* number of the launch, unique in the process */
    /* Number of the last interval before the launch (check/). */
    uint32_t before;
    atomic_bool checked; /* cpu_check_launch_begin has counted the launch */
    bool cooperative;
    atomic_uint grid_arrived, grid_phase; /* state of the grid barrier */
    atomic_uint grid_ended; /* number of blocks that have ended */
};

#define CPU_OP_PAYLOAD 256

struct cpu_op {
    atomic_uint references;
    atomic_uint state;
    enum cpu_op_kind kind;
    /* Kind to which a CALLER operation changes if it cannot start
     * immediately. */
    enum cpu_op_kind kind_if_deferred;
    bool runs_after_failure; /* runs even if its context has failed */
    /* `run` arranges that cpu_op_finish is called later. */
    bool finishes_later;
    bool queued;      /* the operation is in the queue of ready kernels */
    int priority;     /* priority of a kernel; lower values run first */
    unsigned pending; /* number of dependencies that are not done */
    unsigned edge_count;
    struct cpu_context *ctx;
    struct cpu_op *next; /* next one in a queue or in the free list */
    /* List of operations that wait for this one. */
    struct cpu_edge *dependents;
    struct cpu_edge *edges; /* array of its own dependencies */
    struct cpu_edge inline_edges[3];
    uint64_t finished_ns;
    cpu_run *run;
    /* Argument of `run`: the payload, or memory of the caller. */
    void *argument;
    void *heap; /* memory to free with the operation, or NULL */
    struct cpu_launch launch;
    _Alignas(16) char payload[CPU_OP_PAYLOAD];
    struct cpu_share shares[CPU_SHARES];
};

/* Allocates an operation with one reference. op->argument points to its
 * payload of `payload_bytes` bytes. Returns NULL if there is not enough
 * memory. */
struct cpu_op *cpu_op_new(struct cpu_context *ctx, enum cpu_op_kind kind,
                          size_t payload_bytes);
void cpu_op_release(struct cpu_op *op);
/* Appends `op` to the stream. Besides the stream's earlier operations, `op`
 * also waits for `also`, unless that is NULL. The caller keeps its reference
 * to `op`. Returns true if `op` could start immediately. A CALLER operation is
 * then RUNNING: the caller must run and finish it. */
bool cpu_op_submit(struct cpu_stream *stream, struct cpu_op *op,
                   struct cpu_op *also);
/* Appends `op` to the stream. It also waits for the `count` operations in
 * `after`; if `stream` is NULL, only for these. Returns true if `op` could
 * start immediately. */
bool cpu_op_submit_after(struct cpu_stream *stream, struct cpu_op *op,
                         struct cpu_op *const *after, size_t count);
/* Sets the state of `op` to done and starts the operations that waited only
 * for it. Called by the thread that ran `op`. */
void cpu_op_finish(struct cpu_op *op);
void cpu_op_wait(struct cpu_op *op);       /* waits until done */
void cpu_op_wait_ready(struct cpu_op *op); /* waits until it may start */
static inline bool
cpu_op_done(struct cpu_op *op)
{
    return atomic_load_explicit(&op->state, memory_order_acquire) ==
           CPU_OP_DONE;
}
/* Returns a new reference to the stream's last operation, or NULL if there is
 * none. */
struct cpu_op *cpu_stream_tail(struct cpu_stream *stream);
/* cpu_stream_idle returns true if all operations of the stream are done.
 * cpu_stream_wait waits until they are. */
bool cpu_stream_idle(struct cpu_stream *stream);
void cpu_stream_wait(struct cpu_stream *stream);
/* Waits until all operations of the context are done. */
void cpu_scheduler_drain(struct cpu_context *ctx);
/* Run a function in stream order. cpu_run_sync waits for the earlier
 * operations and runs the function on the calling thread. cpu_run_async copies
 * `argument`; a worker runs the function, or the calling thread if it is
 * `small` and can start immediately. If the stream is being captured,
 * cpu_run_async adds a graph node of `type` instead. */
CUresult cpu_run_sync(struct cpu_stream *stream, cpu_run *run, void *argument);
CUresult cpu_run_async(struct cpu_stream *stream, CUgraphNodeType type,
                       cpu_run *run, const void *argument, size_t bytes,
                       bool small);
/* Runs the function of a CALL operation. Called by workers. */
void cpu_op_call(struct cpu_op *op);
/* Returns the time of the monotonic clock in nanoseconds. */
uint64_t cpu_now_ns(void);

extern pthread_mutex_t cpu_scheduler_lock;
/* Releases the scheduler lock, then wakes the threads for which there is work
 * now. */
void cpu_scheduler_unlock(void);

/* ---- graph/capture_tasks.c, capture_guard.c, capture_events.c ---- */

struct cpu_task;
/* If not NULL, the next task (graph node's work) that the calling thread
 * submits is stored here instead of being executed. */
extern _Thread_local struct cpu_task *cpu_task_sink
    __attribute__((tls_model("initial-exec")));
static inline bool
cpu_stream_records(struct cpu_stream *stream)
{
    return cpu_task_sink ||
           atomic_load_explicit(&stream->capture, memory_order_relaxed);
}
/* Stores the task in cpu_task_sink, or adds it to the stream's capture. Takes
 * ownership of the task, even on failure. */
CUresult cpu_task_note(struct cpu_stream *stream, struct cpu_task *task);
/* Called before the legacy stream is used. If captured work would have to wait
 * for it, invalidates the capture and returns an error. */
CUresult cpu_capture_implicit(struct cpu_context *ctx);
/* Called by a function that is forbidden for a captured stream. Invalidates
 * the stream's capture and returns the error. */
CUresult cpu_capture_refuse(struct cpu_stream *stream);
/* Called by a function that waits for all streams of the context, or of the
 * green context if that is not NULL. If one of them is captured, invalidates
 * the capture and returns an error. */
CUresult cpu_capture_refuse_all(struct cpu_context *ctx,
                                const struct cpu_green *green);
/* Called by a function that a capture in global or thread-local mode forbids.
 * Returns an error if there is such a capture. */
CUresult cpu_capture_unsafe(void);
/* The captured graph nodes on which a recorded event depends.
 * cpu_capture_record creates this object. cpu_capture_wait makes a stream
 * depend on its nodes. */
struct cpu_captured;
CUresult cpu_capture_record(struct cpu_stream *stream,
                            struct cpu_captured **made);
CUresult cpu_capture_wait(struct cpu_stream *stream,
                          const struct cpu_captured *event);
/* Called when a program queries whether a captured event is complete.
 * Invalidates the capture and returns an error. */
CUresult cpu_capture_asked(const struct cpu_captured *event);
/* Called when a captured stream would wait for work outside its capture.
 * Invalidates the capture and returns an error. */
CUresult cpu_capture_isolated(struct cpu_stream *stream);
/* Called when a stream ends. */
void cpu_capture_leave(struct cpu_stream *stream);

/* ---- stream/stream.c, stream/event.c ---- */

#define CPU_PRIORITY_HIGHEST (-5) /* the lowest priority is 0 */
/* Returns the priority, limited to the valid range. */
int cpu_priority_clamp(int priority);
/* If true, the calling thread's default stream is ctx->per_thread; otherwise
 * it is ctx->legacy. */
extern _Thread_local bool cpu_default_is_per_thread
    __attribute__((tls_model("initial-exec")));
/* Finds a stream of `ctx` by its handle; NULL is the default stream. Returns
 * INVALID_HANDLE for a stream of another context. */
CUresult cpu_stream_of(CUstream handle, struct cpu_context *ctx,
                       struct cpu_stream **stream);
/* Finds a stream of any context by its handle; a default stream is that of the
 * current context. Works in contexts with a sticky error. */
CUresult cpu_stream_any(CUstream handle, struct cpu_stream **stream);
/* Finds the stream and its context for copies, fills, events and graphs. As in
 * CUDA, the stream may have been created in another context than the current
 * one. Fails if one of the two contexts has a sticky error. */
CUresult cpu_stream_current(CUstream handle, struct cpu_context **ctx,
                            struct cpu_stream **stream);
/* Makes a new stream wait for the operations for which all streams of its
 * context must wait (context_events.c). */
CUresult cpu_stream_wait_gates(struct cpu_stream *stream);
/* Add a stream to the context's list, or remove it. Both functions take the
 * scheduler lock. */
void cpu_stream_attach(struct cpu_context *ctx, struct cpu_stream *stream);
void cpu_stream_detach(struct cpu_stream *stream);
/* Destroy all streams, or all events, of a context that is being destroyed. */
void cpu_streams_close(struct cpu_context *ctx);
void cpu_events_close(struct cpu_context *ctx);

/* An event, as graph nodes that record it or wait for it use it. */
struct cpu_event;
/* Returns a new reference to the event of a handle. Returns NULL if there is
 * none. */
struct cpu_event *cpu_event_take(CUevent handle);
void cpu_event_retain(struct cpu_event *event);
void cpu_event_release(struct cpu_event *event);
uint64_t
cpu_event_context(const struct cpu_event *event); /* id of its context */
/* Called when the event is recorded outside captures: discards the nodes of an
 * earlier captured record. */
void cpu_event_forget_capture(struct cpu_event *event);
/* Returns true if the event was last recorded in a capture, and invalidates
 * that capture. */
bool cpu_event_invalidates(struct cpu_event *event);
/* Returns whether the event is an interprocess event. */
bool cpu_event_shared(const struct cpu_event *event);
/* cpu_event_mark returns a new reference to the operation of the last record,
 * or NULL. cpu_event_set_mark stores another operation and takes a reference
 * to it. Both take the event's mark_lock, and no other lock meanwhile. */
struct cpu_op *cpu_event_mark(struct cpu_event *event);
void cpu_event_set_mark(struct cpu_event *event, struct cpu_op *mark);

/* ---- stream/ipc_event.c: interprocess events ---- */

struct cpu_ipc_event;
/* Creates the state of an interprocess event, with one reference.
 * cpu_ipc_event_release releases a reference; it accepts NULL. */
CUresult cpu_ipc_event_new(struct cpu_ipc_event **made);
void cpu_ipc_event_release(struct cpu_ipc_event *event);
/* Stores a handle of the event for other processes. Fails in any process but
 * the one that created the event. */
CUresult cpu_ipc_event_export(struct cpu_ipc_event *event,
                              CUipcEventHandle *handle);
/* Maps the state of an event that another process has created. */
CUresult cpu_ipc_event_open(const CUipcEventHandle *handle,
                            struct cpu_ipc_event **made);
/* Records the event at the current end of the stream. */
CUresult cpu_ipc_event_record(struct cpu_ipc_event *event,
                              struct cpu_stream *stream);
/* Returns whether the last record that any process has made so far is
 * reached. */
bool cpu_ipc_event_done(struct cpu_ipc_event *event);
/* Blocks the calling thread until the last record that any process has made so
 * far is reached. */
void cpu_ipc_event_wait(struct cpu_ipc_event *event);
/* Makes the stream wait until the last record that any process has made so far
 * is reached. */
CUresult cpu_ipc_event_gate(struct cpu_ipc_event *event,
                            struct cpu_stream *stream);

/* ---- stream/workers.c ---- */

struct cpu_fiber {
    void *sp;
    struct image_thread thread;
    uint64_t result;
};

/* A text buffer that grows up to `most` bytes. All zeros is an empty
 * buffer. */
struct cpu_text {
    char *bytes;
    size_t used, capacity, most;
    bool lost; /* some text was dropped because it did not fit */
};

/* Number of named barriers of a block (run/named.c). The first 16 are those of
 * PTX; the others are for tiles (cooperative groups) larger than a warp. */
enum { CPU_NAMED_BARRIERS = 48 };
struct cpu_named {
    unsigned arrived, phase;
};

/* State of a thread that runs kernels: a worker thread, or a thread of the
 * program that ran a small launch itself. Only that thread uses it, except for
 * `handoff`. */
struct cpu_worker {
    /* Slot to receive operations; NULL: receives none. */
    struct cpu_handoff *handoff;
    volatile int in_kernel; /* a fault now is a fault of the kernel */
    volatile int faulting;
    void *guard; /* where cpu_fiber_unwind continues */
    struct cpu_launch *launch;
    struct cpu_context *ctx;
    struct image_thread *self;
    struct image_thread loop_thread;
    struct image_block block;
    char *shared;
    size_t shared_bytes;
    size_t shared_guard; /* bytes of the guard region above `shared` */
    uintptr_t fault_address;
    struct cpu_text text; /* for printf; incomplete after a fault */
    /* State of the fibers of the running block. */
    char *stacks;
    size_t stacks_bytes;
    size_t stride;
    size_t guard_bytes; /* inaccessible bytes below each stack, or 0 */
    unsigned current;
    unsigned threads;
    unsigned live;
    unsigned arrived;
    /* Threads that passed a true predicate to the barrier. */
    int barrier_count;
    int barrier_results[2];
    unsigned barrier_phase;
    unsigned yields;
    unsigned waiting; /* number of threads that wait at named barriers */
    bool named_used;
    struct cpu_named named[CPU_NAMED_BARRIERS];
    void *main_sp;
    uint64_t ready[CPU_MAX_THREADS / 64];
    struct cpu_fiber *fibers;
    struct cpu_warp *warps;
    /* Extra stack, for thread loops with large frames or recursion. */
    char *deep;
    size_t deep_bytes;
    struct cpu_check *check; /* state of the kernel checks, or NULL */
    /* The block takes turns with others of its thread (run/together.c). */
    bool together;
    /* State of the next block of the same thread. */
    struct cpu_worker *beside;
    /* The thread's entry in the list of abandon.h. */
    struct cpu_runner runner;
    void *signal_stack; /* alternate signal stack, if this library made it */
    /* Unused operation for the thread's next submission, or NULL. */
    struct cpu_op *spare_op;
};

/* run/named.c: resets the named barriers for a new block. */
void cpu_named_reset(struct cpu_worker *worker);

/* Returns the worker state of the calling thread, and creates it on the first
 * call. Returns NULL if there is not enough memory. The state is freed when
 * the thread ends. */
struct cpu_worker *cpu_worker_self(void);
/* Allocates a worker state. Returns NULL if there is not enough memory. */
struct cpu_worker *cpu_worker_new(void);
/* ---- run/pieces.c ---- */

/* Computes the chunk sizes and the shares of a launch. */
void cpu_pieces_plan(struct cpu_op *op);
/* Returns the index of the share from which the calling thread's processor
 * takes chunks first. */
unsigned cpu_share_near(const struct cpu_launch *launch);
/* Takes the next chunk, from share `near` if possible. Stores the index of its
 * first block and returns its number of blocks. Returns 0 if no chunks are
 * left. */
uint64_t cpu_piece_take(struct cpu_launch *launch, unsigned near,
                        uint64_t *first);
/* Returns true if the launch has blocks that no thread has taken. */
bool cpu_pieces_left(const struct cpu_launch *launch);

/* Runs chunks of a kernel on the calling thread, which waits for `op`. The
 * kernel is `op` or one that `op` depends on. Returns false if there is no
 * such chunk. */
bool cpu_worker_help(const struct cpu_op *op);
extern _Thread_local struct cpu_worker *cpu_worker_tls
    __attribute__((tls_model("initial-exec")));
/* Starts the workers and the watchdog unless they run already. Returns
 * OUT_OF_MEMORY or a system error on failure. */
CUresult cpu_workers_start(void);

/* ---- run/block.c, run/warp.c, run/runtime.c ---- */

/* Runs the blocks with indices [first, first + count) of a launch on the
 * calling thread. If a block fails, returns its error. */
CUresult cpu_block_run(struct cpu_worker *worker, struct cpu_launch *launch,
                       uint64_t first, uint64_t count);
/* Frees the stacks and the shared memory of the worker. */
void cpu_block_close(struct cpu_worker *worker);
/* ---- run/shared.c ---- */

/* Returns the bytes of shared memory per block, static and dynamic. */
uint64_t cpu_block_shared(const struct cpu_launch *launch);
/* Enlarges worker->shared to the size that the launch needs. On failure it
 * stays unchanged. */
CUresult cpu_shared_reserve(struct cpu_worker *worker,
                            const struct cpu_launch *launch);
/* Unmaps worker->shared, if there is any. */
void cpu_shared_drop(struct cpu_worker *worker);

/* ---- run/block.c ---- */

/* Allocates the fibers and stacks for a block. Returns OUT_OF_MEMORY on
 * failure. */
CUresult cpu_fibers_prepare(struct cpu_worker *worker,
                            struct cpu_launch *launch);
/* Prepares the worker for blocks of the launch. Stores in `*stack` the stack
 * for a kernel that loops over its threads; NULL means the thread's own
 * stack. */
CUresult cpu_block_prepare(struct cpu_worker *worker,
                           struct cpu_launch *launch, void **stack);
/* Initializes the fibers for the block with this index in the grid. */
void cpu_fibers_begin(struct cpu_worker *worker, uint64_t index);
/* Runs the fibers until all have ended (`live` is then 0), or until the block
 * has to wait for other blocks. */
void cpu_fibers_go_on(struct cpu_worker *worker);
/* Suspends the current fiber and runs another one. Returns when the suspended
 * fiber is resumed. If no fiber is ready, the launch fails. */
void cpu_fibers_next(struct cpu_worker *worker);
/* Ends the launch on the calling thread with error `code`. Does not return. */
void cpu_fibers_fail(CUresult code);
/* Calls function(argument) on a stack that is larger than that of a fiber. The
 * function may fail like a kernel, but must not switch fibers. */
void cpu_fibers_aside(struct cpu_worker *worker, void (*function)(void *),
                      void *argument);
/* Makes the waiting fibers ready if all live threads have arrived at the
 * block's barrier. */
void cpu_fibers_barrier_check(struct cpu_worker *worker);
/* run/together.c: cpu_together_run runs several cooperative blocks in turns on
 * the calling thread. cpu_together_next, called on a fiber, ends the turn of
 * its block. */
void cpu_together_run(struct cpu_worker *worker, struct cpu_launch *launch,
                      uint64_t first, uint64_t count);
void cpu_together_next(struct cpu_worker *worker);
#define CPU_RUNTIME_ROW(result, name, arguments, stops) result name arguments;
IMAGE_RUNTIME(CPU_RUNTIME_ROW)
static inline void
cpu_fiber_ready(struct cpu_worker *worker, unsigned linear)
{
    worker->ready[linear / 64] |= 1ull << (linear % 64);
}

/* ---- run/occupancy.c ---- */

/* Returns how many blocks of the function fit on a multiprocessor, according
 * to the limits in attributes.c. */
int cpu_occupancy_blocks(const struct cpu_function *function, int threads,
                         size_t shared);

/* ---- run/launch.c ---- */

/* Called once after the last block: stores the launch's duration and ends its
 * checks. */
void cpu_launch_finish(struct cpu_launch *launch);
/* Called once before the first block, before another worker can run blocks. */
void cpu_launch_start(struct cpu_launch *launch);
/* Makes `op` a launch of the function. op->argument has the kernel
 * parameters. */
void cpu_launch_fill(struct cpu_op *op, struct cpu_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, bool cooperative);

/* ---- run/heap.c ---- */

/* Frees all memory that kernels of the context have allocated and not
 * freed. */
void cpu_heap_close(struct cpu_context *ctx);

/* ---- run/format.c ---- */

/* cpu_text_clear empties the text and sets its maximum size in bytes.
 * cpu_text_print appends formatted text. */
void cpu_text_clear(struct cpu_text *text, size_t most);
void cpu_text_print(struct cpu_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a kernel's packed arguments to the text, formatted like CUDA's
 * printf. Returns the number of arguments. */
int32_t cpu_text_format(struct cpu_text *text, const char *format,
                        const void *args);

/* ---- run/printf.c ---- */

/* Create, free and flush (print) the output buffer for the kernels of a
 * context. Flushing takes the printf lock. */
struct cpu_fifo *cpu_fifo_new(void);
void cpu_fifo_delete(struct cpu_fifo *fifo);
void cpu_fifo_flush(struct cpu_context *ctx);

/* ---- nvrtc/jit.c: pycuda-jit as a child process ---- */

struct cpu_jit_result {
    void *image; /* compiled image, allocated by malloc */
    size_t image_bytes;
    char *text; /* messages of the compiler, allocated by malloc */
    int status; /* exit status; -1: could not start, or was killed */
};

/* Runs pycuda-jit on the input and waits until it ends. The caller frees the
 * image and the text. If the result is CUDA_SUCCESS, `image` is a complete
 * image. Returns JIT_COMPILER_NOT_FOUND if pycuda-jit could not be started,
 * INVALID_PTX if it failed. */
CUresult cpu_jit_run(const void *input, size_t bytes, char *const options[],
                     struct cpu_jit_result *result);

/* ---- memory/copy.c ---- */

struct cpu_rows {
    char *to;
    const char *from;
    /* Width in bytes, height in rows, depth in slices. */
    size_t width, height, depth;
    size_t to_pitch, to_slice;
    size_t from_pitch, from_slice;
};

/* Submits a copy in stream order. If `wait`, returns after the copy is done.
 * The caller has checked the addresses. */
CUresult cpu_rows_submit(const struct cpu_rows *rows,
                         struct cpu_stream *stream, bool wait);

#endif
