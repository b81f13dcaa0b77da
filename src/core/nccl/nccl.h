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

/* A call whose completion is observed. */
struct core_nccl_mark {
    int kind;
    Py_ssize_t count;
    size_t bytes;         /* of an element */
    unsigned long thread; /* that made the call */
    uint64_t number;      /* of the call, from 1 */
};

/* A rank of a communicator, in a PyCapsule. */
struct core_communicator {
    ncclComm_t handle;            /* NULL after its end */
    struct core_context *context; /* strong reference */
    int size, rank;
    bool watched; /* calls are observed, as the library has no time limit */
    uint64_t calls;
    /* `oldest` was recorded after the call `oldest_mark` and is recorded again
     * only when it is complete; `latest` after the latest call. A number of 0
     * means that the event is not in use. */
    CUevent oldest, latest;
    struct core_nccl_mark oldest_mark, latest_mark;
    /* latest call of an open group, which is not issued yet; or number 0 */
    struct core_nccl_mark group_mark;
    CUstream group_stream;
};

/* Raises the exception of a result, with NCCL's text about `comm`, which may
 * be NULL. Returns 0 for ncclSuccess. */
int core_nccl_check(ncclResult_t result, ncclComm_t comm, const char *routine);
/* Returns the communicator in a capsule, whose context must be the current
 * one. NULL with an exception if it has ended. */
struct core_communicator *core_nccl_get(PyObject *capsule);
/* Called after a call was issued, or, unless `now`, was added to a group:
 * records the events of a watched communicator. */
void core_nccl_mark(struct core_communicator *self,
                    const struct core_nccl_mark *mark, CUstream stream,
                    bool now);
/* Methods in nccl_watch.c, by which pycuda.nccl observes calls. */
extern PyMethodDef core_nccl_watch[];
/* Methods in nccl_calls.c, which issue operations. */
extern PyMethodDef core_nccl_calls[];

#endif
