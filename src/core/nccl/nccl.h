/* nccl.h - communicators of NCCL, as pycuda.nccl uses them.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_NCCL_NCCL_H
#define PYCUDA_CORE_NCCL_NCCL_H

#include "core/core.h"

struct core_context;

/* A call of an NCCL operation, for messages about calls that do not
 * complete. */
struct core_nccl_mark {
    int kind;
    Py_ssize_t count;
    size_t bytes;         /* size of one element */
    unsigned long thread; /* id of the calling thread */
    uint64_t number;      /* counts the communicator's calls, from 1 */
};

/* One rank's communicator. pycuda.nccl holds it in a PyCapsule. */
struct core_communicator {
    ncclComm_t handle;            /* NULL: destroyed or aborted */
    struct core_context *context; /* strong reference */
    int size, rank;
    bool watched; /* whether calls complete is observed (nccl_watch.c) */
    uint64_t calls;
    /* CUDA events. `oldest` follows the oldest call that may not be complete,
     * which `oldest_mark` describes; `latest` follows the latest call,
     * `latest_mark`. If the mark's number is 0, its event is not in use. */
    CUevent oldest, latest;
    struct core_nccl_mark oldest_mark, latest_mark;
    /* latest call in an open group; NCCL issues it when the group ends. Its
     * number is 0 if there is none. */
    struct core_nccl_mark group_mark;
    CUstream group_stream;
};

/* Returns 0 if `result` is ncclSuccess. Otherwise raises an exception with
 * NCCL's error text; `comm` is the failed communicator, or NULL. */
int core_nccl_check(ncclResult_t result, ncclComm_t comm, const char *routine);
/* Returns the communicator in a capsule. NULL with an exception if it has been
 * destroyed or aborted, or if its context is not the current one. */
struct core_communicator *core_nccl_get(PyObject *capsule);
/* Counts a call of an NCCL operation and, if the communicator is watched,
 * observes it: records an event now, or (`now` false: the call is in a group)
 * when the group ends. */
void core_nccl_mark(struct core_communicator *self,
                    const struct core_nccl_mark *mark, CUstream stream,
                    bool now);
/* Methods in nccl_watch.c, by which pycuda.nccl finds out whether calls are
 * complete. */
extern PyMethodDef core_nccl_watch[];
/* Methods in nccl_calls.c, which issue operations. */
extern PyMethodDef core_nccl_calls[];

#endif
