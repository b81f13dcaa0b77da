/* scheduler.c - scheduler: dependencies of operations, and ready queues.
 *
 * Streams, events and the rules of the default stream all become dependencies
 * here: an operation waits for other operations, and becomes ready when the
 * last of them is done. Called by all files that submit work in stream order,
 * by workers.c to take ready operations, and by waiting threads.
 *
 * One lock guards the dependency graph, the queues and the streams' tails.
 * References to an operation are held by its stream's tail, by events, by
 * waiting threads, and one by the scheduler until the operation is done.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu/check/hooks.h"
#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/device/state.h"
#include "cpu/module/module_state.h"
#include "cpu/run/chunks.h"
#include "cpu/run/launch_accounting.h"
#include "cpu/run/launch_state.h"
#include "cpu/stream/child_state.h"
#include "cpu/stream/op_queue.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/ready_queue.h"
#include "cpu/stream/scheduler.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/wait_wake.h"
#include "cpu/stream/worker.h"

#define FREE_MAX 256 /* capacity of the free list, in operations */

/* An adaptive mutex spins before it sleeps. The lock is held for less time
 * than a thread needs to fall asleep and wake. */
pthread_mutex_t cpu_scheduler_lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t cpu_ready_queue_work_added = PTHREAD_COND_INITIALIZER;
pthread_cond_t cpu_ready_queue_calls_added = PTHREAD_COND_INITIALIZER;

struct cpu_ready_queue_counters cpu_ready_queue_counters;
struct cpu_handoff *cpu_handoffs;

static struct cpu_op *free_ops;
static unsigned free_count;

static struct cpu_op_queue ready_calls, ready_kernels;

/* The threads that cpu_scheduler_unlock wakes after it has released the lock.
 * Waking a thread on a sleeping processor takes longer than all work done
 * under the lock. */
static struct {
    uint64_t workers;
    bool calls, waiters;
} wakes;

unsigned cpu_ready_queue_sleeping;

void
cpu_scheduler_unlock(void)
{
    uint64_t workers = wakes.workers;
    bool calls = wakes.calls, waiters = wakes.waiters && cpu_wait_sleepers;
    bool all = workers >= cpu_ready_queue_sleeping;

    wakes.workers = 0;
    wakes.calls = wakes.waiters = false;
    pthread_mutex_unlock(&cpu_scheduler_lock);
    if (waiters) {
        cpu_wait_wake();
    }
    if (calls) {
        pthread_cond_signal(&cpu_ready_queue_calls_added);
    }
    if (workers && all) {
        pthread_cond_broadcast(&cpu_ready_queue_work_added);
        return;
    }
    for (; workers; workers--) {
        pthread_cond_signal(&cpu_ready_queue_work_added);
    }
}

/* Adds an operation to a queue of ready operations, and increments the counter
 * that idle workers read. */
static void
ready_put(struct cpu_op_queue *queue, struct cpu_op *op)
{
    cpu_op_queue_put(queue, op);
    atomic_fetch_add(&cpu_ready_queue_counters.ready, 1);
}

static struct cpu_op *
ready_pop(struct cpu_op_queue *queue)
{
    atomic_fetch_sub(&cpu_ready_queue_counters.ready, 1);
    return cpu_op_queue_pop(queue);
}

/* Inserts a kernel into the ready queue before all kernels of lower priority.
 * If a kernel of lower priority is running, its remaining blocks run later. */
static void
kernel_put(struct cpu_op *op)
{
    struct cpu_op_queue *queue = &ready_kernels;
    struct cpu_op **at = &queue->first;

    op->queued = true;
    if (!queue->last || queue->last->priority <= op->priority) {
        ready_put(queue, op);
        return;
    }
    while ((*at)->priority <= op->priority) {
        at = &(*at)->next;
    }
    op->next = *at;
    *at = op;
    atomic_fetch_add(&cpu_ready_queue_counters.ready, 1);
}

/* Removes from the ready queue a kernel that is not the first one. */
static void
kernel_remove(struct cpu_op *op)
{
    struct cpu_op *before = ready_kernels.first;

    while (before->next != op) {
        before = before->next;
    }
    before->next = op->next;
    if (ready_kernels.last == op) {
        ready_kernels.last = before;
    }
    op->queued = false;
    atomic_fetch_sub(&cpu_ready_queue_counters.ready, 1);
}

/* ---- creating and freeing operations ---- */

/* Takes an operation from the free list or allocates one; returns NULL if
 * there is not enough memory. */
static __attribute__((noinline)) struct cpu_op *
op_allocate_shared(void)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_op *op = free_ops;
    if (op) {
        free_ops = op->next;
        free_count--;
    }
    pthread_mutex_unlock(&cpu_scheduler_lock);
    return op ? op : aligned_alloc(64, (sizeof *op + 63) & ~63ul);
}

/* Returns a new operation: the calling thread's spare operation, for which no
 * lock is needed, or the result of op_allocate_shared if the thread has no
 * spare operation. */
static inline struct cpu_op *
op_allocate(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_op *op = worker ? worker->spare_op : NULL;

    if (!op) {
        return op_allocate_shared();
    }
    worker->spare_op = NULL;
    return op;
}

struct cpu_op *
cpu_op_new(struct cpu_context *ctx, enum cpu_op_kind kind,
           size_t payload_bytes)
{
    struct cpu_op *op = op_allocate();

    if (!op) {
        return NULL;
    }
    memset(op, 0, offsetof(struct cpu_op, payload));
    atomic_init(&op->references, 1);
    op->kind = op->kind_if_deferred = kind;
    op->ctx = ctx;
    op->argument = op->payload;
    if (payload_bytes > CPU_OP_PAYLOAD) {
        op->heap = malloc(payload_bytes);
        op->argument = op->heap;
        if (!op->heap) {
            cpu_op_release(op);
            return NULL;
        }
    }
    return op;
}

/* Frees what the operation owns, and stores the operation as the calling
 * thread's spare one. Returns false if the thread already has a spare
 * operation, or has no struct cpu_worker. */
static inline bool
op_recycle(struct cpu_op *op)
{
    struct cpu_worker *worker = cpu_worker_tls;

    if (op->heap) {
        free(op->heap);
        op->heap = NULL;
    }
    if (op->edges && op->edges != op->inline_edges) {
        free(op->edges);
    }
    if (op->order) {
        cpu_check_order_end(op);
    }
    if (!worker || worker->handoff || worker->spare_op) {
        return false;
    }
    worker->spare_op = op;
    return true;
}

/* Adds an unused operation to the free list, or frees it if the list is full.
 * The caller holds the scheduler lock. */
static void
op_share(struct cpu_op *op)
{
    if (free_count < FREE_MAX) {
        op->next = free_ops;
        free_ops = op;
        free_count++;
    } else {
        free(op);
    }
}

static void
op_release_locked(struct cpu_op *op)
{
    if (op && atomic_fetch_sub(&op->references, 1) == 1 && !op_recycle(op)) {
        op_share(op);
    }
}

/* Moves an operation from the free list to the calling thread, as the spare
 * one for its next submission. The caller holds the scheduler lock. */
static inline void
op_prefetch(void)
{
    struct cpu_worker *worker = cpu_worker_tls;

    if (worker && !worker->spare_op && free_ops) {
        worker->spare_op = free_ops;
        free_ops = free_ops->next;
        free_count--;
    }
}

void
cpu_op_release(struct cpu_op *op)
{
    if (op && atomic_fetch_sub(&op->references, 1) == 1 && !op_recycle(op)) {
        pthread_mutex_lock(&cpu_scheduler_lock);
        op_share(op);
        pthread_mutex_unlock(&cpu_scheduler_lock);
    }
}

/* ---- dependency graph; the scheduler lock is held ---- */

static void op_start(struct cpu_op *op, struct cpu_op_queue *marks);

/* Makes `op` wait for `on`. Does nothing and returns false if `on` is done, or
 * if `op` already has `capacity` dependencies. */
static bool
edge_add(struct cpu_op *op, struct cpu_op *on, unsigned capacity)
{
    if (!on || on == op || cpu_op_done(on) || op->edge_count == capacity) {
        return false;
    }
    struct cpu_edge *edge = &op->edges[op->edge_count++];
    edge->to = op;
    edge->next = on->dependents;
    on->dependents = edge;
    op->pending++;
    return true;
}

static bool
stream_blocking(const struct cpu_stream *stream)
{
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

/* Makes space for all dependencies that the operation may get. Returns false
 * if there is not enough memory. */
static bool
edges_reserve(struct cpu_stream *stream, struct cpu_op *op, size_t after,
              unsigned *capacity)
{
    unsigned wanted = (unsigned)after + (stream ? 2 : 0);

    if (stream && stream == &stream->ctx->legacy) {
        /* An operation of the legacy stream waits for the last operation of
         * each stream in ctx->streams, a list that includes the legacy stream.
         * So count one operation per stream of the list, instead of the two
         * that operations of other streams need. */
        wanted -= 2;
        for (struct cpu_stream *s = stream->ctx->streams; s; s = s->next) {
            wanted++;
        }
    }
    op->edges = op->inline_edges;
    *capacity = 3;
    if (wanted > 3) {
        struct cpu_edge *more = malloc(wanted * sizeof *more);
        if (!more) {
            return false;
        }
        op->edges = more;
        *capacity = wanted;
    }
    return true;
}

/* Adds the dependencies of an operation: the operations in `after`, the
 * stream's last operation, and the operations for which it waits by the rules
 * of the legacy default stream. */
static void
edges_make(struct cpu_stream *stream, struct cpu_op *op,
           struct cpu_op *const *after, size_t count, unsigned capacity)
{
    for (size_t i = 0; i < count; i++) {
        edge_add(op, after[i], capacity);
    }
    if (!stream) {
        return;
    }
    struct cpu_context *ctx = stream->ctx;

    edge_add(op, stream->tail, capacity);
    if (stream == &ctx->legacy) {
        for (struct cpu_stream *s = ctx->streams; s; s = s->next) {
            if (s != stream && stream_blocking(s)) {
                edge_add(op, s->tail, capacity);
            }
        }
    } else if (stream_blocking(stream)) {
        edge_add(op, ctx->legacy.tail, capacity);
    }
}

/* Returns how many workers to request for a launch: one per chunk at most, and
 * one fewer if a waiting thread may join the launch (cpu_worker_help). */
static uint64_t
workers_wanted(const struct cpu_launch *launch)
{
    uint64_t chunks = (launch->total + launch->least - 1) / launch->least;
    uint64_t most = (uint64_t)cpu_state.threads;
    uint64_t wanted = chunks < most ? chunks : most;

    return wanted - (wanted > 1 && launch->function->may_inline);
}

static struct cpu_op *kernel_first(uint64_t coming);
static struct cpu_op *kernel_join(void);

/* Reserves the hand-off slot of a spinning worker. The search begins at index
 * `*position`, which is advanced past the result. Returns NULL if no worker
 * spins. The order of the search is fixed, so that the same workers run
 * successive launches and find their data in their caches. */
static struct cpu_handoff *
handoff_reserve(unsigned *position)
{
    if (!atomic_load(&cpu_ready_queue_counters.spinning)) {
        return NULL;
    }
    while (*position < (unsigned)cpu_state.threads) {
        struct cpu_handoff *handoff = &cpu_handoffs[(*position)++];
        struct cpu_op *free = CPU_HANDOFF_FREE;

        if (atomic_compare_exchange_strong(&handoff->op, &free,
                                           CPU_HANDOFF_RESERVED)) {
            atomic_fetch_sub(&cpu_ready_queue_counters.spinning, 1);
            return handoff;
        }
    }
    return NULL;
}

/* Requests `wanted` workers for the first kernel of the ready queue. Spinning
 * workers come first: each one is made to join the kernel and receives it in
 * its hand-off slot. Sleeping workers are woken after the lock is released. */
static void
workers_request(uint64_t wanted)
{
    struct cpu_handoff *handoff;
    unsigned position = 0;

    atomic_fetch_add(&cpu_ready_queue_counters.puts, 1);
    while (wanted && kernel_first(wanted) &&
           (handoff = handoff_reserve(&position))) {
        atomic_store(&handoff->op, kernel_join());
        wanted--;
    }
    wakes.workers += wanted;
}

/* Passes a CALL operation to a spinning worker, or queues it and wakes a
 * worker. */
static void
call_put(struct cpu_op *op)
{
    unsigned position = 0;
    struct cpu_handoff *handoff = handoff_reserve(&position);

    if (handoff) {
        atomic_store(&op->state, CPU_OP_RUNNING);
        atomic_store(&handoff->op, op);
        return;
    }
    atomic_store(&op->state, CPU_OP_READY);
    ready_put(&ready_calls, op);
    wakes.calls = true;
    /* the thread that runs only CALL operations may be busy, so wake a worker,
     * too */
    wakes.workers++;
}

/* Sets the operation's state to done and starts the operations that waited
 * only for it. Does not start markers (operations without work), but appends
 * them to `marks`. If the operation was the last unfinished child of its
 * parent, appends the parent to `parents`. The caller finishes the operations
 * of both lists, without recursion. */
static void
op_complete(struct cpu_op *op, struct cpu_op_queue *marks,
            struct cpu_op_queue *parents)
{
    struct cpu_edge *edge = op->dependents;

    op->finished_ns = cpu_now_ns();
    op->dependents = NULL;
    atomic_store_explicit(&op->state, CPU_OP_DONE, memory_order_release);
    while (edge) {
        struct cpu_edge *next = edge->next;
        if (!--edge->to->pending) {
            op_start(edge->to, marks);
        }
        edge = next;
    }
    op->ctx->outstanding--;
    struct cpu_op *parent = op->parent ? cpu_child_done(op) : NULL;
    if (parent) {
        cpu_op_queue_put(parents, parent);
    }
}

/* Starts an operation whose dependencies are done: queues it, or passes it to
 * a worker or to the thread that submitted it. */
static void
op_start(struct cpu_op *op, struct cpu_op_queue *marks)
{
    switch (op->kind) {
    case CPU_OP_MARK:
        cpu_op_queue_put(marks, op);
        break;
    case CPU_OP_CALL:
        call_put(op);
        break;
    case CPU_OP_KERNEL:
        atomic_store(&op->state, CPU_OP_READY);
        kernel_put(op);
        workers_request(workers_wanted(&op->launch));
        break;
    case CPU_OP_CALLER:
        atomic_store_explicit(&op->state, CPU_OP_RUNNING,
                              memory_order_release);
        wakes.waiters = true;
        break;
    }
}

/* Completes an operation, and all markers that have no other unfinished
 * dependency. A kernel that has launched other operations is completed when
 * the last of them is done. */
static void
op_finish_locked(struct cpu_op *op)
{
    struct cpu_op_queue marks = {0}, parents = {0};

    for (; op; op = parents.first ? cpu_op_queue_pop(&parents) : NULL) {
        if (op->children && !cpu_children_end(op)) {
            continue;
        }
        op_complete(op, &marks, &parents);
        op_release_locked(op);
        while (marks.first) {
            struct cpu_op *mark = cpu_op_queue_pop(&marks);
            op_complete(mark, &marks, &parents);
            op_release_locked(mark);
        }
        wakes.waiters = true;
    }
}

void
cpu_op_finish(struct cpu_op *op)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    op_finish_locked(op);
    cpu_scheduler_unlock();
}

void
cpu_op_depend(struct cpu_op *op, struct cpu_op *on)
{
    edge_add(op, on, 3);
}

void
cpu_op_start(struct cpu_op *op)
{
    struct cpu_op_queue marks = {0};

    if (op->kind == CPU_OP_MARK) {
        op_finish_locked(op);
    } else {
        op_start(op, &marks);
    }
}

bool
cpu_op_submit(struct cpu_stream *stream, struct cpu_op *op,
              struct cpu_op *also)
{
    return cpu_op_submit_after(stream, op, &also, also ? 1 : 0);
}

bool
cpu_op_submit_after(struct cpu_stream *stream, struct cpu_op *op,
                    struct cpu_op *const *after, size_t count)
{
    struct cpu_op_queue marks = {0};
    unsigned capacity;
    bool ready_now;

    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_order_prepare(stream, op);
    }
    /* Add a reference for the scheduler and, if there is a stream, one for its
     * tail. */
    atomic_fetch_add(&op->references, stream ? 2 : 1);
    pthread_mutex_lock(&cpu_scheduler_lock);
    if (edges_reserve(stream, op, count, &capacity)) {
        edges_make(stream, op, after, count, capacity);
    }
    if (cpu_check_flags & CPU_CHECK_STREAMS) {
        cpu_check_order_set(stream, op, after, count);
    }
    if (stream) {
        op_release_locked(stream->tail);
        stream->tail = op;
    }
    op_prefetch();
    op->ctx->outstanding++;
    ready_now = !op->pending;
    if (!ready_now) {
        op->kind = op->kind_if_deferred;
    }
    /* Setting this state need not wake a thread: no other thread knows the
     * operation yet, so none sleeps until it is RUNNING. */
    if (ready_now && op->kind == CPU_OP_CALLER) {
        atomic_store_explicit(&op->state, CPU_OP_RUNNING,
                              memory_order_release);
    } else if (ready_now && op->kind == CPU_OP_MARK) {
        op_finish_locked(op);
    } else if (ready_now) {
        op_start(op, &marks);
    }
    cpu_scheduler_unlock();
    return ready_now;
}

/* ---- called by workers; the scheduler lock is held ---- */

/* Removes the first kernel of the ready queue after its last chunk was taken.
 * Requests workers for the next kernel, but `coming` fewer than it can use:
 * that many threads will join the kernel anyway. */
static void
kernel_pop(uint64_t coming)
{
    ready_pop(&ready_kernels)->queued = false;
    if (ready_kernels.first) {
        uint64_t wanted = workers_wanted(&ready_kernels.first->launch);

        workers_request(wanted > coming ? wanted - coming : 0);
    }
}

/* Makes the calling thread one of the workers of the first kernel of the ready
 * queue. Returns the kernel. */
static struct cpu_op *
kernel_join(void)
{
    struct cpu_op *op = ready_kernels.first;
    struct cpu_launch *launch = &op->launch;

    atomic_fetch_add(&op->references, 1);
    if (!launch->joined++) {
        cpu_launch_start(launch);
        atomic_store(&launch->error, (int)cpu_context_status(op->ctx));
        atomic_store(&op->state, CPU_OP_RUNNING);
    }
    if (launch->total <= launch->least) {
        /* The calling thread takes the only chunk of the kernel, so the kernel
         * leaves the queue. The argument 0: the calling thread is not
         * available for the next kernel. */
        kernel_pop(0);
    }
    return op;
}

/* Returns the first kernel that has chunks left. Returns NULL if there is no
 * such kernel, or if already cpu_state.threads threads have joined the kernel.
 * Removes from the queue all kernels before it, since their chunks are all
 * taken. `coming` is the number of threads that are about to join the
 * kernel. */
static struct cpu_op *
kernel_first(uint64_t coming)
{
    while (ready_kernels.first) {
        struct cpu_launch *launch = &ready_kernels.first->launch;

        if (cpu_chunks_left(launch)) {
            return launch->joined < (unsigned)cpu_state.threads
                       ? ready_kernels.first
                       : NULL;
        }
        /* all chunks of this kernel are taken, so the kernel leaves the
         * queue */
        kernel_pop(coming);
    }
    return NULL;
}

/* Returns an operation for the calling thread. The thread must run and finish
 * a CALL operation. If the operation is a kernel, the thread has joined it and
 * must run chunks of it. Returns NULL if there is no operation. */
struct cpu_op *
cpu_ready_queue_take(bool kernels_too)
{
    if (ready_calls.first) {
        struct cpu_op *op = ready_pop(&ready_calls);
        atomic_store(&op->state, CPU_OP_RUNNING);
        return op;
    }
    return kernels_too && kernel_first(1) ? kernel_join() : NULL;
}

/* Returns whether the launch is expected to take at most `most` nanoseconds,
 * judging by the previous launch of its function. Returns false if there was
 * none. */
static bool
launch_is_shorter(const struct cpu_launch *launch, uint64_t most)
{
    const struct cpu_function *function = launch->function;
    uint64_t known = atomic_load_explicit(&function->threads_per_launch,
                                          memory_order_relaxed);
    uint64_t ns =
        atomic_load_explicit(&function->ns_per_launch, memory_order_relaxed);
    uint64_t threads = launch->total * launch->threads;

    return threads <= known
               ? 2 * ns <= most
               : known && (double)ns * ((double)threads / (double)known + 1) <=
                              (double)most;
}

/* Makes a thread that waits for `op` join the first kernel, if the kernel is
 * `op` or `op` may depend on it, and if fewer than cpu_state.threads threads
 * run blocks of the kernel. Workers that have joined but run no block may be
 * waiting for a processor, so they do not count. A thread that runs blocks
 * cannot be interrupted, so it does not join a launch that is expected to take
 * longer than `most` nanoseconds. */
struct cpu_op *
cpu_ready_queue_take_for_waiter(const struct cpu_op *op, uint64_t most)
{
    struct cpu_op *first = ready_kernels.first;

    return first && (first == op || op->pending) &&
                   first->launch.function->may_inline &&
                   cpu_chunks_left(&first->launch) &&
                   atomic_load(&first->launch.running) <
                       (unsigned)cpu_state.threads &&
                   (most == UINT64_MAX ||
                    launch_is_shorter(&first->launch, most))
               ? kernel_join()
               : NULL;
}

/* Requests one more worker if the launch has chunks left. Called by a worker
 * that has run the launch for a while. The first request for the launch may
 * have been for one worker too few, in case a waiting thread joins
 * (workers_wanted). */
void
cpu_ready_queue_request_worker(struct cpu_op *op)
{
    if (ready_kernels.first == op && cpu_chunks_left(&op->launch) &&
        op->launch.joined < (unsigned)cpu_state.threads) {
        workers_request(1);
    }
}

/* Finishes a kernel. Called by the worker that ran its last block, even if
 * other workers have joined the kernel and have not left it yet. */
void
cpu_ready_queue_finish_kernel(struct cpu_op *op)
{
    if (ready_kernels.first == op) {
        kernel_pop(0);
    } else if (op->queued) {
        kernel_remove(op);
    }
    cpu_launch_finish(&op->launch);
    op_finish_locked(op);
}
