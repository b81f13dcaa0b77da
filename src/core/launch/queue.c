/* queue.c - how many launches may be waiting for the device.
 *
 * Asked for each launch (core_queue_add), which keeps the GIL as long as the
 * driver surely takes it at once.  The driver's queue has room for about a
 * thousand; a launch that finds it full waits, and must not keep the GIL
 * meanwhile: what the device waits for may be another thread of Python's.  So
 * launches are counted stream by stream, and an event after some hundreds
 * tells how many of them are done.  A loop that the device keeps pace with
 * never gives the GIL away, which would cost 5 milliseconds where another
 * thread is busy.
 *
 * Streams may share one queue of the driver's, so all counts together are
 * bounded.  Half of the room is a stream's own; the other half goes to whoever
 * asks first, so that one that is alone seldom needs an event.  What is on
 * more streams than there are rows gives the GIL away, and is counted in one
 * more row.
 *
 * The counts also tell whether a plain copy may have to wait, so that copies
 * and sets that nobody waits for are counted as launches are.
 *
 * Owns the events.  All under the GIL, in the context's scope.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

enum {
    MOST = 960,                   /* that may wait, on all streams */
    OWN = MOST / 2 / CORE_QUEUES, /* of them, that a stream surely has */
    STEP = OWN / 2,               /* launches between two looks */
    ASK_EVERY = 16,               /* launches beyond what a stream has */
    ROWS = CORE_QUEUES + 1,
};

/* The stream of a row whose streams have ended: its event is after all that
 * was issued on them. */
static char ended;
#define ENDED ((CUstream)&ended)

/* Another thread's capture, by whatever library, forbids what is done here
 * unless this thread says that it means it. */
static CUstreamCaptureMode
mode_exchange(CUstreamCaptureMode mode)
{
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

/* Lets the event tell when what has been issued so far is done: the first
 * `issued` of those counted. */
static void
queue_mark(struct core_queue *queue, unsigned issued)
{
    CUstreamCaptureMode mode = mode_exchange(CU_STREAM_CAPTURE_MODE_RELAXED);
    CUresult code =
        queue->event != NULL
            ? CUDA_SUCCESS
            : driver.cuEventCreate(&queue->event, CU_EVENT_DISABLE_TIMING);
    if (code == CUDA_SUCCESS) {
        code = driver.cuEventRecord(queue->event, queue->stream);
    }
    mode_exchange(mode);
    queue->marked = code == CUDA_SUCCESS ? issued : 0;
}

/* That many are done; no event tells of the others. */
static void
queue_take(struct core_queue *queue, unsigned count)
{
    queue->done += count;
    queue->count -= count;
    queue->marked = 0;
}

/* Takes what is known to be done from the count.  The launch that is counted
 * last is still to come. */
static bool
queue_settle(struct core_queue *queue)
{
    CUstreamCaptureMode mode = mode_exchange(CU_STREAM_CAPTURE_MODE_RELAXED);
    unsigned marked = queue->marked;
    CUresult code = marked > 0 ? driver.cuEventQuery(queue->event)
                               : driver.cuStreamQuery(queue->stream);
    mode_exchange(mode);
    if (code != CUDA_SUCCESS) {
        return false;
    }
    queue_take(queue, marked > 0 ? marked : queue->count - 1);
    return true;
}

/* The stream's row, which may be one that nothing waits in; NULL where others
 * have all. */
static struct core_queue *
queue_of(struct core_context *context, CUstream stream)
{
    struct core_queue *free = NULL;
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        struct core_queue *queue = &context->queues[i];
        if (queue->stream == stream && queue->count > 0) {
            return queue;
        }
        free = queue->count == 0 ? queue : free;
    }
    if (free != NULL) {
        free->stream = stream;
        free->look = STEP;
        free->marked = 0;
    }
    return free;
}

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many may wait on the queue's stream: what others do not have.  No `look`
 * is beyond what this was when it was set. */
static unsigned
limit_of(const struct core_context *context, const struct core_queue *queue)
{
    unsigned limit = MOST - (CORE_QUEUES - 1) * OWN;
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        const struct core_queue *other = &context->queues[i];
        if (other != queue && other->count > 0 && other->look > OWN) {
            limit -= other->look - OWN;
        }
    }
    return limit;
}

/* Whether the stream is surely still there; others' may be gone. */
static bool
stream_lives(const struct core_context *context, CUstream stream)
{
    bool found = stream == NULL;
    for (size_t i = 0; i < context->stream_count && !found; i++) {
        found = context->streams[i].handle == stream;
    }
    return found;
}

static bool
stream_is_idle(CUstream stream)
{
    CUstreamCaptureMode mode = mode_exchange(CU_STREAM_CAPTURE_MODE_RELAXED);
    bool idle = !core_stream_captures(stream) &&
                driver.cuStreamQuery(stream) == CUDA_SUCCESS;
    mode_exchange(mode);
    return idle;
}

/* Which streams those without a row are on is not known: all of them are
 * looked at, and what has ended is taken for idle. */
static bool
streams_are_idle(const struct core_context *context)
{
    bool idle = stream_is_idle(NULL);
    for (size_t i = 0; i < context->stream_count && idle; i++) {
        idle = stream_is_idle(context->streams[i].handle);
    }
    return idle;
}

/* Looks what is done on others' streams, for the one that is `asking`. */
static void
queues_settle(struct core_context *context, const struct core_queue *asking)
{
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        struct core_queue *queue = &context->queues[i];
        if (queue == asking || queue->count == 0) {
            continue;
        }
        bool gone = queue->stream == ENDED;
        if (!gone && !stream_lives(context, queue->stream)) {
            queue->marked = 0;
            continue;
        }
        bool marked = queue->marked > 0;
        if ((gone || !core_stream_captures(queue->stream)) &&
            queue_settle(queue)) {
            /* By its mark: its next launch asks for room.  Else: all. */
            queue_take(queue, marked ? 0 : queue->count);
            queue->look = least(queue->look, queue->count);
        }
    }
    struct core_queue *others = &context->queues[CORE_QUEUES];
    if (others->count > 0 && streams_are_idle(context)) {
        queue_take(others, others->count);
    }
}

/* How many may be waiting on all streams, those that gave the GIL away too. */
static unsigned
count_of(const struct core_context *context)
{
    unsigned count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        count += context->queues[i].count;
    }
    return count;
}

static bool
is_crowded(const struct core_context *context)
{
    return count_of(context) > MOST;
}

/* Lets as many more be launched before the next look as there is room for.
 * How far the stream is beyond its room, from 1 on; 0: it has some. */
static unsigned
queue_extend(const struct core_context *context, struct core_queue *queue,
             bool open)
{
    unsigned count = queue->count, limit = limit_of(context, queue);
    if (open && queue->marked == 0 && count >= limit / 2) {
        queue_mark(queue, count - 1);
    }
    if (is_crowded(context)) {
        queue->look = least(count, limit); /* each launch looks */
        return count;
    }
    queue->look = least(count + STEP, limit);
    return count < limit ? 0 : count - limit + 1;
}

/* Where a capture is open, no question may be asked and no event recorded, and
 * both are the current context's; a launch in another one is refused. */
static bool
may_ask(const struct core_context *context)
{
    const struct core_context *top = core_stack_top();
    return context->captures == 0 && top != NULL &&
           top->handle == context->handle;
}

/* A launch on a stream for which there is no row. */
static void
others_add(struct core_context *context, bool open)
{
    struct core_queue *others = &context->queues[CORE_QUEUES];
    others->count++;
    if ((others->done + others->count) % ASK_EVERY == 0 && open) {
        queues_settle(context, others);
    }
}

bool
core_queue_attend(struct core_context *context, CUstream stream)
{
    struct core_queue *queue = queue_of(context, stream);
    bool open = may_ask(context);
    if (queue == NULL) {
        others_add(context, open);
        return true;
    }
    context->queue = queue;
    if (++queue->count < queue->look && !is_crowded(context)) {
        return false;
    }
    /* No capture may see the event. */
    open = open && !core_stream_captures(stream);
    unsigned beyond = queue_extend(context, queue, open);
    if (beyond % ASK_EVERY == 1 && open) {
        if (!queue_settle(queue) || is_crowded(context)) {
            queues_settle(context, queue);
        }
        beyond = queue_extend(context, queue, open);
    }
    return beyond > 0;
}

static struct core_queue *
row_of_ended(struct core_context *context)
{
    struct core_queue *found = NULL;
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        struct core_queue *queue = &context->queues[i];
        found = queue->stream == ENDED && queue->count > 0 ? queue : found;
    }
    return found;
}

/* What waits on a stream that ends still does when the stream is gone. */
static void
queue_end(struct core_context *context, struct core_queue *queue)
{
    struct core_queue *before = row_of_ended(context);
    if (before != NULL &&
        driver.cuStreamWaitEvent(queue->stream, before->event, 0) ==
            CUDA_SUCCESS) {
        queue->count += before->count;
        queue_take(before, before->count);
    }
    queue_mark(queue, queue->count);
    queue->stream = ENDED;
    queue->look = 0;
}

void
core_queues_stream_gone(struct core_context *context, CUstream stream)
{
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        struct core_queue *queue = &context->queues[i];
        if (queue->stream != stream || queue->count == 0) {
            continue;
        }
        if (context->captures == 0 && !stream_is_idle(stream)) {
            queue_end(context, queue);
        }
        if (queue->stream != ENDED || queue->marked == 0) {
            queue_take(queue, queue->count);
            queue->look = 0;
        }
    }
}

CUresult
core_queues_wait(struct core_context *context)
{
    unsigned came[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        came[i] = context->queues[i].done + context->queues[i].count;
    }
    CUresult code;
    PyThreadState *thread = core_unlock();
    code = driver.cuCtxSynchronize();
    core_lock(thread);
    for (size_t i = 0; i < ROWS; i++) {
        struct core_queue *queue = &context->queues[i];
        /* What other threads have queued since stays. */
        unsigned left = queue->done + queue->count - came[i];
        if (left < queue->count) {
            queue_take(queue, queue->count - left);
            queue->look = least(queue->look, left);
        }
    }
    return code;
}

bool
core_queues_empty(const struct core_context *context)
{
    bool empty = true;
    for (const struct core_context *other = core_contexts_first();
         other != NULL && empty; other = other->next) {
        empty = other->handle != context->handle || count_of(other) == 0;
    }
    return empty;
}

void
core_queues_drop(struct core_context *context)
{
    struct core_scope scope;
    bool inside = core_enter(context, &scope);
    for (size_t i = 0; i < ROWS; i++) {
        struct core_queue *queue = &context->queues[i];
        if (inside && queue->event != NULL) {
            driver.cuEventDestroy(queue->event);
        }
        queue->event = NULL;
        queue_take(queue, queue->count);
        queue->look = 0;
    }
    if (inside) {
        core_leave(&scope);
    }
}
