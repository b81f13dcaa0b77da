/* stream_order.c - vector clocks of operations.
 *
 * Called by scheduler.c for each submission, and where the host waits, while
 * the check `streams` is selected. A timeline is a stream, or a chain of graph
 * nodes; the timeline of a destroyed stream may become the timeline of a new
 * stream. One lock guards all clocks; it is acquired after the scheduler lock,
 * and no other lock is taken while it is held.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/check/report_text.h"
#include "cpu/check/streams/stream_order.h"
#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/module_state.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/worker.h"

enum { MAX_TIMELINES = CPU_CHECK_TIMELINES };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* For each timeline, the number of its operations so far, and how many of them
 * the host has waited for. */
static uint32_t latest[MAX_TIMELINES], host[MAX_TIMELINES];
static unsigned timeline_count = 1;
static unsigned unused[MAX_TIMELINES], unused_count;
static uint64_t last_serial;
/* Number of operations that may access memory and have not ended. */
static atomic_uint running_count;
/* Set when operations may be ordered by values in memory or by interprocess
 * events, which the clocks do not describe. */
static atomic_bool stopped;
/* True if pycuda._driver makes queries of streams and events for its own
 * purposes. A successful query then does not order operations, because the
 * program may not know its result. */
static atomic_bool private_queries;
static _Thread_local struct cpu_check_order *running;
/* Call site of the graph launch that the thread executes, or NULL. It is a
 * pointer, not an array, because a library has little memory for thread-local
 * variables. */
static _Thread_local const char *graph_site;

/* ---- timelines; the lock is held ---- */

/* Returns a timeline that no stream uses now, or 0 if there is none. All
 * earlier operations of a timeline count as ordered before its later ones, so
 * that the reuse of a timeline can hide conflicts. The order of preference is
 * therefore: a timeline of an earlier stream whose operations the host has
 * waited for, a timeline that was never used, any other timeline of an earlier
 * stream. */
static unsigned
timeline_new(void)
{
    unsigned at = unused_count;

    while (at && host[unused[at - 1]] < latest[unused[at - 1]]) {
        at--;
    }
    if (!at && timeline_count < MAX_TIMELINES) {
        return timeline_count++;
    }
    at = at ? at : unused_count;
    if (!at) {
        return 0;
    }
    unsigned found = unused[at - 1];
    unused[at - 1] = unused[--unused_count];
    return found;
}

/* Returns the timeline of a graph node. The node continues the timeline of a
 * dependency that is also a graph node, unless another node already continues
 * that timeline. If there is no such dependency, the node gets a new
 * timeline. */
static unsigned
timeline_continue(struct cpu_op *const *after, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cpu_check_order *order =
            after[i] ? after[i]->order : NULL;

        if (order && order->temporary &&
            latest[order->timeline] == order->time) {
            return order->timeline;
        }
    }
    return timeline_new();
}

/* ---- clocks; the lock is held ---- */

static void
clock_join_order(uint32_t *clock, const struct cpu_check_order *from)
{

    for (unsigned i = 0; from && from->clock && i < from->count; i++) {
        if (from->clock[i] > clock[i]) {
            clock[i] = from->clock[i];
        }
    }
}

static void
clock_join(uint32_t *clock, const struct cpu_op *op)
{
    if (op) {
        clock_join_order(clock, op->order);
    }
}

/* Joins into `clock` the clocks of the operations on which a new operation of
 * the stream depends by the rules of scheduler.c, including operations that
 * are already done. */
static void
clock_join_stream(uint32_t *clock, const struct cpu_stream *stream)
{
    struct cpu_context *ctx = stream->ctx;

    clock_join(clock, stream->tail);
    if (stream == &ctx->legacy) {
        for (const struct cpu_stream *s = ctx->streams; s; s = s->next) {
            if (!(s->flags & CU_STREAM_NON_BLOCKING)) {
                clock_join(clock, s->tail);
            }
        }
    } else if (!(stream->flags & CU_STREAM_NON_BLOCKING)) {
        clock_join(clock, ctx->legacy.tail);
    }
}

/* Called if there is not enough memory for the clock of an operation. It is
 * then unknown which operations happen before this one. So all operations so
 * far count as ordered before all later ones: the check may miss a conflict,
 * but reports none in a program without conflicts. */
static void
clocks_give_up(void)
{
    memcpy(host, latest, sizeof host);
}

static void
order_place(struct cpu_check_order *order, struct cpu_stream *stream,
            struct cpu_op *const *after, size_t count)
{
    if (stream && !stream->timeline) {
        stream->timeline = timeline_new();
    }
    /* The clock has an additional element for the timeline that
     * timeline_continue may create. */
    order->clock = calloc(timeline_count + 1, sizeof *order->clock);
    if (!order->clock) {
        clocks_give_up();
        return;
    }
    order->temporary = !stream;
    order->timeline =
        stream ? stream->timeline : timeline_continue(after, count);
    order->count = timeline_count;
    memcpy(order->clock, host, order->count * sizeof *host);
    for (size_t i = 0; i < count; i++) {
        clock_join(order->clock, after[i]);
    }
    if (stream) {
        clock_join_stream(order->clock, stream);
    }
    order->time = ++latest[order->timeline];
    order->clock[order->timeline] = order->time;
}

/* ---- hooks of the scheduler ---- */

/* Writes to `name` the name that reports use for the stream. */
static void
stream_name(const struct cpu_stream *stream, char *name, size_t size)
{
    if (!stream) {
        snprintf(name, size, "a graph launch");
    } else if (stream == &stream->ctx->legacy) {
        snprintf(name, size, "the default stream");
    } else if (stream == &stream->ctx->per_thread) {
        snprintf(name, size, "the thread's default stream");
    } else {
        snprintf(name, size, "stream %llu", (unsigned long long)stream->id);
    }
}

void
cpu_check_order_prepare(const struct cpu_stream *stream, struct cpu_op *op)
{
    struct cpu_check_order *order;

    if (atomic_load(&stopped)) {
        return;
    }
    order = calloc(1, sizeof *order);
    op->order = order;
    if (!order) {
        return;
    }
    atomic_init(&order->references, 1);
    order->ctx = op->ctx;
    order->host_waits =
        op->kind == CPU_OP_CALLER && op->kind_if_deferred == CPU_OP_CALLER;
    stream_name(stream, order->stream, sizeof order->stream);
    if (op->launch.function) {
        cpu_check_kernel_name(order->kernel, sizeof order->kernel,
                              op->launch.function->name);
    }
    if (op->kind != CPU_OP_MARK && !op->finishes_later) {
        if (graph_site != NULL) {
            memcpy(order->site, graph_site, sizeof order->site);
        } else {
            cpu_check_call_site_in(order->site, stream != NULL);
        }
        atomic_fetch_add(&running_count, 1);
    }
}

void
cpu_check_graph_launch_begin(char site[CPU_CHECK_CALL_SITE_SIZE])
{
    cpu_check_call_site_in(site, true);
    graph_site = site;
}

void
cpu_check_graph_launch_end(void)
{
    graph_site = NULL;
}

void
cpu_check_order_set(struct cpu_stream *stream, struct cpu_op *op,
                    struct cpu_op *const *after, size_t count)
{
    pthread_mutex_lock(&lock);
    if (op->order) {
        op->order->serial = ++last_serial;
        order_place(op->order, stream, after, count);
    } else if (!atomic_load(&stopped)) {
        clocks_give_up();
    }
    pthread_mutex_unlock(&lock);
}

void
cpu_check_order_end(struct cpu_op *op)
{
    struct cpu_check_order *order = op->order;

    pthread_mutex_lock(&lock);
    if (order->temporary && order->timeline &&
        latest[order->timeline] == order->time) {
        unused[unused_count++] = order->timeline;
    }
    free(order->clock);
    order->clock = NULL;
    pthread_mutex_unlock(&lock);
    op->order = NULL;
    cpu_check_order_drop(order);
}

void
cpu_check_stream_end(struct cpu_stream *stream)
{
    pthread_mutex_lock(&lock);
    /* Operations of the default stream still wait for the work of the ended
     * stream. That stream is no longer in the list of streams, so its work
     * counts as ordered before all later operations. */
    if (!(stream->flags & CU_STREAM_NON_BLOCKING)) {
        clock_join(host, stream->tail);
    }
    unused[unused_count++] = stream->timeline;
    stream->timeline = 0;
    pthread_mutex_unlock(&lock);
}

void
cpu_check_streams_stop(void)
{
    atomic_store(&stopped, true);
}

/* ---- operations that run ---- */

bool
cpu_check_run_begin(const struct cpu_op *op)
{
    running = op->order && op->order->timeline && !op->finishes_later
                  ? op->order
                  : NULL;
    return op->order && op->kind != CPU_OP_MARK && !op->finishes_later;
}

void
cpu_check_run_end(bool counted)
{
    running = NULL;
    if (counted) {
        atomic_fetch_sub(&running_count, 1);
    }
}

void
cpu_check_kernel_end(const struct cpu_launch *launch)
{
    const struct cpu_op *op =
        (const void *)((const char *)launch - offsetof(struct cpu_op, launch));

    if (op->order) {
        atomic_fetch_sub(&running_count, 1);
    }
}

struct cpu_check_order *
cpu_check_order_running(void)
{
    return running;
}

struct cpu_check_order *
cpu_check_order_of(const struct cpu_launch *launch)
{
    const struct cpu_op *op =
        (const void *)((const char *)launch - offsetof(struct cpu_op, launch));

    while (op->parent) {
        op = op->parent;
    }
    return op->order && op->order->timeline ? op->order : NULL;
}

bool
cpu_check_order_any_running(void)
{
    return atomic_load(&running_count) != 0;
}

bool
cpu_check_order_includes(const struct cpu_check_order *order,
                         unsigned timeline, uint32_t time)
{
    return timeline < order->count && order->clock[timeline] >= time;
}

void
cpu_check_order_drop(struct cpu_check_order *order)
{
    if (atomic_fetch_sub(&order->references, 1) == 1) {
        free(order);
    }
}

/* ---- the host ---- */

void
cpu_check_host_after(const struct cpu_op *op)
{
    pthread_mutex_lock(&lock);
    clock_join(host, op);
    pthread_mutex_unlock(&lock);
}

CPU_API void
pycuda_cpu_private_queries(void)
{
    atomic_store(&private_queries, true);
}

void
cpu_check_host_asked(const struct cpu_op *op)
{
    if (!atomic_load(&private_queries)) {
        cpu_check_host_after(op);
    }
}

void
cpu_check_host_after_running(void)
{
    pthread_mutex_lock(&lock);
    clock_join_order(host, running);
    pthread_mutex_unlock(&lock);
}

void
cpu_check_host_after_all(void)
{
    pthread_mutex_lock(&lock);
    memcpy(host, latest, sizeof host);
    pthread_mutex_unlock(&lock);
    if (!cpu_check_order_any_running()) {
        cpu_check_history_clear();
    }
}

uint32_t *
cpu_check_host_clock(void)
{
    uint32_t *copy = malloc(sizeof host);

    pthread_mutex_lock(&lock);
    if (copy) {
        memcpy(copy, host, sizeof host);
    }
    pthread_mutex_unlock(&lock);
    return copy;
}
