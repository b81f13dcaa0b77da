/* nccl_join.c - joins a communicator, with a time limit.
 *
 * ncclCommInitRank waits for ever for ranks that do not call it, and cannot be
 * interrupted. It therefore runs in a thread of its own. If it takes too long,
 * that thread is left alone. A communicator that it still creates is aborted.
 * The CPU device's library has a time limit of its own, and knows more about
 * the ranks. It therefore gets a little more time.
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

/* A call of ncclCommInitRank, freed by the last of its two users. */
struct join {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool left, complete; /* the caller has left; the call has returned */
    CUcontext context;
    int size, rank;
    ncclUniqueId id;
    ncclComm_t comm;
    ncclResult_t result;
    char text[400]; /* about an error */
};

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
        if (comm != NULL) {
            nccl.ncclCommAbort(comm);
        }
        free(join);
    }
    return NULL;
}

/* Returns the time `seconds` from now. */
static struct timespec
time_after(double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    seconds = seconds < 1e8 ? seconds : 1e8;
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

/* Runs the call in a thread. Returns false if it was not complete in time;
 * `join` then belongs to the thread. Called without the GIL. */
static bool
join_run(struct join *join, double seconds)
{
    pthread_t thread;
    struct timespec until = time_after(seconds);
    if (pthread_create(&thread, NULL, join_main, join) != 0) {
        join->result = ncclSystemError;
        return true;
    }
    pthread_detach(thread);
    pthread_mutex_lock(&join->lock);
    int status = 0;
    while (!join->complete && status != ETIMEDOUT) {
        status = pthread_cond_timedwait(&join->ended, &join->lock, &until);
    }
    bool complete = join->complete;
    join->left = !complete;
    pthread_mutex_unlock(&join->lock);
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
    PyThreadState *thread = core_gil_release();
    bool complete = join_run(join, seconds + more);
    core_gil_acquire(thread);
    if (!complete) {
        return late_fail(context, size, rank, seconds);
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
