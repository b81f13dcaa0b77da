/* nccl_join.c - joins a communicator, with a time limit.
 *
 * ncclCommInitRank waits for ever for ranks that do not call it, and cannot be
 * interrupted. It therefore runs in a separate thread. If the call takes too
 * long, the caller returns and the thread continues; a communicator that the
 * call creates later is aborted. The CPU device's library has its own time
 * limit, and its error message says more about the ranks. Therefore the limit
 * in this file is a little longer than the library's.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/nccl/nccl.h"
#include "core/python/gil.h"
#include "core/state.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A call of ncclCommInitRank. It has two users, the thread that makes the call
 * and the thread that waits for it; the last one frees the struct. */
struct join {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    /* `left`: the caller no longer waits for the call; `complete`: the call of
     * ncclCommInitRank has returned */
    bool left, complete;
    CUcontext context;
    int size, rank;
    ncclUniqueId id;
    ncclComm_t comm;
    ncclResult_t result;
    char text[400]; /* about an error */
};

/* Frees a call that is complete, and aborts its communicator. */
static void
join_abandon(struct join *join)
{
    if (join->comm != NULL) {
        nccl.ncclCommAbort(join->comm);
    }
    free(join);
}

static void *
join_main(void *argument)
{
    struct join *join = argument;
    ncclComm_t comm = NULL;
    ncclResult_t result = ncclUnhandledCudaError;
    if (driver.cuCtxSetCurrent(join->context) == CUDA_SUCCESS) {
        result =
            nccl.ncclCommInitRank(&comm, join->size, join->id, join->rank);
    }
    snprintf(join->text, sizeof join->text, "%s",
             result == ncclSuccess ? "" : core_nccl_last_text(NULL));
    pthread_mutex_lock(&join->lock);
    join->comm = comm;
    join->result = result;
    join->complete = true;
    bool left = join->left;
    pthread_cond_signal(&join->ended);
    pthread_mutex_unlock(&join->lock);
    if (left) {
        join_abandon(join);
    }
    return NULL;
}

#define TICK 0.05 /* seconds between two checks for signals */

/* Returns the time `seconds` after `since`. */
static struct timespec
time_after(struct timespec since, double seconds)
{
    struct timespec until = since;
    seconds = seconds < 1e8 ? seconds : 1e8;
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

static bool
is_earlier(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec ||
           (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* Waits for the call, without the GIL, for at most TICK seconds. Sets *late if
 * the time `until` has passed. Returns true if the call is complete or *late
 * is set. */
static bool
join_wait(struct join *join, struct timespec until, bool *late)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *late = !is_earlier(now, until);
    struct timespec tick = time_after(now, TICK);
    tick = is_earlier(tick, until) ? tick : until;
    PyThreadState *thread = core_gil_release();
    pthread_mutex_lock(&join->lock);
    if (!join->complete && !*late) {
        pthread_cond_timedwait(&join->ended, &join->lock, &tick);
    }
    bool complete = join->complete;
    pthread_mutex_unlock(&join->lock);
    core_gil_acquire(thread);
    return complete || *late;
}

/* Runs the call in a thread. Returns false without an exception if the call
 * was not complete in time, and false with an exception if a signal handler
 * has raised one. In both cases `join` then belongs to the thread. */
static bool
join_run(struct join *join, double seconds)
{
    pthread_t thread;
    struct timespec until;
    bool late = false;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until = time_after(until, seconds);
    if (pthread_create(&thread, NULL, join_main, join) != 0) {
        join->result = ncclSystemError;
        return true;
    }
    pthread_detach(thread);
    while (!join_wait(join, until, &late) && PyErr_CheckSignals() == 0) {
    }
    pthread_mutex_lock(&join->lock);
    bool complete = join->complete && !PyErr_Occurred();
    join->left = !join->complete;
    bool unused = join->complete && !complete;
    pthread_mutex_unlock(&join->lock);
    /* a signal handler raised an exception, but the call is complete */
    if (unused) {
        join_abandon(join);
    }
    return complete;
}

static struct join *
join_new(struct core_context *context, int size, int rank,
         const ncclUniqueId *id)
{
    struct join *join = calloc(1, sizeof *join);
    pthread_condattr_t clock;
    if (join == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    pthread_mutex_init(&join->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&join->ended, &clock);
    pthread_condattr_destroy(&clock);
    join->context = context->handle;
    join->size = size;
    join->rank = rank;
    join->id = *id;
    return join;
}

/* Raises the error of a call that was not complete in time. */
static int
late_fail(const struct core_context *context, int size, int rank,
          double seconds)
{
    char limit[32];
    PyOS_snprintf(limit, sizeof limit, "%g", seconds);
    PyErr_Format(core.nccl_error,
                 "rank %d of %d on device %d: not all ranks have created the "
                 "communicator within %s s",
                 rank, size, (int)context->device, limit);
    return -1;
}

int
core_nccl_join(struct core_context *context, int size, int rank,
               const ncclUniqueId *id, double seconds, ncclComm_t *made)
{
    struct join *join = join_new(context, size, rank, id);
    double more = nccl.pycuda_cpu_nccl_limit != NULL ? 0.5 : 0;
    if (join == NULL) {
        return -1;
    }
    if (!join_run(join, seconds + more)) {
        return PyErr_Occurred() ? -1 : late_fail(context, size, rank, seconds);
    }
    int status = 0;
    if (join->result != ncclSuccess) {
        if (join->comm != NULL) {
            nccl.ncclCommAbort(join->comm);
        }
        status = core_nccl_fail(join->result, join->text, "ncclCommInitRank");
    }
    *made = join->comm;
    free(join);
    return status;
}
