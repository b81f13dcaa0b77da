/* nccl_watch.h - the time limit of a communicator's operations.
 *
 * Used with NCCL libraries that have no time limit. A thread of this process,
 * the monitor, compares the number of the latest complete call with those of
 * the calls that were made. It aborts a communicator whose call takes too long
 * or has failed.
 *
 * The monitor calls no function of the driver and needs no GIL. A thread that
 * waits for a stuck operation inside of the driver, for instance in a copy,
 * may hold a lock of the driver, and even the GIL. Another thread queries
 * which calls are complete (nccl_events.h).
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_NCCL_NCCL_WATCH_H
#define PYCUDA_CORE_NCCL_NCCL_WATCH_H

#include "core/core.h"

struct core_nccl_watch;

/* A call whose completion is observed. */
struct core_nccl_mark {
    int kind;
    Py_ssize_t count;
    size_t bytes;         /* size of an element */
    unsigned long thread; /* id of the thread that made the call */
    uint64_t number;      /* the communicator's first call has number 1 */
};

/* Description of a communicator for error messages. */
struct core_nccl_place {
    int size, rank, device;
};

/* Begins to observe the calls of the communicator `handle` in `context`. A
 * call fails if it is not complete after `seconds`. Returns NULL with an
 * exception on errors. */
struct core_nccl_watch *core_nccl_watch_new(ncclComm_t handle,
                                            CUcontext context,
                                            struct core_nccl_place place,
                                            double seconds);
/* Called before a function of the NCCL library is called. The function may
 * wait for other ranks. */
void core_nccl_watch_begin(struct core_nccl_watch *watch,
                           const struct core_nccl_mark *mark);
/* Called after the function of the NCCL library has returned. If `issued` is
 * true, the call is observed until all work that `stream` has so far is
 * complete. A call in a capture is not observed. */
void core_nccl_watch_end(struct core_nccl_watch *watch,
                         const struct core_nccl_mark *mark, CUstream stream,
                         bool issued);
/* Returns the text of a failure, or NULL. The communicator must not be used
 * after a failure: the monitor ends it. The text is valid as long as the
 * watch. */
const char *core_nccl_watch_failure(struct core_nccl_watch *watch);
/* Raises the exception for the failure that the watch has found, and returns
 * -1. The monitor (the thread that observes all calls) does not raise it in
 * this thread a second time. */
int core_nccl_watch_raise(struct core_nccl_watch *watch);
/* Waits without the GIL until all calls are complete or the watch has failed.
 * Returns false after a failure. */
bool core_nccl_watch_wait(struct core_nccl_watch *watch);
/* Ends the observation, and frees `watch`. Returns true if the caller must end
 * the communicator. Returns false after a failure, since the monitor has ended
 * the communicator or is ending it. Releases the GIL while it waits for the
 * monitor. */
bool core_nccl_watch_free(struct core_nccl_watch *watch);
/* Methods of the module, by which pycuda.nccl receives failures. */
extern PyMethodDef core_nccl_watch_functions[];

#endif
