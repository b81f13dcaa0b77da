/* queue.c - limits the number of launches that wait in the driver's queue.
 *
 * Called for each launch (core_queue_add), which keeps the GIL while the
 * driver certainly accepts it immediately. The driver's queue holds about a
 * thousand launches. A launch that finds it full waits, and must not hold the
 * GIL, since the device may be waiting for another Python thread. Launches are
 * therefore counted per stream, and an event after some hundreds of them shows
 * how many are complete. A loop that the device keeps pace with never releases
 * the GIL, which would cost 5 milliseconds if another thread is busy.
 *
 * Streams may share one queue of the driver, so the sum of all counts is
 * bounded. Half of the limit is divided between the streams; the other half
 * goes to the streams that ask first, so that a stream which is alone seldom
 * needs an event. Launches on more streams than there are rows release the
 * GIL, and are counted in one more row.
 *
 * The counts also show whether a synchronous copy may have to wait, so copies
 * and fills that do not wait are counted like launches.
 *
 * Owns the events. All under the GIL, in the context's scope.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

enum {
    MOST = 960,                   /* launches that may wait, on all streams */
    OWN = MOST / 2 / CORE_QUEUES, /* share that each stream always has */
    STEP = OWN / 2,               /* launches between two checks */
    ASK_EVERY = 16, /* checks beyond the limit: one per 16 launches */
    ROWS = CORE_QUEUES + 1,
};

/* Stream of a row whose streams have ended; its event is after all work that
 * was issued on them. */
static char ended;
#define ENDED ((CUstream)&ended)

/* Exchanges the thread's capture mode. A capture in another thread, by any
 * library, forbids the calls of this file unless this thread is in relaxed
 * mode. */
static CUstreamCaptureMode
mode_exchange(CUstreamCaptureMode mode)
{
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

/* Records the event after the work issued so far, the first `issued` of the
 * counted launches. */
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

/* Counts so many launches as complete, and discards the mark. */
static void
queue_take(struct core_queue *queue, unsigned count)
{
    queue->done += count;
    queue->count -= count;
    queue->marked = 0;
}

/* Subtracts the launches that are known to be complete. The launch counted
 * last has not been issued yet. */
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

/* Returns the stream's row, or an unused one; NULL if other streams have all
 * rows. */
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

/* Returns the limit for the queue's stream: the capacity that other streams
 * have not borrowed. No `look` exceeds the limit at the time when it was
 * set. */
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

/* Returns whether the stream certainly exists; streams of other libraries may
 * be gone. */
static bool
stream_lives(const struct core_context *context, CUstream stream)
{
    bool found = stream == NULL;
    for (size_t i = 0; i < context->stream_count && !found; i++) {
        found = context->streams[i].handle == stream;
    }
    return found;
}

/* Returns whether the stream does not capture and all its work is complete. */
static bool
stream_is_idle(CUstream stream)
{
    CUstreamCaptureMode mode = mode_exchange(CU_STREAM_CAPTURE_MODE_RELAXED);
    bool idle = !core_stream_captures(stream) &&
                driver.cuStreamQuery(stream) == CUDA_SUCCESS;
    mode_exchange(mode);
    return idle;
}

/* Checks all streams of the context, since the row of other streams does not
 * record them. Streams that have ended count as idle. */
static bool
streams_are_idle(const struct core_context *context)
{
    bool idle = stream_is_idle(NULL);
    for (size_t i = 0; i < context->stream_count && idle; i++) {
        idle = stream_is_idle(context->streams[i].handle);
    }
    return idle;
}

/* Checks for completion on the other streams, on behalf of `asking`. */
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
            /* If a mark was reached the next launch asks again; otherwise the
             * stream is idle, and all launches are complete. */
            queue_take(queue, marked ? 0 : queue->count);
            queue->look = least(queue->look, queue->count);
        }
    }
    struct core_queue *others = &context->queues[CORE_QUEUES];
    if (others->count > 0 && streams_are_idle(context)) {
        queue_take(others, others->count);
    }
}

/* Returns the number of launches that may wait on all streams, including those
 * that released the GIL. */
static unsigned
count_of(const struct core_context *context)
{
    unsigned count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        count += context->queues[i].count;
    }
    return count;
}

/* Returns whether the launches on all streams exceed the limit. */
static bool
is_crowded(const struct core_context *context)
{
    return count_of(context) > MOST;
}

/* Sets the next check as far ahead as the limit allows. Returns by how many
 * launches the stream exceeds its limit, from 1; 0 if it does not. */
static unsigned
queue_extend(const struct core_context *context, struct core_queue *queue,
             bool open)
{
    unsigned count = queue->count, limit = limit_of(context, queue);
    if (open && queue->marked == 0 && count >= limit / 2) {
        queue_mark(queue, count - 1);
    }
    if (is_crowded(context)) {
        queue->look = least(count, limit); /* check at each launch */
        return count;
    }
    queue->look = least(count + STEP, limit);
    return count < limit ? 0 : count - limit + 1;
}

/* Returns whether the driver may be queried: in a capture no query is allowed
 * and no event may be recorded. Both need the current context; a launch in
 * another context is refused. */
static bool
may_ask(const struct core_context *context)
{
    const struct core_context *top = core_stack_top();
    return context->captures == 0 && top != NULL &&
           top->handle == context->handle;
}

/* Counts a launch on a stream without a row. */
static void
others_add(struct core_context *context, bool open)
{
    struct core_queue *others = &context->queues[CORE_QUEUES];
    others->count++;
    if ((others->done + others->count) % ASK_EVERY == 0 && open) {
        queues_settle(context, others);
    }
}

/* Slow path of core_queue_add: counts the operation, asks the driver what is
 * complete if the limit is near, and returns whether the operation may have to
 * wait for the device. */
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
    /* A capture must not contain the event. */
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

/* Returns the row for ended streams, or NULL. */
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

/* Keeps the count of launches that are pending on a stream that ends: an event
 * replaces the stream. */
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

/* Called before a stream is destroyed: keeps the count of its pending
 * launches. */
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

/* Waits, without the GIL, for all work issued in the context so far, and
 * resets its counts. Raises nothing. */
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
        /* Launches that other threads have queued since then remain. */
        unsigned left = queue->done + queue->count - came[i];
        if (left < queue->count) {
            queue_take(queue, queue->count - left);
            queue->look = least(queue->look, left);
        }
    }
    return code;
}

/* Returns whether no operation of the native context is known to be pending,
 * so that a copy does not have to wait. */
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
