/* throttle.c - limits the number of launches that wait in the driver's queue.
 *
 * The driver's queue holds about a thousand launches. A launch that finds it
 * full waits. It must not hold the GIL during the wait, since the device may
 * be waiting for another Python thread. Launches are therefore counted per
 * stream (core_throttle_add). While a launch certainly fits in the queue, it
 * keeps the GIL, since a release would cost 5 milliseconds if another thread
 * is busy. After some hundreds of launches an event shows how many are
 * complete.
 *
 * Streams may share one queue of the driver, so the sum of all counts is
 * limited. One half of the limit is divided equally between the streams. The
 * other half is given out as streams ask for it, so that a stream which is
 * used alone seldom needs an event. The table has CORE_THROTTLES entries, one
 * per stream. Launches on further streams release the GIL, and are counted
 * together in one more entry.
 *
 * The counts also show whether a synchronous copy has to wait for earlier
 * work. Copies and fills that do not wait are therefore counted like launches.
 *
 * Owns the events. All functions need the GIL, with the context current in
 * CUDA.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/python/gil.h"
#include "core/stream/current_stream.h"

enum {
    MAX_PENDING =
        960, /* limit on the total number of pending launches of all streams */
    /* pending launches that are reserved for each stream */
    GUARANTEED = MAX_PENDING / 2 / CORE_THROTTLES,
    /* number of launches that are issued between two checks for completion */
    STEP = GUARANTEED / 2,
    /* number of launches per check while more than MAX_PENDING are pending */
    ASK_EVERY = 16,
    ROWS = CORE_THROTTLES + 1,
};

/* The address of `ended` serves as the stream handle ENDED of one entry, which
 * counts the pending work of all destroyed streams. The entry's event is
 * recorded after all of that work. */
static char ended;
#define ENDED ((CUstream)&ended)

/* Sets this thread's capture mode and returns the previous one. A capture in
 * another thread, by any library, forbids queries and event calls in this
 * thread unless it is in relaxed mode. */
static CUstreamCaptureMode
mode_exchange(CUstreamCaptureMode mode)
{
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

/* Records the event of the entry `queue` on its stream. `issued` is the number
 * of launches that the entry counts and that are before the event. */
static void
throttle_record_event(struct core_throttle *queue, unsigned issued)
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

/* Subtracts `count` launches, which are complete. The entry's event then
 * counts as not recorded. */
static void
throttle_subtract(struct core_throttle *queue, unsigned count)
{
    queue->done += count;
    queue->count -= count;
    queue->marked = 0;
}

/* Asks the driver whether the entry's event is reached or, if no event is
 * recorded, whether the stream is idle. If so, subtracts the completed
 * launches. The launch that was counted last has not been issued yet. Returns
 * false if nothing was subtracted. */
static bool
throttle_update(struct core_throttle *queue)
{
    CUstreamCaptureMode mode = mode_exchange(CU_STREAM_CAPTURE_MODE_RELAXED);
    unsigned marked = queue->marked;
    CUresult code = marked > 0 ? driver.cuEventQuery(queue->event)
                               : driver.cuStreamQuery(queue->stream);
    mode_exchange(mode);
    if (code != CUDA_SUCCESS) {
        return false;
    }
    throttle_subtract(queue, marked > 0 ? marked : queue->count - 1);
    return true;
}

/* Returns the stream's entry, or an unused one; NULL if other streams use all
 * entries. */
static struct core_throttle *
throttle_of(struct core_context *context, CUstream stream)
{
    struct core_throttle *free = NULL;
    for (size_t i = 0; i < CORE_THROTTLES; i++) {
        struct core_throttle *queue = &context->throttles[i];
        if (queue->stream == stream && queue->count > 0) {
            return queue;
        }
        free = queue->count == 0 ? queue : free;
    }
    if (free != NULL) {
        free->stream = stream;
        free->next_check = STEP;
        free->marked = 0;
    }
    return free;
}

static unsigned
minimum(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns the limit of pending launches for the stream of the entry `queue`:
 * the total minus what the other entries reserve (GUARANTEED each) and what
 * they have taken beyond that. The result is not negative, since the
 * `next_check` of an entry was never set above the entry's limit. */
static unsigned
throttle_limit(const struct core_context *context,
               const struct core_throttle *queue)
{
    unsigned limit = MAX_PENDING - (CORE_THROTTLES - 1) * GUARANTEED;
    for (size_t i = 0; i < CORE_THROTTLES; i++) {
        const struct core_throttle *other = &context->throttles[i];
        if (other != queue && other->count > 0 &&
            other->next_check > GUARANTEED) {
            limit -= other->next_check - GUARANTEED;
        }
    }
    return limit;
}

/* Returns whether the stream certainly exists: the default stream, or a stream
 * that this context has created. Any other stream belongs to another library,
 * which may have destroyed it. */
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

/* Returns whether the default stream and all Streams of the context are idle.
 * Asks the streams in the context's list, since the throttle's table of
 * streams has no entry for some of them. */
static bool
streams_are_idle(const struct core_context *context)
{
    bool idle = stream_is_idle(NULL);
    for (size_t i = 0; i < context->stream_count && idle; i++) {
        idle = stream_is_idle(context->streams[i].handle);
    }
    return idle;
}

/* Checks for completed launches on all streams except the one in the entry
 * `asking`. */
static void
throttles_update(struct core_context *context,
                 const struct core_throttle *asking)
{
    for (size_t i = 0; i < CORE_THROTTLES; i++) {
        struct core_throttle *queue = &context->throttles[i];
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
            throttle_update(queue)) {
            /* If the entry had a recorded event, throttle_update has
             * subtracted the launches before the event. Without an event, the
             * stream is idle, so the remaining launches are complete, too. */
            throttle_subtract(queue, marked ? 0 : queue->count);
            queue->next_check = minimum(queue->next_check, queue->count);
        }
    }
    struct core_throttle *others = &context->throttles[CORE_THROTTLES];
    if (others->count > 0 && streams_are_idle(context)) {
        throttle_subtract(others, others->count);
    }
}

/* Returns the number of pending launches on all streams, including those in
 * the entry for further streams. */
static unsigned
pending_count(const struct core_context *context)
{
    unsigned count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        count += context->throttles[i].count;
    }
    return count;
}

/* Returns whether the pending launches on all streams exceed the limit. */
static bool
limit_is_exceeded(const struct core_context *context)
{
    return pending_count(context) > MAX_PENDING;
}

/* Sets `next_check`, the count at which the next check happens. If `open`
 * (event calls are allowed) and the count nears the limit, also records the
 * entry's event. Returns 0 if the launch certainly fits in the driver's queue,
 * otherwise a number that grows by 1 with each launch. */
static unsigned
throttle_extend(const struct core_context *context,
                struct core_throttle *queue, bool open)
{
    unsigned count = queue->count, limit = throttle_limit(context, queue);
    if (open && queue->marked == 0 && count >= limit / 2) {
        throttle_record_event(queue, count - 1);
    }
    if (limit_is_exceeded(context)) {
        /* At most the present count, so that the next launch also checks for
         * completed launches. */
        queue->next_check = minimum(count, limit);
        return count;
    }
    queue->next_check = minimum(count + STEP, limit);
    return count < limit ? 0 : count - limit + 1;
}

/* Returns whether the driver may be asked for completion. In a capture neither
 * queries nor event records are allowed. Queries and event records need the
 * context to be current; if it is not, the launch fails anyway. */
static bool
may_query(const struct core_context *context)
{
    const struct core_context *top = core_stack_top();
    return context->captures == 0 && top != NULL &&
           top->handle == context->handle;
}

/* Counts a launch on a stream that has no entry of its own in the table. All
 * such streams share one further entry. */
static void
untracked_add(struct core_context *context, bool open)
{
    struct core_throttle *others = &context->throttles[CORE_THROTTLES];
    others->count++;
    if ((others->done + others->count) % ASK_EVERY == 0 && open) {
        throttles_update(context, others);
    }
}

/* Slow path of core_throttle_add: counts the operation. If the limit is near,
 * asks the driver which launches are complete. Returns whether the operation
 * may have to wait for the device. */
bool
core_throttle_check(struct core_context *context, CUstream stream)
{
    struct core_throttle *queue = throttle_of(context, stream);
    bool open = may_query(context);
    if (queue == NULL) {
        untracked_add(context, open);
        return true;
    }
    context->throttle = queue;
    if (++queue->count < queue->next_check && !limit_is_exceeded(context)) {
        return false;
    }
    /* The event that throttle_extend records must not become part of a
     * capture. */
    open = open && !core_stream_captures(stream);
    unsigned beyond = throttle_extend(context, queue, open);
    if (beyond % ASK_EVERY == 1 && open) {
        if (!throttle_update(queue) || limit_is_exceeded(context)) {
            throttles_update(context, queue);
        }
        beyond = throttle_extend(context, queue, open);
    }
    return beyond > 0;
}

/* Returns the entry for destroyed streams that have pending work, or NULL. */
static struct core_throttle *
ended_row_find(struct core_context *context)
{
    struct core_throttle *found = NULL;
    for (size_t i = 0; i < CORE_THROTTLES; i++) {
        struct core_throttle *queue = &context->throttles[i];
        found = queue->stream == ENDED && queue->count > 0 ? queue : found;
    }
    return found;
}

/* Called before the stream of the entry `queue` is destroyed. Keeps counting
 * its pending launches, by an event that is recorded after them. */
static void
throttle_end(struct core_context *context, struct core_throttle *queue)
{
    struct core_throttle *before = ended_row_find(context);
    if (before != NULL &&
        driver.cuStreamWaitEvent(queue->stream, before->event, 0) ==
            CUDA_SUCCESS) {
        queue->count += before->count;
        throttle_subtract(before, before->count);
    }
    throttle_record_event(queue, queue->count);
    queue->stream = ENDED;
    queue->next_check = 0;
}

/* Called before a stream is destroyed. Its pending launches are still counted
 * until they complete. */
void
core_throttles_stream_ended(struct core_context *context, CUstream stream)
{
    for (size_t i = 0; i < CORE_THROTTLES; i++) {
        struct core_throttle *queue = &context->throttles[i];
        if (queue->stream != stream || queue->count == 0) {
            continue;
        }
        if (context->captures == 0 && !stream_is_idle(stream)) {
            throttle_end(context, queue);
        }
        if (queue->stream != ENDED || queue->marked == 0) {
            throttle_subtract(queue, queue->count);
            queue->next_check = 0;
        }
    }
}

/* Waits, without the GIL, for all work issued in the context so far, and
 * subtracts that work from the counts. Raises nothing. */
CUresult
core_throttles_wait(struct core_context *context)
{
    unsigned came[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        came[i] = context->throttles[i].done + context->throttles[i].count;
    }
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuCtxSynchronize();
    core_gil_acquire(thread);
    for (size_t i = 0; i < ROWS; i++) {
        struct core_throttle *queue = &context->throttles[i];
        /* Subtract only launches that were issued before the wait, since other
         * threads may have issued more during it. */
        unsigned left = queue->done + queue->count - came[i];
        if (left < queue->count) {
            throttle_subtract(queue, queue->count - left);
            queue->next_check = minimum(queue->next_check, left);
        }
    }
    return code;
}

/* Returns whether the context `other` has a native context different from
 * `value`, or has no pending operations. */
static bool
context_is_idle(const struct core_context *other, const void *value)
{
    const struct core_context *context = value;
    return other->handle != context->handle || pending_count(other) == 0;
}

/* Returns whether all operations of the context are known to be complete, so
 * that a copy does not have to wait. Includes the operations that were issued
 * by other Context objects of the same native context. */
bool
core_throttles_are_idle(const struct core_context *context)
{
    return core_contexts_all(context_is_idle, context);
}

void
core_throttles_drop(struct core_context *context)
{
    struct core_scope scope;
    bool inside = core_enter(context, &scope);
    for (size_t i = 0; i < ROWS; i++) {
        struct core_throttle *queue = &context->throttles[i];
        if (inside && queue->event != NULL) {
            driver.cuEventDestroy(queue->event);
        }
        queue->event = NULL;
        throttle_subtract(queue, queue->count);
        queue->next_check = 0;
    }
    if (inside) {
        core_leave(&scope);
    }
}
