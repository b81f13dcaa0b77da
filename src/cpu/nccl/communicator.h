/* communicator.h - a rank of a communicator, and its progress thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NCCL_COMMUNICATOR_H
#define PYCUDA_CPU_NCCL_COMMUNICATOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cpu/nccl/operation.h"

struct cpu_op;

#define NCCL_SCALARS 64 /* scaled sums of a communicator at a time */

/* A scaled sum that a program has created. */
struct nccl_scalar {
    bool used;
    ncclDataType_t type;
    char value[8];
    const char *device; /* not NULL: read the value there */
};

/* An operation that waits for the progress thread. In the payload of a stream
 * operation, or on the stack of a thread that waits for it. */
struct nccl_call {
    struct cpu_op *op; /* finished by the progress thread; first field */
    struct nccl_operation *operation;
    struct nccl_call *next;
    bool issued; /* counted in comm->pending since it was issued */
    bool *ended; /* set under the communicator's lock, if op is NULL */
};

struct ncclComm {
    struct nccl_shared shared;
    int device;
    atomic_uint references; /* the handle, the thread, and each operation */
    pthread_mutex_t lock;   /* guards the following fields */
    pthread_cond_t changed;
    struct nccl_call *first, *last;
    unsigned pending;      /* operations that are issued and not complete */
    struct cpu_op *issued; /* the last operation that was issued, or NULL */
    bool ends;             /* the thread ends when the queue is empty */
    bool ended;            /* the thread has ended */
    atomic_int result;     /* ncclResult_t: the asynchronous error */
    char text[NCCL_TEXT];  /* why; written before `result` is set */
    uint64_t collectives;  /* operations executed; only the thread uses it */
    struct nccl_scalar scalars[NCCL_SCALARS];
};

/* Work on a communicator; reference-counted, since a graph may hold it. */
struct nccl_operation {
    atomic_uint references;
    struct ncclComm *comm;
    struct nccl_work work;
};

/* Creates a communicator with one reference, and joins its shared memory. Does
 * not wait for the other ranks. On failure writes `text`. */
ncclResult_t nccl_comm_new(struct ncclComm **made, const ncclUniqueId *id,
                           int ranks, int rank, int device,
                           char text[NCCL_TEXT]);
/* Waits until all ranks have joined; on failure the communicator has an
 * error. */
ncclResult_t nccl_comm_wait_joined(struct ncclComm *comm);
/* Waits until all issued operations are complete. */
void nccl_comm_drain(struct ncclComm *comm);
/* Leaves the communicator and drops the caller's reference. With `abort`,
 * pending operations end without a result; without, waits for them. */
void nccl_comm_end(struct ncclComm *comm, bool abort);

/* Creates an operation with one reference; takes over work->messages. Returns
 * NULL if there is not enough memory. */
struct nccl_operation *nccl_operation_new(struct ncclComm *comm,
                                          const struct nccl_work *work);
/* Drops a reference; NULL is ignored. */
void nccl_operation_release(struct nccl_operation *operation);
/* Issues the operation in a stream of `context`, which the default stream
 * belongs to, or of another context, or adds it to the stream's capture. Keeps
 * its own reference. Returns ncclUnhandledCudaError if the stream cannot be
 * used. */
ncclResult_t nccl_operation_submit(struct nccl_operation *operation,
                                   CUcontext context, CUstream stream);
/* Appends a call whose `op` is NULL to the queue, outside of streams;
 * nccl_call_wait waits for it. */
void nccl_call_post(struct nccl_call *call);
/* Waits until the progress thread has executed a posted call. */
void nccl_call_wait(struct nccl_call *call);

#endif
