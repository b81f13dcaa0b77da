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
#include <stdint.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/stream/child_ops.h"
#include "cpu/stream/child_state.h"
#include "cpu/stream/child_table.h"
#include "cpu/stream/op_queue.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/scheduler.h"

/* Error codes of the runtime API. */
enum {
    MEMORY_ALLOCATION = 2,
    PENDING_COUNT_EXCEEDED = 69,
    INVALID_RESOURCE_HANDLE = 400,
};

/* Maximum number of streams and events that the kernels of a context have at a
 * time. CUDA has no such limit. This limit bounds the host memory that they
 * use (48 MiB). */
enum { MAX_OBJECTS = 1 << 20 };

/* ---- children, streams and events of a kernel; the scheduler lock is held */

/* Returns the children of the kernel (struct cpu_children), which are created
 * at the first call. Returns NULL if there is not enough memory. */
static struct cpu_children *
children_of(struct cpu_op *parent)
{
    if (!parent->children) {
        parent->children = cpu_child_table_new();
    }
    return parent->children;
}

/* Creates a stream or an event. Returns NULL if there is not enough memory, or
 * if the kernels of the context already have MAX_OBJECTS streams and
 * events. */
static struct cpu_child_object *
object_add(struct cpu_op *parent, enum cpu_child_kind kind, uint64_t block)
{
    struct cpu_children *children = children_of(parent);
    struct cpu_child_object *object =
        children && parent->ctx->child_objects < MAX_OBJECTS
            ? cpu_child_table_add(children, kind, block)
            : NULL;

    parent->ctx->child_objects += object != NULL;
    return object;
}

static void
object_remove(struct cpu_op *parent, struct cpu_child_object *object)
{
    cpu_child_table_remove(parent->children, object);
    parent->ctx->child_objects--;
}

/* Finds the stream that a handle denotes. Stores NULL in `*found` for the
 * stream of independent operations (fire and forget). If the default stream of
 * the block does not exist yet, creates it if `make` is true, otherwise stores
 * NULL. Returns 0 or an error of the runtime API. */
static int
stream_find(struct cpu_op *parent, void *handle, uint64_t block, bool make,
            struct cpu_child_object **found)
{
    const struct cpu_children *children = parent->children;
    uintptr_t key = (uintptr_t)handle;

    *found = NULL;
    if (key == CPU_CHILD_FIRE_AND_FORGET) {
        return 0;
    }
    if (key > CPU_CHILD_PER_THREAD) {
        *found = children
                     ? cpu_child_table_find(children, CPU_CHILD_STREAM, key)
                     : NULL;
        return *found ? 0 : INVALID_RESOURCE_HANDLE;
    }
    if (children) {
        *found =
            cpu_child_table_find(children, CPU_CHILD_DEFAULT_STREAM, block);
    }
    if (!*found && make) {
        *found = object_add(parent, CPU_CHILD_DEFAULT_STREAM, block);
        return *found ? 0 : MEMORY_ALLOCATION;
    }
    return 0;
}

/* Appends the child `op`, an operation that the kernel of `parent` launches,
 * to the stream, unless `stream` is NULL. Starts the child if it waits for
 * nothing. The scheduler gets the caller's reference to the child, and drops
 * the reference when the child is done. */
static void
child_start(struct cpu_op *parent, struct cpu_op *op,
            struct cpu_child_object *stream, struct cpu_op *also)
{
    op->parent = parent;
    op->edges = op->inline_edges;
    parent->children->unfinished++;
    op->ctx->outstanding++;
    if (stream) {
        cpu_op_depend(op, stream->op);
        if (stream->op) {
            stream->op->child_stream = NULL;
        }
        stream->op = op;
        op->child_stream = stream;
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

/* Adds 1 to the context's number of pending launches by kernels. Returns 0, or
 * an error of the runtime API if the limit of the context is reached. */
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

/* Adds a child to the number of pending launches, and finds or creates the
 * child's stream. On an error, the number stays unchanged. */
static int
child_admit(struct cpu_op *parent, void *handle, uint64_t block,
            struct cpu_child_object **stream)
{
    int error = pending_count(parent->ctx);

    if (!error) {
        error = stream_find(parent, handle, block, true, stream);
        parent->ctx->pending_children -= error != 0;
    }
    return error;
}

static int
submit_locked(struct cpu_op *parent, struct cpu_op *op, void *handle,
              uint64_t block)
{
    struct cpu_child_object *stream = NULL;
    bool is_tail = (uintptr_t)handle == CPU_CHILD_TAIL;

    if (!children_of(parent)) {
        return MEMORY_ALLOCATION;
    }
    int error = is_tail ? pending_count(parent->ctx)
                        : child_admit(parent, handle, block, &stream);
    if (error) {
        return error;
    }
    /* This reference belongs to the scheduler until the child is done. */
    atomic_fetch_add(&op->references, 1);
    if (is_tail) {
        op->parent = parent;
        op->is_tail = true;
        cpu_op_queue_put(&parent->children->tails, op);
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

static int
object_create(struct cpu_op *parent, enum cpu_child_kind kind, void **handle)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_child_object *made = object_add(parent, kind, 0);
    cpu_scheduler_unlock();
    if (!made) {
        return MEMORY_ALLOCATION;
    }
    *handle = made;
    return 0;
}

static int
object_destroy(struct cpu_op *parent, enum cpu_child_kind kind, void *handle)
{
    pthread_mutex_lock(&cpu_scheduler_lock);
    struct cpu_child_object *found =
        parent->children
            ? cpu_child_table_find(parent->children, kind, (uintptr_t)handle)
            : NULL;
    if (found) {
        if (found->op && kind == CPU_CHILD_EVENT) {
            found->op->child_event = NULL;
        } else if (found->op) {
            found->op->child_stream = NULL;
        }
        object_remove(parent, found);
    }
    cpu_scheduler_unlock();
    return found ? 0 : INVALID_RESOURCE_HANDLE;
}

int
cpu_child_stream_create(struct cpu_op *parent, void **stream)
{
    return object_create(parent, CPU_CHILD_STREAM, stream);
}

int
cpu_child_stream_destroy(struct cpu_op *parent, void *stream)
{
    return object_destroy(parent, CPU_CHILD_STREAM, stream);
}

int
cpu_child_event_create(struct cpu_op *parent, void **event)
{
    return object_create(parent, CPU_CHILD_EVENT, event);
}

int
cpu_child_event_destroy(struct cpu_op *parent, void *event)
{
    return object_destroy(parent, CPU_CHILD_EVENT, event);
}

/* Appends a marker to the stream: an operation without work that also waits
 * for `also`. If `event` is not NULL, the marker records it. */
static void
mark(struct cpu_op *parent, struct cpu_op *marker,
     struct cpu_child_object *stream, struct cpu_op *also,
     struct cpu_child_object *event)
{
    if (event) {
        if (event->op) {
            event->op->child_event = NULL;
        }
        event->op = marker;
        marker->child_event = event;
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
    struct cpu_child_object *stream, *found = NULL;

    if (parent->children && (uintptr_t)handle != CPU_CHILD_TAIL) {
        found = cpu_child_table_find(parent->children, CPU_CHILD_EVENT,
                                     (uintptr_t)event);
    }
    if (!found) {
        return INVALID_RESOURCE_HANDLE;
    }
    if (wait &&
        (!found->op || (uintptr_t)handle == CPU_CHILD_FIRE_AND_FORGET)) {
        /* Nothing has to wait: the event has been reached, or the stream is
         * that of independent operations. Only check the handle. */
        return stream_find(parent, handle, block, false, &stream);
    }
    int error = child_admit(parent, handle, block, &stream);
    if (error) {
        return error;
    }
    if (wait) {
        mark(parent, marker, stream, found->op, NULL);
    } else {
        mark(parent, marker, stream, NULL, found);
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
    op->ctx->child_objects -= children->object_count;
    cpu_child_table_free(children);
    op->children = NULL;
    return true;
}

struct cpu_op *
cpu_child_done(struct cpu_op *op)
{
    struct cpu_children *children = op->parent->children;
    struct cpu_child_object *stream = op->child_stream;

    op->ctx->pending_children--;
    if (stream) {
        stream->op = NULL;
        if (stream->kind == CPU_CHILD_DEFAULT_STREAM) {
            object_remove(op->parent, stream);
        }
    }
    if (op->child_event) {
        op->child_event->op = NULL;
    }
    children->unfinished--;
    return children->blocks_done && !children->unfinished ? op->parent : NULL;
}
