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
 * asks first, so that one that is alone seldom needs an event.
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
};

/* Another thread's capture, by whatever library, forbids what is done here
 * unless this thread says that it means it. */
static CUstreamCaptureMode
mode_exchange(CUstreamCaptureMode mode)
{
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

/* Lets the event tell when what has been issued so far is done.  The launch
 * that is counted last is still to come. */
static void
queue_mark(struct core_queue *queue)
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
    queue->marked = code == CUDA_SUCCESS ? queue->count - 1 : 0;
}

/* Takes what is known to be done from the count. */
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
    queue->count = marked > 0 ? queue->count - marked : 1;
    queue->marked = 0;
    return true;
}

/* The stream's, which may be one that nothing waits in; NULL where others
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

/* Looks what is done on others' streams, for the one that is `asking`. */
static void
queues_settle(struct core_context *context, const struct core_queue *asking)
{
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        struct core_queue *queue = &context->queues[i];
        if (queue == asking || queue->count == 0) {
            continue;
        }
        if (!stream_lives(context, queue->stream)) {
            queue->marked = 0;
            continue;
        }
        bool marked = queue->marked > 0;
        if (!core_stream_captures(queue->stream) && queue_settle(queue)) {
            /* By its mark: its next launch asks for room.  Else: all. */
            queue->count = marked ? queue->count : 0;
            queue->look = least(queue->look, queue->count);
        }
    }
}

/* How many may be waiting on all streams, those that gave the GIL away too. */
static unsigned
count_of(const struct core_context *context)
{
    unsigned count = 0;
    for (size_t i = 0; i < CORE_QUEUES; i++) {
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
        queue_mark(queue);
    }
    if (is_crowded(context)) {
        queue->look = least(count, limit); /* each launch looks */
        return count;
    }
    queue->look = least(count + STEP, limit);
    return count < limit ? 0 : count - limit + 1;
}

bool
core_queue_attend(struct core_context *context, CUstream stream)
{
    struct core_queue *queue = queue_of(context, stream);
    if (queue == NULL && ++context->queueless % ASK_EVERY == 0 &&
        context->captures == 0) {
        queues_settle(context, NULL);
        queue = queue_of(context, stream);
    }
    if (queue == NULL) {
        return true;
    }
    context->queue = queue;
    if (++queue->count < queue->look && !is_crowded(context)) {
        return false;
    }
    /* No capture may see the event. */
    bool open = context->captures == 0 && !core_stream_captures(stream);
    unsigned beyond = queue_extend(context, queue, open);
    if (beyond % ASK_EVERY == 1 && open) {
        if (!queue_settle(queue)) {
            queues_settle(context, queue);
        }
        beyond = queue_extend(context, queue, open);
    }
    return beyond > 0;
}

void
core_queues_stream_gone(struct core_context *context, CUstream stream)
{
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        struct core_queue *queue = &context->queues[i];
        if (queue->stream == stream) {
            queue->count = queue->look = 0;
        }
    }
}

void
core_queues_done(struct core_context *context)
{
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        context->queues[i].count = context->queues[i].look = 0;
    }
}

bool
core_queues_empty(const struct core_context *context)
{
    return count_of(context) == 0;
}

void
core_queues_drop(struct core_context *context)
{
    struct core_scope scope;
    bool inside = core_enter(context, &scope);
    for (size_t i = 0; i < CORE_QUEUES; i++) {
        struct core_queue *queue = &context->queues[i];
        if (inside && queue->event != NULL) {
            driver.cuEventDestroy(queue->event);
        }
        queue->event = NULL;
    }
    core_queues_done(context);
    if (inside) {
        core_leave(&scope);
    }
}
