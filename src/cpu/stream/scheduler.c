/* scheduler.c - operations, what each waits for, and who runs them.
 *
 * Streams, events and the default stream's rules are one thing here: an
 * operation waits for others, and becomes ready when the last of them is
 * done.  Called by every file that submits work (stream order), by workers.c
 * (taking it) and by waiting threads.
 *
 * One lock guards the graph, the queues and the streams' tails.  An operation
 * is referenced by its stream's tail, by events, by waiters, and once by
 * "it is not done yet".
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu/graph/graph.h"
#include "cpu/stream/queue.h"

#define FREE_MAX 256 /* operations kept for reuse */

/* Held for less time than it takes to sleep. */
pthread_mutex_t cpu_scheduler_lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t cpu_queue_work = PTHREAD_COND_INITIALIZER;
pthread_cond_t cpu_queue_calls = PTHREAD_COND_INITIALIZER;

struct cpu_queue_signs cpu_queue_signs;
struct cpu_seat *cpu_seats;

static struct cpu_op *free_ops;
static unsigned free_count;

struct queue {
    struct cpu_op *first, *last;
};

static struct queue ready_calls, ready_kernels;

/* Whom to wake once the lock is given back: to wake a thread whose processor
 * sleeps takes longer than all that is done under the lock. */
static struct {
    uint64_t workers;
    bool calls, waiters;
} wakes;

unsigned cpu_queue_sleeping;

void
cpu_scheduler_unlock(void)
{
    uint64_t workers = wakes.workers;
    bool calls = wakes.calls, waiters = wakes.waiters && cpu_wait_sleepers;
    bool all = workers >= cpu_queue_sleeping;

    wakes.workers = 0;
    wakes.calls = wakes.waiters = false;
    pthread_mutex_unlock(&cpu_scheduler_lock);
    if (waiters) {
        cpu_wait_wake();
    }
    if (calls) {
        pthread_cond_signal(&cpu_queue_calls);
    }
    if (workers && all) {
        pthread_cond_broadcast(&cpu_queue_work);
        return;
    }
    for (; workers; workers--) {
        pthread_cond_signal(&cpu_queue_work);
    }
}

uint64_t
cpu_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void
queue_put(struct queue *queue, struct cpu_op *op)
{
    op->next = NULL;
    if (queue->last) {
        queue->last->next = op;
    } else {
        queue->first = op;
    }
    queue->last = op;
}

static struct cpu_op *
queue_pop(struct queue *queue)
{
    struct cpu_op *op = queue->first;

    queue->first = op->next;
    if (!queue->first) {
        queue->last = NULL;
    }
    return op;
}

/* The same of operations that workers may take, which look at the count. */
static void
ready_put(struct queue *queue, struct cpu_op *op)
{
    queue_put(queue, op);
    atomic_fetch_add(&cpu_queue_signs.ready, 1);
}

static struct cpu_op *
ready_pop(struct queue *queue)
{
    atomic_fetch_sub(&cpu_queue_signs.ready, 1);
    return queue_pop(queue);
}

/* A kernel comes before those of a lower priority, also where blocks of such a
 * one are being run: the blocks that are left wait. */
static void
kernel_put(struct cpu_op *op)
{
    struct queue *queue = &ready_kernels;
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
    atomic_fetch_add(&cpu_queue_signs.ready, 1);
}

/* Takes a kernel that is not the first one out of the queue. */
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
    atomic_fetch_sub(&cpu_queue_signs.ready, 1);
}

/* ---- life of an operation ---- */

/* An operation from the list of free ones, or a new one; NULL: no memory. */
static __attribute__((noinline)) struct cpu_op *
op_take_shared(void)
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

/* The same, without the lock where the calling thread has a spare one. */
static inline struct cpu_op *
op_take(void)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct cpu_op *op = worker ? worker->spare_op : NULL;

    if (!op) {
        return op_take_shared();
    }
    worker->spare_op = NULL;
    return op;
}

struct cpu_op *
cpu_op_new(struct cpu_context *ctx, enum cpu_op_kind kind,
           size_t payload_bytes)
{
    struct cpu_op *op = op_take();

    if (!op) {
        return NULL;
    }
    memset(op, 0, offsetof(struct cpu_op, payload));
    atomic_init(&op->references, 1);
    op->kind = op->otherwise = kind;
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

/* Frees what the operation owns, and makes it the spare one of the calling
 * thread; false where that has one, or never asks for one. */
static inline bool
op_keep(struct cpu_op *op)
{
    struct cpu_worker *worker = cpu_worker_tls;

    if (op->heap) {
        free(op->heap);
        op->heap = NULL;
    }
    if (op->edges && op->edges != op->few) {
        free(op->edges);
    }
    if (!worker || worker->seat || worker->spare_op) {
        return false;
    }
    worker->spare_op = op;
    return true;
}

/* The lock is held for these. */
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
    if (op && atomic_fetch_sub(&op->references, 1) == 1 && !op_keep(op)) {
        op_share(op);
    }
}

/* Takes a spare operation for the calling thread's next one. */
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
    if (op && atomic_fetch_sub(&op->references, 1) == 1 && !op_keep(op)) {
        pthread_mutex_lock(&cpu_scheduler_lock);
        op_share(op);
        pthread_mutex_unlock(&cpu_scheduler_lock);
    }
}

/* ---- the graph; the lock is held ---- */

static void op_start(struct cpu_op *op, struct queue *marks);

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

/* Room for every edge that the operation may get. */
static bool
edges_reserve(struct cpu_stream *stream, struct cpu_op *op, size_t after,
              unsigned *capacity)
{
    unsigned wanted = (unsigned)after + (stream ? 2 : 0);

    if (stream && stream == &stream->ctx->legacy) {
        wanted -= 2; /* its own tail is among those of all streams */
        for (struct cpu_stream *s = stream->ctx->streams; s; s = s->next) {
            wanted++;
        }
    }
    op->edges = op->few;
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

/* How many workers shall come at once for the pieces of a launch.  One place
 * is left for who waits for its end (cpu_worker_help), if it may. */
static uint64_t
workers_for(const struct cpu_launch *launch)
{
    uint64_t pieces = (launch->total + launch->least - 1) / launch->least;
    uint64_t most = (uint64_t)cpu_state.threads;
    uint64_t wanted = pieces < most ? pieces : most;

    return wanted - (wanted > 1 && launch->function->may_inline);
}

static struct cpu_op *kernel_first(uint64_t coming);
static struct cpu_op *kernel_join(void);

/* Keeps a worker that spins, at the place or behind it; NULL if there is none.
 * Looked for in one order: the same workers come again and again, and find in
 * their caches what the last launch left there. */
static struct cpu_seat *
seat_keep(unsigned *place)
{
    if (!atomic_load(&cpu_queue_signs.spinning)) {
        return NULL;
    }
    while (*place < (unsigned)cpu_state.threads) {
        struct cpu_seat *seat = &cpu_seats[(*place)++];
        struct cpu_op *free = CPU_SEAT_FREE;

        if (atomic_compare_exchange_strong(&seat->op, &free, CPU_SEAT_KEPT)) {
            atomic_fetch_sub(&cpu_queue_signs.spinning, 1);
            return seat;
        }
    }
    return NULL;
}

/* Lets so many workers come for the first kernel.  Those that spin have
 * joined it when they learn of it; for others it takes the lock. */
static void
workers_call(uint64_t wanted)
{
    struct cpu_seat *seat;
    unsigned place = 0;

    atomic_fetch_add(&cpu_queue_signs.puts, 1);
    while (wanted && kernel_first(wanted) && (seat = seat_keep(&place))) {
        atomic_store(&seat->op, kernel_join());
        wanted--;
    }
    wakes.workers += wanted;
}

/* Lets a worker that spins, or who wakes first, come for a call. */
static void
call_put(struct cpu_op *op)
{
    unsigned place = 0;
    struct cpu_seat *seat = seat_keep(&place);

    if (seat) {
        atomic_store(&op->state, CPU_OP_RUNNING);
        atomic_store(&seat->op, op);
        return;
    }
    atomic_store(&op->state, CPU_OP_READY);
    ready_put(&ready_calls, op);
    wakes.calls = true;
    wakes.workers++; /* the other may be busy */
}

/* Marks it done and starts those that waited; marks that become done on the
 * way are chained in `marks`, so that no recursion is needed. */
static void
op_complete(struct cpu_op *op, struct queue *marks)
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
}

static void
op_start(struct cpu_op *op, struct queue *marks)
{
    switch (op->kind) {
    case CPU_OP_MARK:
        queue_put(marks, op);
        break;
    case CPU_OP_CALL:
        call_put(op);
        break;
    case CPU_OP_KERNEL:
        atomic_store(&op->state, CPU_OP_READY);
        kernel_put(op);
        workers_call(workers_for(&op->launch));
        break;
    case CPU_OP_CALLER:
        atomic_store_explicit(&op->state, CPU_OP_RUNNING,
                              memory_order_release);
        wakes.waiters = true;
        break;
    }
}

static void
op_finish_locked(struct cpu_op *op)
{
    struct queue marks = {0};

    op_complete(op, &marks);
    op_release_locked(op);
    while (marks.first) {
        struct cpu_op *mark = queue_pop(&marks);
        op_complete(mark, &marks);
        op_release_locked(mark);
    }
    wakes.waiters = true;
}

void
cpu_op_finish(struct cpu_op *op)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    op_finish_locked(op);
    cpu_scheduler_unlock();
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
    struct queue marks = {0};
    unsigned capacity;
    bool at_once;

    /* not done yet; the tail */
    atomic_fetch_add(&op->references, stream ? 2 : 1);
    pthread_mutex_lock(&cpu_scheduler_lock);
    if (edges_reserve(stream, op, count, &capacity)) {
        edges_make(stream, op, after, count, capacity);
    }
    if (stream) {
        op_release_locked(stream->tail);
        stream->tail = op;
    }
    op_prefetch();
    op->ctx->outstanding++;
    at_once = !op->pending;
    if (!at_once) {
        op->kind = op->otherwise;
    }
    if (at_once && op->kind == CPU_OP_CALLER) { /* no thread waits for it */
        atomic_store_explicit(&op->state, CPU_OP_RUNNING,
                              memory_order_release);
    } else if (at_once && op->kind == CPU_OP_MARK) {
        op_finish_locked(op);
    } else if (at_once) {
        op_start(op, &marks);
    }
    cpu_scheduler_unlock();
    return at_once;
}

/* ---- for workers; the lock is held ---- */

/* The kernel at the queue's head has no more pieces to give.  Of those that
 * shall come for the next one, `coming` do. */
static void
kernel_pop(uint64_t coming)
{
    ready_pop(&ready_kernels)->queued = false;
    if (ready_kernels.first) {
        uint64_t wanted = workers_for(&ready_kernels.first->launch);

        workers_call(wanted > coming ? wanted - coming : 0);
    }
}

/* The caller is one of those who run the launch at the queue's head. */
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
        kernel_pop(0); /* it may wait for the next one */
    }
    return op;
}

/* The first kernel that one more may join: it has pieces, and there are not
 * as many in it as there are workers, for then no processor is free.  So many
 * are coming for it. */
static struct cpu_op *
kernel_first(uint64_t coming)
{
    while (ready_kernels.first) {
        struct cpu_launch *launch = &ready_kernels.first->launch;

        if (cpu_pieces_left(launch)) {
            return launch->joined < (unsigned)cpu_state.threads
                       ? ready_kernels.first
                       : NULL;
        }
        kernel_pop(coming); /* its last blocks are being run */
    }
    return NULL;
}

/* A call, which the taker runs and finishes, or a kernel with blocks left,
 * which the taker has then joined. */
struct cpu_op *
cpu_queue_take(bool kernels_too)
{
    if (ready_calls.first) {
        struct cpu_op *op = ready_pop(&ready_calls);
        atomic_store(&op->state, CPU_OP_RUNNING);
        return op;
    }
    return kernels_too && kernel_first(1) ? kernel_join() : NULL;
}

/* Will the launch take at most so many nanoseconds in all, by the last one of
 * its function?  No if the function was never run. */
static bool
launch_is_shorter(const struct cpu_launch *launch, uint64_t most)
{
    const struct cpu_function *function = launch->function;
    uint64_t known = atomic_load_explicit(&function->threads_a_launch,
                                          memory_order_relaxed);
    uint64_t ns =
        atomic_load_explicit(&function->ns_a_launch, memory_order_relaxed);
    uint64_t threads = launch->total * launch->threads;

    return threads <= known
               ? 2 * ns <= most
               : known && (double)ns * ((double)threads / (double)known + 1) <=
                              (double)most;
}

/* The same for a thread that waits for `op`: joins the first kernel if that
 * is `op`, or may be what `op` waits for.  Workers that have joined and run no
 * block do not keep it away: they may wait for a processor.  It does not join
 * a launch that may take longer than `most` ns, because nothing interrupts a
 * thread that runs blocks. */
struct cpu_op *
cpu_queue_help(const struct cpu_op *op, uint64_t most)
{
    struct cpu_op *first = ready_kernels.first;

    return first && (first == op || op->pending) &&
                   first->launch.function->may_inline &&
                   cpu_pieces_left(&first->launch) &&
                   atomic_load(&first->launch.running) <
                       (unsigned)cpu_state.threads &&
                   (most == UINT64_MAX ||
                    launch_is_shorter(&first->launch, most))
               ? kernel_join()
               : NULL;
}

/* Does the launch have pieces, and places, for one more?  Who has run it for
 * a while asks: by then a waiting thread has come, or will not. */
void
cpu_queue_more(struct cpu_op *op)
{
    if (ready_kernels.first == op && cpu_pieces_left(&op->launch) &&
        op->launch.joined < (unsigned)cpu_state.threads) {
        workers_call(1);
    }
}

/* By who ran the last block, whoever else has joined. */
void
cpu_queue_end(struct cpu_op *op)
{
    if (ready_kernels.first == op) {
        kernel_pop(0);
    } else if (op->queued) {
        kernel_remove(op);
    }
    cpu_launch_finish(&op->launch);
    op_finish_locked(op);
}
