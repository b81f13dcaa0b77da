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

/* maximum number of scaled sums (reductions made by ncclRedOpCreatePreMulSum)
 * that a communicator has at a time */
#define NCCL_SCALARS 64

/* A reduction that the program has created with ncclRedOpCreatePreMulSum: a
 * sum of elements multiplied by a factor. */
struct nccl_scalar {
    bool used;
    ncclDataType_t type;
    char value[8];
    /* device memory that has the factor; NULL: the factor is in `value` */
    const char *device;
};

/* An entry in the queue of the progress thread: one execution of an operation.
 * It is in the payload of a stream's operation or graph node, or in a struct
 * split (groups.c). */
struct nccl_call {
    /* stream operation that is marked as complete when the call has ended;
     * NULL if the call was not issued in a stream (nccl_call_post) */
    struct cpu_op *op;
    struct nccl_operation *operation;
    struct nccl_call *next;
    /* the member `pending` of the communicator already counts this call */
    bool issued;
    /* set to true when the call has been executed; used only if op is NULL */
    bool *ended;
};

struct ncclComm {
    struct nccl_shared shared;
    int device;
    /* number of references; the program, the progress thread and every
     * operation hold one each */
    atomic_uint references;
    pthread_mutex_t lock; /* guards the fields from `pending` to `ended` */
    pthread_cond_t changed;
    struct nccl_call *first, *last;
    unsigned pending; /* number of issued operations that are not complete */
    struct cpu_op *issued; /* the last operation that was issued, or NULL */
    bool closes; /* the end has begun: no further operations are issued */
    bool ends;   /* tells the progress thread to end when the queue is empty */
    bool ended;  /* the progress thread has ended */
    /* asynchronous error of the communicator, an ncclResult_t */
    atomic_int result;
    /* error message of `result`; written before `result` is set */
    char text[NCCL_TEXT];
    /* number of collective operations executed; only the progress thread
     * uses it */
    uint64_t collectives;
    struct nccl_scalar scalars[NCCL_SCALARS];
};

/* An operation (NCCL function with its arguments) on a communicator.
 * Reference-counted, since a graph may hold it. */
struct nccl_operation {
    atomic_uint references;
    struct ncclComm *comm;
    struct nccl_work work;
};

/* Creates a communicator with one reference, and joins its shared memory. Does
 * not wait for the other ranks. On failure writes an error message to
 * `text`. */
ncclResult_t nccl_comm_new(struct ncclComm **made, const ncclUniqueId *id,
                           int ranks, int rank, int device,
                           char text[NCCL_TEXT]);
/* Waits until all ranks have joined. On failure sets the communicator's
 * asynchronous error. Returns this error, or ncclSuccess. */
ncclResult_t nccl_comm_wait_joined(struct ncclComm *comm);
/* Waits until all issued operations are complete. */
void nccl_comm_drain(struct ncclComm *comm);
/* Leaves the communicator and drops the caller's reference. If `abort` is
 * true, pending operations end without a result; otherwise waits until the
 * pending operations are complete. Operations that other threads issue in
 * streams in the meantime are refused, since the wait could otherwise last
 * forever. Operations of graphs are not refused. */
void nccl_comm_end(struct ncclComm *comm, bool abort);

/* Creates an operation with one reference; takes over work->messages. Returns
 * NULL if there is not enough memory. */
struct nccl_operation *nccl_operation_new(struct ncclComm *comm,
                                          const struct nccl_work *work);
/* Drops a reference to an operation. NULL is ignored. */
void nccl_operation_release(struct nccl_operation *operation);
/* Issues the operation in `stream`, or adds it to the graph that the stream
 * captures. If `stream` denotes a default stream, this is a default stream of
 * `context`. Takes a new reference to the operation. Returns
 * ncclUnhandledCudaError if the stream cannot be used, and ncclInvalidUsage if
 * another thread is ending the communicator. */
ncclResult_t nccl_operation_submit(struct nccl_operation *operation,
                                   CUcontext context, CUstream stream);
/* Appends a call to the queue of the progress thread, outside of streams
 * (call->op is NULL). nccl_call_wait waits for its execution. */
void nccl_call_post(struct nccl_call *call);
/* Waits until the progress thread has executed a posted call. */
void nccl_call_wait(struct nccl_call *call);

#endif
