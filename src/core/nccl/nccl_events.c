/* nccl_events.c - finds by events which calls of a communicator are complete.
 *
 * NCCL executes the calls of a communicator in their order, even if they are
 * in different streams. So the events complete in the order of their records,
 * and a binary search finds the latest complete one.
 *
 * `lock` protects the fields. It is held for short times only, never in calls
 * of the driver.
 *
 * SPDX-License-Identifier: MIT */
#include "core/nccl/nccl_events.h"
#include "core/state.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    /* The number of the latest records whose events are kept. A driver's queue
     * holds about as many launches. */
    EVENTS = 1024,
    TICK_US = 50000,    /* time between two searches of the observer */
    SHORT_TICK_US = 50, /* the same while a thread waits for calls */
    END_MS = 10000,     /* longest wait for a query that does not return */
};

/* The event that was recorded after the call `number`. */
struct record {
    CUevent event;
    uint64_t number;
};

struct core_nccl_events {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    CUdevice device;
    CUcontext context;
    unsigned users; /* reference count: the owner and the observer */
    bool hurry, closing;
    bool searching; /* the observer calls the driver */
    /* number of records so far; the record with index i is
     * records[i % EVENTS] */
    uint64_t recorded;
    uint64_t done; /* number of the latest complete call */
    struct record records[EVENTS];
};

static void
pause_us(long microseconds)
{
    struct timespec step = {0, microseconds * 1000};
    nanosleep(&step, NULL);
}

/* Drops a reference, and `lock`, which the caller holds. The last reference
 * frees the object. */
static void
release_and_unlock(struct core_nccl_events *events)
{
    bool last = --events->users == 0;
    pthread_mutex_unlock(&events->lock);
    if (last) {
        pthread_cond_destroy(&events->changed);
        pthread_mutex_destroy(&events->lock);
        free(events);
    }
}

static bool
record_is_complete(const struct core_nccl_events *events, uint64_t index)
{
    return driver.cuEventQuery(events->records[index % EVENTS].event) ==
           CUDA_SUCCESS;
}

/* Searches the records from `first` to before `end`, and returns the index
 * after the latest complete one; `first` if none is complete. If a record is
 * replaced during the search, its event belongs to a later call, and the
 * search finds fewer complete records than there are. */
static uint64_t
complete_end(const struct core_nccl_events *events, uint64_t first,
             uint64_t end)
{
    if (first < end && record_is_complete(events, end - 1)) {
        return end;
    }
    while (first + 1 < end) {
        uint64_t middle = first + (end - first) / 2;
        if (record_is_complete(events, middle - 1)) {
            first = middle;
        } else {
            end = middle;
        }
    }
    return first;
}

/* Updates events->done. The caller holds `lock`, which is released during the
 * queries. `tested` is the index after the latest record that is known to be
 * complete. */
static void
search(struct core_nccl_events *events, uint64_t *tested)
{
    uint64_t end = events->recorded;
    uint64_t first =
        end > EVENTS && *tested < end - EVENTS ? end - EVENTS : *tested;
    if (first == end) {
        return;
    }
    events->searching = true;
    pthread_mutex_unlock(&events->lock);
    uint64_t found = complete_end(events, first, end);
    pthread_mutex_lock(&events->lock);
    events->searching = false;
    /* not if the record has been replaced by that of a later call */
    if (found > first && events->recorded - found < EVENTS) {
        events->done = events->records[(found - 1) % EVENTS].number;
        *tested = found;
    }
}

/* Waits until the next search. The caller holds `lock`. */
static void
tick_wait(struct core_nccl_events *events)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (events->hurry ? SHORT_TICK_US : TICK_US) * 1000L;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&events->changed, &events->lock, &until);
}

/* Main function of the observer. Queries during the capture of a stream by
 * another thread are allowed in the relaxed mode only. */
static void *
observer_main(void *argument)
{
    struct core_nccl_events *events = argument;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    uint64_t tested = 0;
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    driver.cuCtxSetCurrent(events->context);
    pthread_mutex_lock(&events->lock);
    while (!events->closing) {
        search(events, &tested);
        if (!events->closing) {
            tick_wait(events);
        }
    }
    release_and_unlock(events);
    return NULL;
}

/* Starts the observer, which has a reference of its own. */
static bool
observer_start(struct core_nccl_events *events)
{
    pthread_t thread;
    events->users = 2;
    if (pthread_create(&thread, NULL, observer_main, events) != 0) {
        events->users = 1;
        return false;
    }
    pthread_detach(thread);
    return true;
}

struct core_nccl_events *
core_nccl_events_new(CUdevice device, CUcontext context)
{
    struct core_nccl_events *events = calloc(1, sizeof *events);
    pthread_condattr_t attributes;
    CUcontext retained = NULL;
    if (events == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (core_check(driver.cuDevicePrimaryCtxRetain(&retained, device),
                   "cuDevicePrimaryCtxRetain") < 0) {
        free(events);
        return NULL;
    }
    events->device = device;
    events->context = context;
    pthread_mutex_init(&events->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&events->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (!observer_start(events)) {
        driver.cuDevicePrimaryCtxRelease(device);
        pthread_mutex_lock(&events->lock);
        release_and_unlock(events);
        PyErr_SetString(PyExc_RuntimeError,
                        "a thread that observes NCCL's calls cannot be "
                        "started");
        return NULL;
    }
    return events;
}

CUresult
core_nccl_events_record(struct core_nccl_events *events, uint64_t number,
                        CUstream stream)
{
    struct record *record = &events->records[events->recorded % EVENTS];
    /* in other modes a capture in another thread forbids these calls */
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUresult code = CUDA_SUCCESS;
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    if (record->event == NULL) {
        code = driver.cuEventCreate(&record->event, CU_EVENT_DISABLE_TIMING);
    }
    code = code == CUDA_SUCCESS ? driver.cuEventRecord(record->event, stream)
                                : code;
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    if (code == CUDA_SUCCESS) {
        pthread_mutex_lock(&events->lock);
        record->number = number;
        events->recorded++;
        pthread_mutex_unlock(&events->lock);
    }
    return code;
}

uint64_t
core_nccl_events_done(struct core_nccl_events *events)
{
    pthread_mutex_lock(&events->lock);
    uint64_t done = events->done;
    pthread_mutex_unlock(&events->lock);
    return done;
}

void
core_nccl_events_hurry(struct core_nccl_events *events)
{
    pthread_mutex_lock(&events->lock);
    events->hurry = true;
    pthread_cond_signal(&events->changed);
    pthread_mutex_unlock(&events->lock);
}

static void
records_destroy(const struct core_nccl_events *events)
{
    CUcontext context;
    driver.cuCtxPushCurrent(events->context);
    for (int i = 0; i < EVENTS && events->records[i].event != NULL; i++) {
        driver.cuEventDestroy(events->records[i].event);
    }
    driver.cuCtxPopCurrent(&context);
}

void
core_nccl_events_free(struct core_nccl_events *events, bool pending)
{
    pthread_mutex_lock(&events->lock);
    events->closing = true;
    pthread_cond_signal(&events->changed);
    for (int i = 0; i < END_MS && events->searching; i++) {
        pthread_mutex_unlock(&events->lock);
        pause_us(1000);
        pthread_mutex_lock(&events->lock);
    }
    bool searching = events->searching;
    pthread_mutex_unlock(&events->lock);
    if (!pending && !searching) {
        records_destroy(events);
    }
    if (!searching) {
        driver.cuDevicePrimaryCtxRelease(events->device);
    }
    pthread_mutex_lock(&events->lock);
    release_and_unlock(events);
}
