/* collective.h - NCCL's operations on arrays, for the fast path in src/array.
 *
 * The functions are in core/nccl/nccl_calls.c. They need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_COLLECTIVE_H
#define PYCUDA_CORE_COLLECTIVE_H

#include "core/core.h"

/* The operations. pycuda/_nccl/types.py has the same numbers. */
enum core_collective {
    CORE_BROADCAST,
    CORE_REDUCE,
    CORE_ALL_REDUCE,
    CORE_ALL_GATHER,
    CORE_REDUCE_SCATTER,
    CORE_ALL_TO_ALL,
    CORE_GATHER,
    CORE_SCATTER,
    CORE_SEND,
    CORE_RECV,
};

/* A rank of a communicator, and the stream of an operation. */
struct core_collective_rank {
    struct core_context *context; /* borrowed; the current context */
    CUstream stream;              /* NULL: the default stream */
    int size, rank;
};

/* Arguments of an operation. */
struct core_collective_call {
    enum core_collective kind;
    /* borrowed; objects with a device address. NULL: this rank sends or
     * receives nothing */
    PyObject *send, *recv;
    Py_ssize_t count; /* NCCL's argument: number of elements */
    size_t bytes;     /* size of one element of `type` */
    ncclDataType_t type;
    ncclRedOp_t op;
    int peer; /* the other rank of a send or receive, or the root */
    CUstream stream;
};

/* Describes the rank that a communicator (a PyCapsule of _nccl_init) has in
 * this process. `stream` is a stream= argument. Returns false, without an
 * exception, unless operations can be issued at once: the communicator is
 * usable in the current context, and `stream` is None or a Stream of this
 * context other than the default stream. */
bool core_collective_find_rank(PyObject *communicator, PyObject *stream,
                               struct core_collective_rank *rank);
/* Issues an operation, and records that its stream uses the arrays. Keeps
 * references to the arrays until the end of the thread's group, if one is
 * open. Releases the GIL outside of groups, since NCCL may wait for the other
 * ranks. Returns 0, or -1 with an exception. */
int core_collective_issue(PyObject *communicator,
                          const struct core_collective_call *call);

#endif
