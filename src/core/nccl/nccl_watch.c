/* nccl_watch.c - observes whether the calls of a communicator complete.
 *
 * NCCL waits for ever for a rank that does not call an operation. A thread,
 * the monitor, compares the numbers of the calls that were made with the
 * number of the latest complete call (nccl_events.h).
 *
 * `lock` protects the list of watches and their fields. It is held for short
 * times only, never in calls of the driver.
 *
 * SPDX-License-Identifier: MIT */
#include "core/nccl/nccl_watch.h"
#include "core/nccl/nccl_events.h"
#include "core/python/gil.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    /* number of the latest calls whose descriptions are stored */
    MARKS = 1024,
    TICK_MS = 50, /* time between two checks by the monitor thread */
    /* longest wait until the exception is raised in the thread of the call */
    TELL_MS = 1000,
    FINISH_MS = 10000, /* longest wait until an abort has ended */
    SEEN_MS = 20, /* longest wait until a complete call is seen as complete */
};

#define LONGEST_TICK 0.5 /* in seconds */

enum state {
    WATCHING,
    FAILED,  /* a call has failed: a thread aborts the communicator */
    ABORTED, /* the abort of the communicator has ended */
};

struct core_nccl_watch {
    struct core_nccl_watch *next; /* next element in the list of all watches */
    ncclComm_t handle;
    struct core_nccl_place place;
    double seconds; /* time limit in seconds */
    /* reference count: one for the communicator, one for each thread that
     * works on a failure */
    unsigned users;
    struct core_nccl_events *events;
    enum state state;
    bool told; /* the exception was raised in the thread of the failed call */
    char failure[480];
    unsigned long thread; /* id of the thread that made the failed call */
    /* numbers of the latest calls that are issued and that are complete */
    uint64_t issued, done;
    /* seconds, as counted by the monitor thread, since `done` last changed */
    double waited;
    unsigned issuing; /* number of threads that are inside a call of NCCL */
    /* seconds, as counted by the monitor thread, since `issuing` last became
     * 1 */
    double issuing_waited;
    struct core_nccl_mark issuing_mark;
    /* descriptions of the latest calls; index: number of the call % MARKS; an
     * element with number 0 is unused */
    struct core_nccl_mark marks[MARKS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct core_nccl_watch *watches;
static bool monitor_runs;

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void
pause_ms(int milliseconds)
{
    struct timespec step = {0, milliseconds * 1000000L};
    nanosleep(&step, NULL);
}

/* ---- the monitor; without the GIL ---- */

/* Drops a reference to the watch; the last one frees it. The caller holds
 * `lock`. */
static void
watch_release(struct core_nccl_watch *watch)
{
    if (--watch->users == 0) {
        free(watch);
    }
}

static void
list_remove(struct core_nccl_watch *watch)
{
    struct core_nccl_watch **link = &watches;
    while (*link != NULL && *link != watch) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = watch->next;
    }
}

/* Starts a detached thread that runs function(watch); returns whether it
 * did. */
static bool
thread_start(void *(*function)(void *), void *watch)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, watch) != 0) {
        return false;
    }
    pthread_detach(thread);
    return true;
}

/* Main function of a thread that is started after a failure. It raises the
 * exception in the thread that made the NCCL call. If that thread has the GIL
 * during the call, this thread gets the GIL when the abort of the communicator
 * has ended the call. */
static void *
tell_main(void *argument)
{
    struct core_nccl_watch *watch = argument;
    if (Py_IsInitialized()) {
        PyGILState_STATE state = PyGILState_Ensure();
        PyObject *result =
            core.nccl_report == NULL
                ? NULL
                : PyObject_CallFunction(core.nccl_report, "sk", watch->failure,
                                        watch->thread);
        if (result == NULL) {
            PyErr_Clear();
        }
        Py_XDECREF(result);
        PyGILState_Release(state);
    }
    pthread_mutex_lock(&lock);
    watch->told = true;
    watch_release(watch);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Returns whether the exception was raised in the thread of the failed call.
 * Acquires `lock`. */
static bool
is_told(struct core_nccl_watch *watch)
{
    pthread_mutex_lock(&lock);
    bool told = watch->told;
    pthread_mutex_unlock(&lock);
    return told;
}

/* Thread that ends a communicator after a failure. It first starts the thread
 * that raises the exception, since the abort ends the failed call, whose
 * thread then continues. Each abort runs in a separate thread: it may wait for
 * operations of other communicators, and these may end only when those
 * communicators are aborted, too. */
static void *
fail_main(void *argument)
{
    struct core_nccl_watch *watch = argument;
    pthread_mutex_lock(&lock);
    watch->users++;
    pthread_mutex_unlock(&lock);
    if (!thread_start(tell_main, watch)) {
        pthread_mutex_lock(&lock);
        watch_release(watch);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < TELL_MS / 2 && !is_told(watch); i++) {
        pause_ms(2);
    }
    nccl.ncclCommAbort(watch->handle);
    pthread_mutex_lock(&lock);
    watch->state = ABORTED;
    watch_release(watch);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Returns the description of the oldest call that is not complete. */
static const struct core_nccl_mark *
oldest_mark(const struct core_nccl_watch *watch)
{
    const struct core_nccl_mark *oldest = NULL;
    for (int i = 0; i < MARKS; i++) {
        const struct core_nccl_mark *mark = &watch->marks[i];
        if (mark->number > watch->done &&
            (oldest == NULL || mark->number < oldest->number)) {
            oldest = mark;
        }
    }
    return oldest != NULL ? oldest : &watch->issuing_mark;
}

static const char *const names[] = {
    "broadcast",      "reduce",     "all_reduce", "all_gather",
    "reduce_scatter", "all_to_all", "gather",     "scatter",
    "send",           "recv",       "split",
};

/* Stores the error message for the failed call `mark`, and starts a thread
 * that raises the exception and aborts the communicator. The caller holds
 * `lock`. */
static void
watch_fail(struct core_nccl_watch *watch, const struct core_nccl_mark *mark,
           const char *reason)
{
    char call[80] = "split";
    if (mark->count >= 0) {
        snprintf(call, sizeof call, "%s of %zd elements of %zu bytes",
                 names[mark->kind], mark->count, mark->bytes);
    }
    snprintf(watch->failure, sizeof watch->failure,
             "rank %d of %d on device %d: call %llu, %s, %s",
             watch->place.rank, watch->place.size, watch->place.device,
             (unsigned long long)mark->number, call, reason);
    watch->thread = mark->thread;
    watch->state = FAILED;
    list_remove(watch);
    watch->users++;
    if (!thread_start(fail_main, watch)) {
        watch->state = ABORTED;
        watch_release(watch);
    }
}

/* Updates the number of the latest complete call of a communicator. Returns
 * whether later calls are pending. */
static bool
watch_update(struct core_nccl_watch *watch)
{
    uint64_t done = core_nccl_events_done(watch->events);
    done = done > watch->done ? done : watch->done;
    if (done != watch->done || watch->issued <= done) {
        watch->waited = 0;
    }
    watch->done = done;
    return watch->issued > done;
}

/* Checks whether a communicator has an error, or a pending call that exceeds
 * the time limit. `seconds` is the time since the previous check. */
static void
watch_look(struct core_nccl_watch *watch, double seconds)
{
    bool pending = watch_update(watch);
    const struct core_nccl_mark *mark =
        pending ? oldest_mark(watch) : &watch->issuing_mark;
    if (!pending && watch->issuing == 0) {
        return;
    }
    watch->waited += seconds;
    watch->issuing_waited += seconds;
    ncclResult_t error = ncclSuccess;
    char reason[300];
    if (nccl.ncclCommGetAsyncError(watch->handle, &error) == ncclSuccess &&
        error != ncclSuccess && error != ncclInProgress) {
        snprintf(reason, sizeof reason, "has failed: %s - %.200s",
                 nccl.ncclGetErrorString(error),
                 nccl.ncclGetLastError == NULL
                     ? ""
                     : nccl.ncclGetLastError(watch->handle));
        watch_fail(watch, mark, reason);
    } else if ((pending && watch->waited > watch->seconds) ||
               (watch->issuing > 0 &&
                watch->issuing_waited > watch->seconds)) {
        snprintf(reason, sizeof reason,
                 "is not complete after %g s. Another rank has not made this "
                 "call, has made it with another size or in another order, or "
                 "has ended",
                 watch->seconds);
        watch_fail(watch, mark, reason);
    }
}

/* Checks all communicators for errors and exceeded time limits. `seconds` is
 * the time since the previous check. */
static void
watches_look(double seconds)
{
    struct core_nccl_watch *next;
    for (struct core_nccl_watch *w = watches; w != NULL; w = next) {
        next = w->next;
        watch_look(w, seconds);
    }
}

/* Main function of the monitor thread, which checks all communicators
 * periodically. It counts at most LONGEST_TICK seconds between two checks,
 * since the process may have been stopped. */
static void *
monitor_main(void *unused)
{
    (void)unused;
    double last = seconds_now();
    pthread_mutex_lock(&lock);
    for (;;) {
        while (watches == NULL) {
            pthread_cond_wait(&changed, &lock);
            last = seconds_now();
        }
        double now = seconds_now(), passed = now - last;
        last = now;
        watches_look(passed < LONGEST_TICK ? passed : LONGEST_TICK);
        pthread_mutex_unlock(&lock);
        pause_ms(TICK_MS);
        pthread_mutex_lock(&lock);
    }
    return NULL;
}

/* ---- for communicators; with the GIL ---- */

struct core_nccl_watch *
core_nccl_watch_new(ncclComm_t handle, CUcontext context,
                    struct core_nccl_place place, double seconds)
{
    struct core_nccl_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    watch->events = core_nccl_events_new(place.device, context);
    if (watch->events == NULL) {
        free(watch);
        return NULL;
    }
    watch->handle = handle;
    watch->place = place;
    watch->seconds = seconds;
    watch->users = 1;
    pthread_mutex_lock(&lock);
    bool runs = monitor_runs || thread_start(monitor_main, NULL);
    monitor_runs = runs;
    if (runs) {
        watch->next = watches;
        watches = watch;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    if (!runs) {
        core_nccl_events_free(watch->events, false);
        free(watch);
        PyErr_SetString(PyExc_RuntimeError,
                        "a thread for NCCL's time limit cannot be started");
        return NULL;
    }
    return watch;
}

void
core_nccl_watch_begin(struct core_nccl_watch *watch,
                      const struct core_nccl_mark *mark)
{
    pthread_mutex_lock(&lock);
    if (watch->issuing++ == 0) {
        watch->issuing_waited = 0;
        watch->issuing_mark = *mark;
    }
    pthread_mutex_unlock(&lock);
}

void
core_nccl_watch_end(struct core_nccl_watch *watch,
                    const struct core_nccl_mark *mark, CUstream stream,
                    bool issued)
{
    bool observed = issued && !core_stream_captures(stream);
    pthread_mutex_lock(&lock);
    watch->issuing--;
    if (observed) {
        watch->marks[mark->number % MARKS] = *mark;
        watch->issued = mark->number;
    }
    pthread_mutex_unlock(&lock);
    if (observed && core_nccl_events_record(watch->events, mark->number,
                                            stream) != CUDA_SUCCESS) {
        pthread_mutex_lock(&lock); /* cannot be observed */
        watch->done =
            watch->issued > watch->done ? watch->issued : watch->done;
        pthread_mutex_unlock(&lock);
    }
}

const char *
core_nccl_watch_failure(struct core_nccl_watch *watch)
{
    pthread_mutex_lock(&lock);
    bool failed = watch->state != WATCHING;
    pthread_mutex_unlock(&lock);
    return failed ? watch->failure : NULL;
}

int
core_nccl_watch_raise(struct core_nccl_watch *watch)
{
    unsigned long thread = PyThread_get_thread_ident();
    pthread_mutex_lock(&lock);
    if (thread == watch->thread) {
        watch->told = true;
        watch->thread = 0;
    }
    pthread_mutex_unlock(&lock);
    PyThreadState_SetAsyncExc(thread, NULL);
    PyErr_SetString(core.nccl_error, watch->failure);
    return -1;
}

bool
core_nccl_watch_wait(struct core_nccl_watch *watch)
{
    bool pending = true, failed = false;
    PyThreadState *thread = core_gil_release();
    core_nccl_events_hurry(watch->events);
    while (pending && !failed) {
        pthread_mutex_lock(&lock);
        failed = watch->state != WATCHING;
        pending = watch->issuing > 0 || watch_update(watch);
        pthread_mutex_unlock(&lock);
        if (pending && !failed) {
            struct timespec step = {0, 50000};
            nanosleep(&step, NULL);
        }
    }
    core_gil_acquire(thread);
    return !failed;
}

/* Waits, without the GIL, until the monitor has ended the communicator. */
static void
abort_wait(struct core_nccl_watch *watch)
{
    bool ended = false;
    PyThreadState *thread = core_gil_release();
    for (int i = 0; i < FINISH_MS / 2 && !ended; i++) {
        pause_ms(2);
        pthread_mutex_lock(&lock);
        ended = watch->state == ABORTED;
        pthread_mutex_unlock(&lock);
    }
    core_gil_acquire(thread);
}

/* Returns whether calls are pending. Waits a short time, without the GIL, for
 * calls that have just completed. */
static bool
pending_wait(struct core_nccl_watch *watch)
{
    bool pending = true;
    PyThreadState *thread = core_gil_release();
    core_nccl_events_hurry(watch->events);
    for (int i = 0; i < SEEN_MS && pending; i++) {
        pthread_mutex_lock(&lock);
        pending = watch_update(watch);
        pthread_mutex_unlock(&lock);
        if (pending) {
            pause_ms(1);
        }
    }
    core_gil_acquire(thread);
    return pending;
}

bool
core_nccl_watch_free(struct core_nccl_watch *watch)
{
    pthread_mutex_lock(&lock);
    bool alive = watch->state == WATCHING;
    if (alive) {
        list_remove(watch);
    }
    pthread_mutex_unlock(&lock);
    if (!alive) {
        abort_wait(watch);
    }
    bool pending = !alive || pending_wait(watch);
    PyThreadState *thread = core_gil_release();
    core_nccl_events_free(watch->events, pending);
    core_gil_acquire(thread);
    pthread_mutex_lock(&lock);
    watch_release(watch);
    pthread_mutex_unlock(&lock);
    return alive;
}

/* _nccl_set_failed(error, report): sets the class of exceptions, and the
 * function that raises one in another thread. */
static PyObject *
nccl_set_failed(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *error, *report;
    if (!PyArg_ParseTuple(args, "OO:_nccl_set_failed", &error, &report)) {
        return NULL;
    }
    Py_XSETREF(core.nccl_error, Py_NewRef(error));
    Py_XSETREF(core.nccl_report, Py_NewRef(report));
    Py_RETURN_NONE;
}

PyMethodDef core_nccl_watch_functions[] = {
    {"_nccl_set_failed", nccl_set_failed, METH_VARARGS,
     "_nccl_set_failed(error, report, /)\n--\n\n"
     "Set the class of communication errors, and a function(text, thread) "
     "that raises one in another thread."},
    {NULL},
};
