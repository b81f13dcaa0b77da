/* communicator.c - a rank of a communicator, and its progress thread.
 *
 * Called by groups.c and api.c. An operation is issued in a stream. When the
 * stream reaches the operation, a worker appends the operation to the queue of
 * the communicator. The communicator's progress thread executes the operations
 * of the queue one after another, and completes each one in its stream. So no
 * worker waits for another rank, and one process may have many ranks. An
 * operation also waits for the previous one of the same communicator, which
 * may be in another stream.
 *
 * If an operation fails, the error becomes the sticky error of its context,
 * since the receive buffers of the program are wrong; the communicator keeps
 * the error message. After the program has aborted the communicator, pending
 * operations end without an error.
 *
 * The lock of a communicator is acquired before the scheduler lock.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/nccl/communicator.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/clock.h"
#include "cpu/device/context.h"
#include "cpu/exports/system_errors.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/run/watchdog.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/worker.h"
#include "cpu/stream/workers.h"

/* ---- references ---- */

static void
comm_release(struct ncclComm *comm)
{
    if (atomic_fetch_sub(&comm->references, 1) == 1) {
        cpu_op_release(comm->issued);
        pthread_mutex_destroy(&comm->lock);
        pthread_cond_destroy(&comm->changed);
        free(comm);
    }
}

struct nccl_operation *
nccl_operation_new(struct ncclComm *comm, const struct nccl_work *work)
{
    struct nccl_operation *operation = malloc(sizeof *operation);

    if (!operation) {
        free(work->messages);
        return NULL;
    }
    atomic_fetch_add(&comm->references, 1);
    *operation =
        (struct nccl_operation){.references = 1, .comm = comm, .work = *work};
    return operation;
}

void
nccl_operation_release(struct nccl_operation *operation)
{
    if (operation && atomic_fetch_sub(&operation->references, 1) == 1) {
        comm_release(operation->comm);
        free(operation->work.messages);
        free(operation);
    }
}

/* ---- waiting ---- */

/* Waits until the state of the communicator may have changed. Regularly calls
 * cpu_interrupt_poll. If the program interrupts the wait, cpu_interrupt_poll
 * abandons launches in the context of the latest operation. The communicator
 * is then aborted, so that its operations end. The caller holds the lock,
 * which is released during the wait. */
static void
comm_sleep(struct ncclComm *comm, struct cpu_interrupt *interrupt)
{
    int milliseconds = cpu_interrupt_milliseconds(interrupt);

    if (milliseconds < 0) {
        pthread_cond_wait(&comm->changed, &comm->lock);
        return;
    }
    uint64_t now = cpu_now_ns();
    if (!interrupt->poll_at) {
        interrupt->poll_at = now + (uint64_t)milliseconds * 1000000u;
    }
    struct timespec until = {(time_t)(interrupt->poll_at / 1000000000u),
                             (long)(interrupt->poll_at % 1000000000u)};
    if (now < interrupt->poll_at &&
        !pthread_cond_timedwait(&comm->changed, &comm->lock, &until)) {
        return;
    }
    struct cpu_op *op = comm->issued;
    interrupt->context = op && !cpu_op_done(op) ? op->ctx : NULL;
    pthread_mutex_unlock(&comm->lock);
    cpu_interrupt_poll(interrupt);
    interrupt->poll_at = 0;
    if (interrupt->since) {
        atomic_store(&comm->shared.stopped, true);
    }
    pthread_mutex_lock(&comm->lock);
}

/* Waits until `*flag`, which the lock of the communicator guards, is true. */
static void
comm_wait_flag(struct ncclComm *comm, const bool *flag)
{
    struct cpu_interrupt interrupt = {0};

    pthread_mutex_lock(&comm->lock);
    while (!*flag) {
        comm_sleep(comm, &interrupt);
    }
    pthread_mutex_unlock(&comm->lock);
}

/* Initializes the condition variable `changed`. Its time limits refer to the
 * monotonic clock, like the times of cpu_now_ns. */
static void
changed_init(struct ncclComm *comm)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&comm->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* ---- the progress thread ---- */

/* Sets the communicator's asynchronous error and its message, unless an error
 * was set before. */
static void
comm_fail(struct ncclComm *comm, const char *text)
{
    if (atomic_load(&comm->result) == ncclSuccess) {
        snprintf(comm->text, sizeof comm->text, "%s", text);
        atomic_store(&comm->result, ncclRemoteError);
    }
}

static bool
work_run(struct ncclComm *comm, const struct nccl_work *work)
{
    struct nccl_shared *shared = &comm->shared;
    bool done = nccl_shared_failure(shared) == NULL;

    if (done && work->what.kind == NCCL_MESSAGES) {
        done = nccl_messages_run(shared, work, comm->collectives);
    } else if (done) {
        comm->collectives++;
        done = nccl_collective_run(shared, work, comm->collectives);
    }
    atomic_store(&shared->slots[shared->rank].current,
                 comm->collectives << 8 | NCCL_IDLE);
    if (!done) {
        comm_fail(comm, nccl_shared_failure(shared));
    }
    return done;
}

/* Executes the operation of a queue entry. If the context of the operation's
 * stream already has a sticky error, reports a failure to all ranks, so that
 * the operation fails. Otherwise, if the operation fails, sets a sticky error
 * in the context, unless the program has aborted the communicator. */
static void
call_execute(struct ncclComm *comm, struct nccl_call *call)
{
    struct cpu_op *op = call->op;
    CUresult code = op ? cpu_context_status(op->ctx) : CUDA_SUCCESS;

    if (code) {
        nccl_shared_fail(&comm->shared,
                         "the context of rank %d has failed with error %d",
                         comm->shared.rank, (int)code);
    }
    comm->shared.context = op ? op->ctx : NULL;
    bool done = work_run(comm, &call->operation->work);
    comm->shared.context = NULL;
    if (!done && op && !code && !atomic_load(&comm->shared.stopped)) {
        cpu_context_fail(op->ctx, cpu_external_error_set(comm->text));
    }
}

/* Completes a call in its stream, or wakes the thread that waits for the call.
 * The caller must not use the call afterwards, since another thread may free
 * it. */
static void
call_complete(struct ncclComm *comm, struct nccl_call *call)
{
    struct nccl_operation *operation = call->operation;
    struct cpu_op *op = call->op;

    if (op) {
        cpu_op_finish(op);
    }
    pthread_mutex_lock(&comm->lock);
    if (op) {
        comm->pending--;
    } else {
        *call->ended = true;
    }
    pthread_cond_broadcast(&comm->changed);
    pthread_mutex_unlock(&comm->lock);
    if (op) {
        cpu_op_release(op);
        nccl_operation_release(operation);
    }
}

static struct nccl_call *
queue_next(struct ncclComm *comm)
{
    pthread_mutex_lock(&comm->lock);
    while (!comm->first && !comm->ends) {
        pthread_cond_wait(&comm->changed, &comm->lock);
    }
    struct nccl_call *call = comm->first;
    if (call) {
        comm->first = call->next;
        comm->last = comm->first ? comm->last : NULL;
    }
    pthread_mutex_unlock(&comm->lock);
    return call;
}

static void *
progress_main(void *argument)
{
    struct ncclComm *comm = argument;
    struct nccl_call *call;

    while ((call = queue_next(comm))) {
        call_execute(comm, call);
        call_complete(comm, call);
    }
    nccl_shared_leave(&comm->shared);
    pthread_mutex_lock(&comm->lock);
    comm->ended = true;
    pthread_cond_broadcast(&comm->changed);
    pthread_mutex_unlock(&comm->lock);
    comm_release(comm);
    return NULL;
}

/* Starts the detached progress thread, in which all signals are blocked. */
static bool
progress_start(struct ncclComm *comm)
{
    sigset_t all, old;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&thread, NULL, progress_main, comm);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!failed) {
        pthread_detach(thread);
    }
    return !failed;
}

/* ---- creation and end ---- */

ncclResult_t
nccl_comm_new(struct ncclComm **made, const ncclUniqueId *id, int ranks,
              int rank, int device, char text[NCCL_TEXT])
{
    struct ncclComm *comm = calloc(1, sizeof *comm);

    if (!comm) {
        snprintf(text, NCCL_TEXT, "out of memory");
        return ncclSystemError;
    }
    comm->device = device;
    /* one reference for the program, one for the progress thread */
    atomic_store(&comm->references, 2);
    pthread_mutex_init(&comm->lock, NULL);
    changed_init(comm);
    ncclResult_t result =
        nccl_shared_join(&comm->shared, id, ranks, rank, text);
    if (!result && !progress_start(comm)) {
        snprintf(text, NCCL_TEXT, "no thread for a communicator");
        nccl_shared_leave(&comm->shared);
        result = ncclSystemError;
    }
    if (result) {
        atomic_store(&comm->references, 1);
        comm_release(comm);
        return result;
    }
    *made = comm;
    return ncclSuccess;
}

ncclResult_t
nccl_comm_wait_joined(struct ncclComm *comm)
{
    if (!nccl_shared_wait_joined(&comm->shared)) {
        comm_fail(comm, nccl_shared_failure(&comm->shared));
    }
    return (ncclResult_t)atomic_load(&comm->result);
}

void
nccl_comm_drain(struct ncclComm *comm)
{
    struct cpu_interrupt interrupt = {0};

    pthread_mutex_lock(&comm->lock);
    while (comm->pending) {
        comm_sleep(comm, &interrupt);
    }
    pthread_mutex_unlock(&comm->lock);
}

void
nccl_comm_end(struct ncclComm *comm, bool abort)
{
    if (abort) {
        atomic_store(&comm->shared.stopped, true);
    }
    pthread_mutex_lock(&comm->lock);
    comm->closes = true;
    pthread_mutex_unlock(&comm->lock);
    nccl_comm_drain(comm);
    pthread_mutex_lock(&comm->lock);
    comm->ends = true;
    pthread_cond_broadcast(&comm->changed);
    pthread_mutex_unlock(&comm->lock);
    comm_wait_flag(comm, &comm->ended);
    comm_release(comm);
}

/* ---- issuing ---- */

/* Appends a call to the queue of the progress thread. Returns false if the
 * communicator has ended. */
static bool
queue_append(struct ncclComm *comm, struct nccl_call *call)
{
    pthread_mutex_lock(&comm->lock);
    bool open = !comm->ends;
    if (open) {
        call->next = NULL;
        *(comm->last ? &comm->last->next : &comm->first) = call;
        comm->last = call;
        pthread_cond_broadcast(&comm->changed);
    }
    pthread_mutex_unlock(&comm->lock);
    return open;
}

/* Appends the operation to the queue. A worker calls this function when the
 * stream or the launched graph has reached the operation. */
static CUresult
call_run(void *argument)
{
    struct nccl_call *call = argument;
    struct ncclComm *comm = call->operation->comm;
    struct cpu_op *op = call->op;

    /* this reference is for the queue; call_complete drops it */
    atomic_fetch_add(&op->references, 1);
    /* a call that is not marked as issued belongs to a graph node and is not
     * counted in `pending` yet */
    if (!call->issued) {
        atomic_fetch_add(&call->operation->references, 1);
        pthread_mutex_lock(&comm->lock);
        comm->pending++;
        pthread_mutex_unlock(&comm->lock);
    }
    if (!queue_append(comm, call)) {
        cpu_context_fail(op->ctx,
                         cpu_external_error_set("an operation of a destroyed "
                                                "communicator was executed"));
        call_complete(comm, call);
    }
    return CUDA_SUCCESS;
}

static void
payload_retain(void *payload)
{
    struct nccl_call *call = payload;

    atomic_fetch_add(&call->operation->references, 1);
}

static void
payload_release(void *payload)
{
    nccl_operation_release(((struct nccl_call *)payload)->operation);
}

/* Adds the operation as a node to the graph that the stream captures. */
static CUresult
operation_capture(struct nccl_operation *operation, struct cpu_stream *stream)
{
    static const struct cpu_node_task_hold hold = {payload_retain,
                                                   payload_release};
    struct nccl_call *call = calloc(1, sizeof *call);

    if (!call) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    call->operation = operation;
    payload_retain(call);
    struct cpu_node_task task = {.type = CU_GRAPH_NODE_TYPE_HOST,
                                 .run = call_run,
                                 .finishes_later = true,
                                 .context = stream->ctx->handle,
                                 .context_id = stream->ctx->id,
                                 .payload = call,
                                 .bytes = sizeof *call,
                                 .hold = &hold};
    return cpu_node_task_record(stream, &task);
}

/* Issues the operation in the stream. Returns NOT_PERMITTED if another thread
 * is ending the communicator. */
static CUresult
operation_issue(struct nccl_operation *operation, struct cpu_stream *stream)
{
    struct ncclComm *comm = operation->comm;
    CUresult code = cpu_workers_start();
    struct cpu_op *op =
        code ? NULL
             : cpu_op_new(stream->ctx, CPU_OP_CALL, sizeof(struct nccl_call));

    if (!op) {
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    *(struct nccl_call *)op->argument =
        (struct nccl_call){.op = op, .operation = operation, .issued = true};
    op->run = call_run;
    op->runs_after_failure = true;
    op->finishes_later = true;
    pthread_mutex_lock(&comm->lock);
    if (comm->closes) {
        pthread_mutex_unlock(&comm->lock);
        cpu_op_release(op);
        return CUDA_ERROR_NOT_PERMITTED;
    }
    atomic_fetch_add(&operation->references, 1);
    struct cpu_op *before = comm->issued;
    comm->pending++;
    comm->issued = op; /* takes over the reference that cpu_op_new returned */
    cpu_op_submit(stream, op, before);
    pthread_mutex_unlock(&comm->lock);
    cpu_op_release(before);
    return CUDA_SUCCESS;
}

ncclResult_t
nccl_operation_submit(struct nccl_operation *operation, CUcontext context,
                      CUstream handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    CUresult code = cpu_context_of(context, &ctx);

    if (!code && cpu_stream_of(handle, ctx, &stream)) {
        code = cpu_stream_any(handle, &stream);
    }
    code = code ? code : cpu_context_status(stream->ctx);
    if (!code) {
        code = cpu_stream_records(stream)
                   ? operation_capture(operation, stream)
                   : operation_issue(operation, stream);
    }
    if (code == CUDA_ERROR_NOT_PERMITTED) {
        return ncclInvalidUsage;
    }
    return code ? ncclUnhandledCudaError : ncclSuccess;
}

void
nccl_call_post(struct nccl_call *call)
{
    struct ncclComm *comm = call->operation->comm;

    /* Set `ended` to false before the call is in the queue: the progress
     * thread may execute the call, and set it to true, before queue_append
     * returns. */
    *call->ended = false;
    if (!queue_append(comm, call)) {
        *call->ended = true;
    }
}

void
nccl_call_wait(struct nccl_call *call)
{
    comm_wait_flag(call->operation->comm, call->ended);
}
