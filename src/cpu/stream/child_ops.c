/* child_ops.c - operations that kernels launch, and their streams and events.
 *
 * Called by run/child_launch.c for kernel code, and by scheduler.c. A kernel's
 * children are ordinary operations; this file adds the dependencies that the
 * streams of the device runtime define. A tail launch is in no stream: it
 * starts when the blocks and all other children of its parent are done. If a
 * tail launch has tail launches itself, these become tail launches of its
 * parent, so that a chain of tail launches of any length needs no more memory
 * than a single one.
 *
 * The scheduler lock guards everything here.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/stream/child_ops.h"
#include "cpu/stream/child_state.h"
#include "cpu/stream/op_queue.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/scheduler.h"

/* Error codes of the runtime API. */
enum {
    MEMORY_ALLOCATION = 2,
    PENDING_COUNT_EXCEEDED = 69,
    INVALID_RESOURCE_HANDLE = 400,
};

/* ---- children, streams and events of a kernel; the scheduler lock is held */

/* Returns the list of the kernel's children, which is created at the first
 * call. Returns NULL if there is not enough memory. */
static struct cpu_children *
children_of(struct cpu_op *parent)
{
    if (!parent->children) {
        parent->children = calloc(1, sizeof *parent->children);
    }
    return parent->children;
}

/* Returns the default stream of a block, which is created at the first call.
 * Returns NULL if there is not enough memory. */
static struct cpu_child_stream *
default_stream(struct cpu_children *children, uint64_t block)
{
    struct cpu_child_stream **bucket =
        &children->defaults[block % CPU_CHILD_BUCKETS];
    struct cpu_child_stream *stream = *bucket;

    while (stream && stream->block != block) {
        stream = stream->next;
    }
    if (!stream && (stream = calloc(1, sizeof *stream))) {
        stream->block = block;
        stream->next = *bucket;
        *bucket = stream;
    }
    return stream;
}

/* Finds the stream that a handle denotes. `*found` is NULL for the stream of
 * independent operations (fire and forget). */
static int
stream_find(struct cpu_children *children, void *handle, uint64_t block,
            struct cpu_child_stream **found)
{
    *found = NULL;
    if ((uintptr_t)handle <= CPU_CHILD_PER_THREAD) {
        *found = default_stream(children, block);
        return *found ? 0 : MEMORY_ALLOCATION;
    }
    if ((uintptr_t)handle == CPU_CHILD_FIRE_AND_FORGET) {
        return 0;
    }
    struct cpu_child_stream *stream = children->streams;
    while (stream && stream != handle) {
        stream = stream->next;
    }
    *found = stream;
    return stream ? 0 : INVALID_RESOURCE_HANDLE;
}

static struct cpu_child_event *
event_find(const struct cpu_children *children, const void *handle)
{
    struct cpu_child_event *event = children->events;

    while (event && event != handle) {
        event = event->next;
    }
    return event;
}

/* Appends a child to the stream, if that is not NULL, and starts it if it
 * waits for nothing. The scheduler gets the caller's reference to the child,
 * and drops it when the child is done. */
static void
child_start(struct cpu_op *parent, struct cpu_op *op,
            struct cpu_child_stream *stream, struct cpu_op *also)
{
    op->parent = parent;
    op->edges = op->inline_edges;
    parent->children->unfinished++;
    op->ctx->outstanding++;
    if (stream) {
        cpu_op_depend(op, stream->last);
        if (stream->last) {
            stream->last->stream_slot = NULL;
        }
        stream->last = op;
        op->stream_slot = &stream->last;
    }
    cpu_op_depend(op, also);
    if (cpu_check_flags && !parent->children->blocks_done) {
        /* While kernel checks are on, the child waits for the end of the
         * parent's blocks. The checks treat launches that overlap as
         * unordered, so they would report accesses to the same memory by
         * parent and child as races. */
        op->pending++;
        cpu_op_queue_put(&parent->children->held, op);
    }
    if (!op->pending) {
        cpu_op_start(op);
    }
}

/* Adds a launch to the number of pending launches by kernels. Returns an error
 * of the runtime API if the context's limit is reached. */
static int
pending_count(struct cpu_context *ctx)
{
    size_t limit = ctx->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT];

    if (ctx->pending_children >= limit) {
        return PENDING_COUNT_EXCEEDED;
    }
    ctx->pending_children++;
    return 0;
}

static int
submit_locked(struct cpu_op *parent, struct cpu_op *op, void *handle,
              uint64_t block)
{
    struct cpu_children *children = children_of(parent);
    struct cpu_child_stream *stream = NULL;
    bool is_tail = (uintptr_t)handle == CPU_CHILD_TAIL;

    if (!children) {
        return MEMORY_ALLOCATION;
    }
    int error = is_tail ? 0 : stream_find(children, handle, block, &stream);
    if (!error && op->kind == CPU_OP_KERNEL) {
        error = pending_count(op->ctx);
    }
    if (error) {
        return error;
    }
    /* This reference belongs to the scheduler until the child is done. */
    atomic_fetch_add(&op->references, 1);
    if (is_tail) {
        op->parent = parent;
        op->is_tail = true;
        cpu_op_queue_put(&children->tails, op);
    } else {
        child_start(parent, op, stream, NULL);
    }
    return 0;
}

int
cpu_child_submit(struct cpu_op *parent, struct cpu_op *op, void *stream,
                 uint64_t block)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    int error = submit_locked(parent, op, stream, block);
    cpu_scheduler_unlock();
    return error;
}

/* ---- streams and events ---- */

int
cpu_child_stream_create(struct cpu_op *parent, void **stream)
{
    struct cpu_child_stream *made = calloc(1, sizeof *made);

    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_children *children = made ? children_of(parent) : NULL;
    if (children) {
        made->next = children->streams;
        children->streams = made;
    }
    cpu_scheduler_unlock();
    if (!children) {
        free(made);
        return MEMORY_ALLOCATION;
    }
    *stream = made;
    return 0;
}

/* Removes a stream from the list, and returns it; NULL if the list does not
 * have it. */
static struct cpu_child_stream *
stream_remove(struct cpu_children *children, const void *handle)
{
    struct cpu_child_stream **at = &children->streams;

    while (*at && *at != handle) {
        at = &(*at)->next;
    }
    struct cpu_child_stream *stream = *at;
    if (stream) {
        *at = stream->next;
        if (stream->last) {
            stream->last->stream_slot = NULL;
        }
    }
    return stream;
}

int
cpu_child_stream_destroy(struct cpu_op *parent, void *stream)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_child_stream *found =
        parent->children ? stream_remove(parent->children, stream) : NULL;
    cpu_scheduler_unlock();
    free(found);
    return found ? 0 : INVALID_RESOURCE_HANDLE;
}

int
cpu_child_event_create(struct cpu_op *parent, void **event)
{
    struct cpu_child_event *made = calloc(1, sizeof *made);

    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_children *children = made ? children_of(parent) : NULL;
    if (children) {
        made->next = children->events;
        children->events = made;
    }
    cpu_scheduler_unlock();
    if (!children) {
        free(made);
        return MEMORY_ALLOCATION;
    }
    *event = made;
    return 0;
}

static struct cpu_child_event *
event_remove(struct cpu_children *children, const void *handle)
{
    struct cpu_child_event **at = &children->events;

    while (*at && *at != handle) {
        at = &(*at)->next;
    }
    struct cpu_child_event *event = *at;
    if (event) {
        *at = event->next;
        if (event->record) {
            event->record->event_slot = NULL;
        }
    }
    return event;
}

int
cpu_child_event_destroy(struct cpu_op *parent, void *event)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_child_event *found =
        parent->children ? event_remove(parent->children, event) : NULL;
    cpu_scheduler_unlock();
    free(found);
    return found ? 0 : INVALID_RESOURCE_HANDLE;
}

/* Appends a marker to the stream: an operation without work that also waits
 * for `also`. Stores it in `*record`, if `record` is not NULL. */
static void
mark(struct cpu_op *parent, struct cpu_op *marker,
     struct cpu_child_stream *stream, struct cpu_op *also,
     struct cpu_op **record)
{
    if (record) {
        if (*record) {
            (*record)->event_slot = NULL;
        }
        *record = marker;
        marker->event_slot = record;
    }
    atomic_fetch_add(&marker->references, 1);
    child_start(parent, marker, stream, also);
}

/* Records the event, or makes the stream wait for it (`wait`). `marker` is a
 * new operation without work, which takes the position of the record or wait
 * in the stream. */
static int
event_use(struct cpu_op *parent, struct cpu_op *marker, void *event,
          void *handle, uint64_t block, bool wait)
{
    struct cpu_children *children = parent->children;
    struct cpu_child_event *found =
        children ? event_find(children, event) : NULL;
    struct cpu_child_stream *stream;
    int error = found && (uintptr_t)handle != CPU_CHILD_TAIL
                    ? stream_find(children, handle, block, &stream)
                    : INVALID_RESOURCE_HANDLE;

    if (error) {
        return error;
    }
    if (wait && found->record && stream) {
        mark(parent, marker, stream, found->record, NULL);
    } else if (!wait) {
        mark(parent, marker, stream, NULL, &found->record);
    }
    return 0;
}

static int
event_call(struct cpu_op *parent, void *event, void *stream, uint64_t block,
           bool wait)
{
    struct cpu_op *marker = cpu_op_new(parent->ctx, CPU_OP_MARK, 0);

    if (!marker) {
        return MEMORY_ALLOCATION;
    }
    pthread_mutex_lock(&cpu_scheduler_lock);
    int error = event_use(parent, marker, event, stream, block, wait);
    cpu_scheduler_unlock();
    cpu_op_release(marker);
    return error;
}

int
cpu_child_event_record(struct cpu_op *parent, void *event, void *stream,
                       uint64_t block)
{
    return event_call(parent, event, stream, block, false);
}

int
cpu_child_event_wait(struct cpu_op *parent, void *event, void *stream,
                     uint64_t block)
{
    return event_call(parent, event, stream, block, true);
}

/* ---- called by the scheduler; its lock is held ---- */

/* Starts the children that waited for the end of their parent's blocks. */
static void
held_start(struct cpu_children *children)
{
    while (children->held.first) {
        struct cpu_op *op = cpu_op_queue_pop(&children->held);

        if (!--op->pending) {
            cpu_op_start(op);
        }
    }
}

/* Moves the tail launches of a tail launch to the front of its parent's tail
 * launches. */
static void
tails_move(struct cpu_op *op)
{
    struct cpu_op_queue *own = &op->children->tails;
    struct cpu_op_queue *target = &op->parent->children->tails;

    for (struct cpu_op *tail = own->first; tail; tail = tail->next) {
        tail->parent = op->parent;
    }
    own->last->next = target->first;
    target->first = own->first;
    target->last = target->last ? target->last : own->last;
    *own = (struct cpu_op_queue){0};
}

bool
cpu_children_end(struct cpu_op *op)
{
    struct cpu_children *children = op->children;

    if (!children->blocks_done) {
        children->blocks_done = true;
        held_start(children);
    }
    if (children->unfinished) {
        return false;
    }
    if (op->is_tail && children->tails.first) {
        tails_move(op);
    }
    if (children->tails.first) {
        child_start(op, cpu_op_queue_pop(&children->tails), NULL, NULL);
        return false;
    }
    return true;
}

struct cpu_op *
cpu_child_done(struct cpu_op *op)
{
    struct cpu_children *children = op->parent->children;

    if (op->kind == CPU_OP_KERNEL) {
        op->ctx->pending_children--;
    }
    if (op->stream_slot) {
        *op->stream_slot = NULL;
    }
    if (op->event_slot) {
        *op->event_slot = NULL;
    }
    children->unfinished--;
    return children->blocks_done && !children->unfinished ? op->parent : NULL;
}

static void
streams_free(struct cpu_child_stream *stream)
{
    while (stream) {
        struct cpu_child_stream *next = stream->next;

        free(stream);
        stream = next;
    }
}

void
cpu_children_free(struct cpu_children *children)
{
    for (size_t i = 0; i < CPU_CHILD_BUCKETS; i++) {
        streams_free(children->defaults[i]);
    }
    streams_free(children->streams);
    while (children->events) {
        struct cpu_child_event *event = children->events;

        children->events = event->next;
        free(event);
    }
    free(children);
}
