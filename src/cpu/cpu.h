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
/* Attribute of functions that suspend a fiber. Sanitizers match calls with
 * returns, which do not correspond in these functions. */
#define CPU_ON_FIBER       __attribute__((no_sanitize_address, no_sanitize_thread))
#define CPU_VERSION        13000 /* CUDA version that the library reports */
#define CPU_MAX_DEVICES    64
#define CPU_MAX_THREADS    1024 /* per block */
#define CPU_WARP           32
#define CPU_TEXTURE_PITCH  32 /* alignment of texture rows */
#define CPU_SHARED_DEFAULT (48u << 10)
#define CPU_SHARED_OPTIN   (96u << 10)
#define CPU_LIMITS         8
#define CPU_PARAMETER_MAX  4096 /* size limit of kernel parameters */

struct cpu_context;
struct cpu_green;
struct cpu_image;
struct cpu_op;
struct cpu_worker;

/* ---- device/device.c, device/attributes.c ---- */

/* State of the library; written by the first cuInit. */
struct cpu_state {
    atomic_bool initialized;
    /* This process was forked from a process that had called cuInit. */
    atomic_bool forked;
    bool fork_safe; /* the handlers of fork.c are installed */
    int device_count;
    int visible[CPU_MAX_DEVICES]; /* virtual device of each ordinal */
    int threads;                  /* worker threads */
    uint64_t memory_bytes;        /* memory of one device */
};

extern struct cpu_state cpu_state;
extern pthread_mutex_t cpu_init_lock;

/* Returns CUDA_SUCCESS, or NOT_INITIALIZED before cuInit. */
CUresult cpu_ready(void);
/* Returns CUDA_SUCCESS for an existing device, INVALID_DEVICE for another
 * ordinal, NOT_INITIALIZED before cuInit. */
CUresult cpu_device_check(CUdevice device);
/* Stores the value of an attribute; returns 0 if CUDA has no such attribute,
 * else 1. */
int cpu_device_attribute(CUdevice_attribute attribute, int *value);
/* device/thread_count.c: returns the number of worker threads, from 1 to
 * `most`. */
int cpu_thread_count(int most);

/* ---- device/context.c ---- */

struct cpu_stream {
    CUstream handle;
    struct cpu_context *ctx;
    unsigned flags;
    int priority;
    uint64_t id;
    /* Newest operation; holds a reference; scheduler lock. */
    struct cpu_op *tail;
    struct cpu_stream *next, *previous;
    bool ended; /* destroyed, but its operations are not done */
    struct cpu_stream_attributes *attributes; /* owned; or NULL */
    struct cpu_capture *_Atomic capture;      /* set under the graph lock */
    struct cpu_stream *captured_next;         /* capture's list; graph lock */
    struct cpu_green *green; /* green context of the stream, or NULL */
    CUgraphNode *tips;       /* dependencies of the next node; graph lock */
    size_t tip_count;
    bool joined; /* another stream of the capture waits for all of its work;
                  * graph lock */
};

struct cpu_context {
    CUcontext handle;
    int device;
    unsigned flags;
    bool primary;
    uint64_t id;
    atomic_int error; /* sticky CUresult of a fault */
    pthread_mutex_t lock;
    size_t limits[CPU_LIMITS];
    CUfunc_cache cache;
    CUsharedconfig shared_config;
    struct cpu_stream legacy, per_thread;
    struct cpu_stream *streams; /* all streams, legacy first; scheduler lock */
    /* Number of unfinished operations; scheduler lock. */
    unsigned outstanding;
    struct cpu_module *modules; /* guarded by lock */
    struct cpu_fifo *fifo;      /* output of run/printf.c */
    uint64_t peers;             /* bit mask of devices with peer access */
    atomic_size_t heap_used;    /* bytes of device-side malloc */
    pthread_mutex_t heap_lock;
    struct cpu_heap_block *heap; /* all heap blocks; heap_lock */
    atomic_uint capturing;       /* number of captured streams */
    /* New streams wait for it, if there is one. Written under the scheduler
     * lock. */
    struct cpu_op *_Atomic gate;
};

/* Returns the calling thread's current context. Fails if there is none, it was
 * destroyed, or it has a sticky error. */
CUresult cpu_context_current(struct cpu_context **ctx);
/* Returns the calling thread's current context, even with a sticky error. */
CUresult cpu_context_current_any(struct cpu_context **ctx);
/* Returns the context of a handle, or INVALID_CONTEXT. */
CUresult cpu_context_of(CUcontext handle, struct cpu_context **ctx);
/* Returns the context's sticky error, or CUDA_SUCCESS. */
CUresult cpu_context_status(struct cpu_context *ctx);
/* Sets the sticky error, unless the context already has one. */
void cpu_context_fail(struct cpu_context *ctx, CUresult code);
/* Waits for all operations and prints pending output of kernels. Returns the
 * sticky error. */
CUresult cpu_context_synchronize(struct cpu_context *ctx);
/* Creates a context with its default streams. The caller owns it until
 * cpu_context_destroy. */
CUresult cpu_context_new(CUdevice device, unsigned flags,
                         struct cpu_context **made);
/* Waits for pending operations, then frees everything that the context
 * owns. */
void cpu_context_destroy(struct cpu_context *ctx);
/* Returns whether the flags are valid for a context. */
bool cpu_context_flags_valid(unsigned flags);
uint64_t cpu_context_next_id(void); /* unique in the process */

/* ---- memory/arena.c: device memory ---- */

enum cpu_memory_kind {
    CPU_MEMORY_FREE,
    CPU_MEMORY_DEVICE,
    CPU_MEMORY_MANAGED,
    CPU_MEMORY_HOST,       /* cuMemHostAlloc */
    CPU_MEMORY_REGISTERED, /* cuMemHostRegister: the caller's memory */
    CPU_MEMORY_GLOBAL,     /* a module's variable */
    CPU_MEMORY_IPC,
    CPU_MEMORY_GRAPH,    /* allocated by a graph node */
    CPU_MEMORY_RESERVED, /* address range of cuMemAddressReserve */
    CPU_MEMORY_MAPPED,   /* mapped by cuMemMap */
    CPU_MEMORY_KEPT,     /* freed and in quarantine, for the checks */
};

struct cpu_allocation {
    uintptr_t base;
    size_t bytes;
    enum cpu_memory_kind kind;
    unsigned flags;
    int device;
    uint64_t context_id;
    uint64_t id;
    CUmemoryPool pool;              /* pool of cuMemAllocAsync, or NULL */
    struct cpu_graph_memory *graph; /* for CPU_MEMORY_GRAPH */
};

/* Position of an allocation in a memory file. */
struct cpu_shared {
    int fd; /* owned by the arena */
    size_t offset, bytes;
};

/* Moves the allocation that contains the address, and those that share its
 * pages, into a memory file. No thread may write to it during the call. Takes
 * the memory lock. */
CUresult cpu_arena_share(uintptr_t address, struct cpu_shared *shared);
void cpu_ipc_close(struct cpu_context *ctx); /* memory/ipc.c */

/* memory/mempool.c: subtracts `bytes` that are about to be freed from the
 * pool's usage. */
void cpu_pool_return(CUmemoryPool pool, size_t bytes);

/* Allocates memory with the properties `as` and stores its address. Returns
 * OUT_OF_MEMORY on failure. This function and those below take the memory
 * lock. */
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
/* Removes memory outside the arena that was added before. */
CUresult cpu_arena_disown(uintptr_t base, enum cpu_memory_kind kind);
/* Frees all memory of a context that is being destroyed. */
void cpu_arena_free_context(uint64_t context_id);
/* Returns true if the address is in the arena's address range. */
bool cpu_arena_contains(uintptr_t address);
/* Returns the bytes that are allocated on the device. */
size_t cpu_arena_used(int device);

/* ---- memory/memory.c ---- */

/* Returns INVALID_VALUE unless [pointer, pointer + bytes) is inside one
 * allocation. */
CUresult cpu_memory_check(CUdeviceptr pointer, size_t bytes);

/* ---- stream/scheduler.c: operations and their dependencies ---- */

/* Function of an operation. If a worker runs it, an error becomes the
 * context's sticky error; otherwise the submitter gets the error. */
typedef CUresult cpu_run(void *argument);

enum cpu_op_kind {
    CPU_OP_MARK,   /* a marker without work: an event or a wait */
    CPU_OP_CALL,   /* run(argument) on a worker */
    CPU_OP_KERNEL, /* a launch */
    CPU_OP_CALLER, /* run by the thread that submits it */
};

enum cpu_op_state {
    CPU_OP_WAITING,
    CPU_OP_READY,
    CPU_OP_RUNNING,
    CPU_OP_DONE
};

/* A dependency: `to` waits for the operation that has this edge in its
 * list. */
struct cpu_edge {
    struct cpu_op *to;
    struct cpu_edge *next;
};

/* Blocks with which one processor begins; see run/pieces.c. */
struct cpu_share {
    _Alignas(64) _Atomic uint64_t next; /* first block that is not taken */
    uint64_t end;
};

#define CPU_SHARES 16

struct cpu_launch {
    struct cpu_function *function;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t dynamic_shared;
    uint32_t threads; /* per block */
    void *params;
    uint64_t total;           /* number of blocks */
    uint64_t most, least;     /* blocks per chunk: start, end */
    struct cpu_share *shares; /* array in the operation */
    unsigned share_count;
    _Atomic uint64_t left; /* number of unfinished blocks */
    _Atomic uint64_t ns;   /* total time of all threads */
    atomic_int error;
    atomic_uint running; /* threads that run a block */
    unsigned joined;     /* threads that have taken blocks; scheduler lock */
    uint64_t started_ns;
    uint64_t serial;     /* identifies the launch to the checks */
    uint32_t before;     /* last epoch before the launch, for the checks */
    atomic_bool checked; /* the checks know of the launch */
    bool cooperative;
    atomic_uint grid_arrived, grid_phase; /* state of the grid barrier */
    atomic_uint grid_ended;               /* blocks that have ended */
};

#define CPU_OP_PAYLOAD 256

struct cpu_op {
    atomic_uint references;
    atomic_uint state;
    enum cpu_op_kind kind;
    /* Kind that a CALLER operation becomes if it cannot start immediately. */
    enum cpu_op_kind kind_if_deferred;
    bool runs_after_failure; /* runs in a failed context too */
    bool finishes_later;     /* its function calls cpu_op_finish itself */
    bool queued;             /* a kernel in the ready queue */
    int priority;            /* of a kernel; lower values run first */
    unsigned pending;        /* number of unfinished dependencies */
    unsigned edge_count;
    struct cpu_context *ctx;
    struct cpu_op *next;         /* in a queue or the free list */
    struct cpu_edge *dependents; /* operations that wait for it */
    struct cpu_edge *edges;      /* its dependencies */
    struct cpu_edge inline_edges[3];
    uint64_t finished_ns;
    cpu_run *run;
    void *argument; /* the payload, or memory of the caller */
    void *heap;     /* freed with the operation */
    struct cpu_launch launch;
    _Alignas(16) char payload[CPU_OP_PAYLOAD];
    struct cpu_share shares[CPU_SHARES];
};

/* Allocates an operation with one reference and `payload_bytes` of payload at
 * op->argument; NULL if there is not enough memory. */
struct cpu_op *cpu_op_new(struct cpu_context *ctx, enum cpu_op_kind kind,
                          size_t payload_bytes);
void cpu_op_release(struct cpu_op *op);
/* Appends `op` to the stream; it also waits for `also`, unless that is NULL.
 * The caller keeps its reference. Returns true if the operation was ready
 * immediately; a CALLER operation is then RUNNING and the caller must run and
 * finish it. */
bool cpu_op_submit(struct cpu_stream *stream, struct cpu_op *op,
                   struct cpu_op *also);
/* Appends `op` to the stream after `count` further dependencies. Without a
 * stream (NULL) these are the only ones. Returns true if the operation was
 * ready immediately. */
bool cpu_op_submit_after(struct cpu_stream *stream, struct cpu_op *op,
                         struct cpu_op *const *after, size_t count);
/* Marks the operation as done and starts its dependents. Called by the thread
 * that ran it. */
void cpu_op_finish(struct cpu_op *op);
void cpu_op_wait(struct cpu_op *op);       /* waits until done */
void cpu_op_wait_ready(struct cpu_op *op); /* waits until it may start */
static inline bool
cpu_op_done(struct cpu_op *op)
{
    return atomic_load_explicit(&op->state, memory_order_acquire) ==
           CPU_OP_DONE;
}
/* Returns a new reference, or NULL. */
struct cpu_op *cpu_stream_tail(struct cpu_stream *stream);
/* Returns true if all operations of the stream are done; cpu_stream_wait waits
 * for that. */
bool cpu_stream_idle(struct cpu_stream *stream);
void cpu_stream_wait(struct cpu_stream *stream);
/* Waits until the context has no unfinished operation. */
void cpu_scheduler_drain(struct cpu_context *ctx);
/* Run a function in stream order. cpu_run_sync runs it on this thread after
 * its dependencies. cpu_run_async copies `argument`, and runs the function on
 * this thread only if it is `small` and ready immediately; if the stream
 * captures, it adds a node of `type` instead. */
CUresult cpu_run_sync(struct cpu_stream *stream, cpu_run *run, void *argument);
CUresult cpu_run_async(struct cpu_stream *stream, CUgraphNodeType type,
                       cpu_run *run, const void *argument, size_t bytes,
                       bool small);
/* Runs a CALL operation on a worker. */
void cpu_op_call(struct cpu_op *op);
/* Returns the monotonic time in nanoseconds. */
uint64_t cpu_now_ns(void);

extern pthread_mutex_t cpu_scheduler_lock;
/* Releases the scheduler lock, then wakes the threads that the holder found
 * work for. */
void cpu_scheduler_unlock(void);

/* ---- graph/capture_tasks.c, capture_guard.c, capture_events.c ---- */

struct cpu_task;
/* Receives the next task of the calling thread, which is then recorded instead
 * of executed. NULL otherwise. */
extern _Thread_local struct cpu_task *cpu_task_sink
    __attribute__((tls_model("initial-exec")));
static inline bool
cpu_stream_records(struct cpu_stream *stream)
{
    return cpu_task_sink ||
           atomic_load_explicit(&stream->capture, memory_order_relaxed);
}
/* Moves the task to the sink or to the stream's capture. Takes ownership of
 * the task even on failure. */
CUresult cpu_task_note(struct cpu_stream *stream, struct cpu_task *task);
/* Called before use of the legacy stream. Returns an error, and invalidates
 * the capture, if this would order captured work. */
CUresult cpu_capture_implicit(struct cpu_context *ctx);
/* Called for a function that a captured stream forbids: invalidates the
 * capture and returns the error. */
CUresult cpu_capture_refuse(struct cpu_stream *stream);
/* Called for a function that waits for the whole context, or for the green
 * context if not NULL. */
CUresult cpu_capture_refuse_all(struct cpu_context *ctx,
                                const struct cpu_green *green);
/* Called for a function that captures in global or thread-local mode
 * forbid. */
CUresult cpu_capture_unsafe(void);
/* The capture position of a recorded event: the captured nodes that it depends
 * on. cpu_capture_record creates it, and cpu_capture_wait makes the stream
 * depend on it. */
struct cpu_captured;
CUresult cpu_capture_record(struct cpu_stream *stream,
                            struct cpu_captured **made);
CUresult cpu_capture_wait(struct cpu_stream *stream,
                          const struct cpu_captured *event);
/* Called when the completion of a captured event is queried, which invalidates
 * the capture. */
CUresult cpu_capture_asked(const struct cpu_captured *event);
/* Called when the stream would wait for work outside its capture. */
CUresult cpu_capture_isolated(struct cpu_stream *stream);
void cpu_capture_leave(struct cpu_stream *stream); /* called at its end */

/* ---- stream/stream.c, stream/event.c ---- */

#define CPU_PRIORITY_HIGHEST (-5) /* the lowest priority is 0 */
/* Returns the priority limited to the valid range. */
int cpu_priority_clamp(int priority);
/* True if the calling thread's default stream is ctx->per_thread. */
extern _Thread_local bool cpu_default_is_per_thread
    __attribute__((tls_model("initial-exec")));
/* Looks up a stream of `ctx`; NULL is the default stream. Returns
 * INVALID_HANDLE for a stream of another context. */
CUresult cpu_stream_of(CUstream handle, struct cpu_context *ctx,
                       struct cpu_stream **stream);
/* Looks up a stream of any context; a default stream belongs to the current
 * context. Ignores sticky errors. */
CUresult cpu_stream_any(CUstream handle, struct cpu_stream **stream);
/* Looks up the stream for copies, fills, events and graphs, and its context:
 * the current one, or another one in which the stream was created, as in CUDA.
 * Fails if one of the two contexts has a sticky error. */
CUresult cpu_stream_current(CUstream handle, struct cpu_context **ctx,
                            struct cpu_stream **stream);
/* Makes a new stream wait for the operations that its context waits for
 * (context_events.c). */
CUresult cpu_stream_wait_gates(struct cpu_stream *stream);
/* Adds the stream to, or removes it from, the context's list. Both take the
 * scheduler lock. */
void cpu_stream_attach(struct cpu_context *ctx, struct cpu_stream *stream);
void cpu_stream_detach(struct cpu_stream *stream);
/* Destroys all streams, or all events, of a context that is being
 * destroyed. */
void cpu_streams_close(struct cpu_context *ctx);
void cpu_events_close(struct cpu_context *ctx);

/* Events, as used by graph nodes that record them or wait for them. */
struct cpu_event;
/* Returns a new reference to the event of a handle, or NULL if there is
 * none. */
struct cpu_event *cpu_event_take(CUevent handle);
void cpu_event_retain(struct cpu_event *event);
void cpu_event_release(struct cpu_event *event);
uint64_t
cpu_event_context(const struct cpu_event *event); /* id of its context */
/* Marks the event as last recorded outside captures. */
void cpu_event_forget_capture(struct cpu_event *event);
/* Returns true if the event was last recorded in a capture, and invalidates
 * that capture. */
bool cpu_event_invalidates(struct cpu_event *event);
/* Returns whether the event is an interprocess event. */
bool cpu_event_shared(const struct cpu_event *event);
/* cpu_event_mark returns a new reference to the operation of the last record,
 * or NULL. cpu_event_set_mark replaces it, and takes a reference. No other
 * lock is taken while their lock is held. */
struct cpu_op *cpu_event_mark(struct cpu_event *event);
void cpu_event_set_mark(struct cpu_event *event, struct cpu_op *mark);

/* ---- stream/ipc_event.c: interprocess events ---- */

struct cpu_ipc_event;
/* Creates the state of an interprocess event with one reference;
 * cpu_ipc_event_release drops one and accepts NULL. */
CUresult cpu_ipc_event_new(struct cpu_ipc_event **made);
void cpu_ipc_event_release(struct cpu_ipc_event *event);
/* Makes a handle for other processes. Only the creating process can do
 * that. */
CUresult cpu_ipc_event_export(struct cpu_ipc_event *event,
                              CUipcEventHandle *handle);
/* Maps the state of another process's event. */
CUresult cpu_ipc_event_open(const CUipcEventHandle *handle,
                            struct cpu_ipc_event **made);
/* Records the event in stream order. */
CUresult cpu_ipc_event_record(struct cpu_ipc_event *event,
                              struct cpu_stream *stream);
/* Returns whether the last record of any process so far has been reached. */
bool cpu_ipc_event_done(struct cpu_ipc_event *event);
/* Blocks the caller until that record is reached. */
void cpu_ipc_event_wait(struct cpu_ipc_event *event);
/* Makes the stream wait until the last record so far is reached. */
CUresult cpu_ipc_event_gate(struct cpu_ipc_event *event,
                            struct cpu_stream *stream);

/* ---- stream/workers.c ---- */

struct cpu_fiber {
    void *sp;
    struct image_thread thread;
    uint64_t result;
};

/* Text buffer that grows up to `most` bytes; zero-initialised. */
struct cpu_text {
    char *bytes;
    size_t used, capacity, most;
    bool lost; /* some text did not fit */
};

/* A named barrier (run/named.c). Kernels have 16; the others belong to tiles
 * of more than a warp. */
enum { CPU_NAMED_BARRIERS = 48 };
struct cpu_named {
    unsigned arrived, phase;
};

/* State of a thread that runs kernels: a worker, or a caller that ran a small
 * launch itself. Only that thread uses it, except for `handoff`. */
struct cpu_worker {
    struct cpu_handoff *handoff; /* NULL: takes no kernels, or not a worker */
    volatile int in_kernel;      /* faults are the kernel's */
    volatile int faulting;
    void *guard; /* target of cpu_fiber_unwind */
    struct cpu_launch *launch;
    struct cpu_context *ctx;
    struct image_thread *self;
    struct image_thread loop_thread;
    struct image_block block;
    char *shared;
    size_t shared_bytes;
    size_t shared_guard; /* bytes of the guard above `shared` */
    uintptr_t fault_address;
    struct cpu_text text; /* of printf; incomplete after a fault */
    /* State of the fibers. */
    char *stacks;
    size_t stacks_bytes;
    size_t stride;
    size_t guard_bytes; /* PROT_NONE below each stack, or 0 */
    unsigned current;
    unsigned threads;
    unsigned live;
    unsigned arrived;
    int barrier_count; /* number of true predicates */
    int barrier_results[2];
    unsigned barrier_phase;
    unsigned yields;
    unsigned waiting; /* threads at named barriers */
    bool named_used;
    struct cpu_named named[CPU_NAMED_BARRIERS];
    void *main_sp;
    uint64_t ready[CPU_MAX_THREADS / 64];
    struct cpu_fiber *fibers;
    struct cpu_warp *warps;
    /* One large stack for loops with large frames or recursion. */
    char *deep;
    size_t deep_bytes;
    struct cpu_check *check; /* state of checked kernels, or NULL */
    bool together; /* the block alternates with others (run/together.c) */
    struct cpu_worker *beside; /* state of the next block of this thread */
    struct cpu_runner runner;  /* registry entry of the thread */
    void *signal_stack;        /* allocated if there was none */
    /* Spare operation for the thread's next submission, or NULL. */
    struct cpu_op *spare_op;
};

/* run/named.c: resets the named barriers for a new block. */
void cpu_named_reset(struct cpu_worker *worker);

/* Returns a new handle, or NULL if the table is full. `owner` is the id of the
 * context that owns the object, or 0. */
/* Returns the worker of the calling thread, which it makes on the first call;
 * NULL if there is not enough memory. A thread-local destructor frees it. */
struct cpu_worker *cpu_worker_self(void);
/* Allocates a worker; NULL if there is not enough memory. */
struct cpu_worker *cpu_worker_new(void);
/* ---- run/pieces.c ---- */

/* Sets the chunk sizes and the shares of a launch. */
void cpu_pieces_plan(struct cpu_op *op);
/* Returns the index of the share that the caller's processor begins with. */
unsigned cpu_share_near(const struct cpu_launch *launch);
/* Takes the next chunk, preferably of the share `near`. Stores its first block
 * and returns the number of blocks, or 0 if none are left. */
uint64_t cpu_piece_take(struct cpu_launch *launch, unsigned near,
                        uint64_t *first);
/* Returns true if the launch has blocks that no thread has taken. */
bool cpu_pieces_left(const struct cpu_launch *launch);

/* Runs chunks of the kernel that `op` is or waits for on the calling thread.
 * Returns false if there are none for it. */
bool cpu_worker_help(const struct cpu_op *op);
extern _Thread_local struct cpu_worker *cpu_worker_tls
    __attribute__((tls_model("initial-exec")));
/* Starts the workers and the watchdog unless they run. Returns OUT_OF_MEMORY
 * or a system error on failure. */
CUresult cpu_workers_start(void);

/* ---- run/block.c, run/warp.c, run/runtime.c ---- */

/* Runs the blocks [first, first + count) of a launch on the calling thread.
 * Returns the error of a failed block. */
CUresult cpu_block_run(struct cpu_worker *worker, struct cpu_launch *launch,
                       uint64_t first, uint64_t count);
/* Frees the stacks and the shared memory of the worker. */
void cpu_block_close(struct cpu_worker *worker);
/* ---- run/shared.c ---- */

/* Returns the bytes of shared memory per block. */
uint64_t cpu_block_shared(const struct cpu_launch *launch);
/* Enlarges worker->shared to the size that the launch needs. On failure the
 * previous memory is unchanged. */
CUresult cpu_shared_reserve(struct cpu_worker *worker,
                            const struct cpu_launch *launch);
/* Unmaps worker->shared, if there is any. */
void cpu_shared_drop(struct cpu_worker *worker);

/* ---- run/block.c ---- */

/* Allocates the fibers and stacks for a block. Returns OUT_OF_MEMORY on
 * failure. */
CUresult cpu_fibers_prepare(struct cpu_worker *worker,
                            struct cpu_launch *launch);
/* Prepares the worker for blocks of the launch. Stores the stack for the
 * kernel's loop in `stack`, or NULL for the thread's stack. */
CUresult cpu_block_prepare(struct cpu_worker *worker,
                           struct cpu_launch *launch, void **stack);
/* Initializes the fibers for block `index` of the grid. */
void cpu_fibers_begin(struct cpu_worker *worker, uint64_t index);
/* Runs the fibers until all have ended (`live` is then 0) or the block waits
 * for other blocks. */
void cpu_fibers_go_on(struct cpu_worker *worker);
/* Suspends the current fiber and runs another one. Returns when the fiber is
 * resumed. Fails the launch if no fiber is ready. */
void cpu_fibers_next(struct cpu_worker *worker);
/* Ends the launch on this thread with `code`; does not return. */
void cpu_fibers_fail(CUresult code);
/* Calls function(argument) on a stack that is larger than a fiber's. The
 * function may fail like a kernel, but must not switch fibers. */
void cpu_fibers_aside(struct cpu_worker *worker, void (*function)(void *),
                      void *argument);
/* Releases the block barrier if all live threads have arrived. */
void cpu_fibers_barrier_check(struct cpu_worker *worker);
/* run/together.c: runs cooperative blocks that alternate on this thread;
 * cpu_together_next, called on a fiber, switches to the next block. */
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

/* Returns the number of blocks that a "multiprocessor" holds. */
int cpu_occupancy_blocks(const struct cpu_function *function, int threads,
                         size_t shared);

/* ---- run/launch.c ---- */

/* Called once after the last block: records the duration and ends the
 * checks. */
void cpu_launch_finish(struct cpu_launch *launch);
/* Called once before the first block, while no other worker has the launch. */
void cpu_launch_start(struct cpu_launch *launch);
/* Turns `op` into a launch; op->argument contains the parameters. */
void cpu_launch_fill(struct cpu_op *op, struct cpu_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, bool cooperative);

/* ---- run/heap.c ---- */

/* Frees all memory that kernels have not freed. */
void cpu_heap_close(struct cpu_context *ctx);

/* ---- run/format.c ---- */

/* Empty the text and set its maximum size; append formatted text. */
void cpu_text_clear(struct cpu_text *text, size_t most);
void cpu_text_print(struct cpu_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Formats packed arguments like CUDA's printf. Returns the number of
 * arguments. */
int32_t cpu_text_format(struct cpu_text *text, const char *format,
                        const void *args);

/* ---- run/printf.c ---- */

/* Create, free and print the output buffer of a context's kernels. Flushing
 * takes the printf lock. */
struct cpu_fifo *cpu_fifo_new(void);
void cpu_fifo_delete(struct cpu_fifo *fifo);
void cpu_fifo_flush(struct cpu_context *ctx);

/* ---- nvrtc/jit.c: pycuda-jit as a child process ---- */

struct cpu_jit_result {
    void *image; /* allocated by malloc */
    size_t image_bytes;
    char *text; /* messages; allocated by malloc */
    int status; /* exit status, or -1 if it could not run or died */
};

/* Runs pycuda-jit on the input and waits for it. The caller frees the image
 * and the text. With CUDA_SUCCESS `image` is one complete image. Returns
 * JIT_COMPILER_NOT_FOUND if pycuda-jit could not be started, INVALID_PTX if it
 * failed. */
CUresult cpu_jit_run(const void *input, size_t bytes, char *const options[],
                     struct cpu_jit_result *result);

/* ---- memory/copy.c ---- */

struct cpu_rows {
    char *to;
    const char *from;
    size_t width, height, depth; /* bytes, rows, slices */
    size_t to_pitch, to_slice;
    size_t from_pitch, from_slice;
};

/* Copies in stream order, and with `wait` returns after the copy. The caller
 * has checked the addresses. */
CUresult cpu_rows_submit(const struct cpu_rows *rows,
                         struct cpu_stream *stream, bool wait);

#endif
