/* memory_ops.c - stream operations that write words of memory or wait for
 * values.
 *
 * Called by users of the library, and by src/cpu/graph for graph nodes with
 * such operations. A worker runs a batch of operations until it must wait for
 * a value. The batch then moves to a list that one poller thread checks
 * periodically, so that no worker blocks. As on a GPU, a batch that waits for
 * a value that never arrives keeps its stream busy.
 *
 * `waits_lock` guards the list of waiting batches. It is acquired before the
 * scheduler lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/device/state.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/exec.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/memory.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/worker.h"
#include "cpu/stream/workers.h"

/* shortest time between two checks of the awaited values, in ns */
#define POLL_NS_FIRST 20000
/* longest time between two checks of the awaited values, in ns */
#define POLL_NS_LAST 1000000
#define BATCH_MAX    256 /* capacity of a batch in operations */

/* A batch of operations on memory words. It is the payload of a stream
 * operation and of a graph node. */
struct batch {
    /* the stream operation of this batch; the batch is its payload */
    struct cpu_op *op;
    struct cpu_context *ctx;
    /* next element in the list of batches that wait for a value in memory */
    struct batch *next;
    /* Number of operations, and index of the next one to execute. */
    unsigned count, at;
    CUstreamBatchMemOpParams operations[];
};

static pthread_mutex_t waits_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waits_added = PTHREAD_COND_INITIALIZER;
static struct batch *waits;
static bool poller_runs;

/* ---- one operation of a batch ---- */

static bool
operation_is_wide(const CUstreamBatchMemOpParams *operation)
{
    return operation->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
           operation->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

static bool
operation_waits(const CUstreamBatchMemOpParams *operation)
{
    return operation->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
           operation->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static CUresult
address_check(CUdeviceptr address, bool wide)
{
    size_t bytes = wide ? 8 : 4;

    return !address || address % bytes ? CUDA_ERROR_INVALID_VALUE
                                       : cpu_memory_check(address, bytes);
}

/* Checks the type, flags and address of an operation. */
static CUresult
operation_check(const CUstreamBatchMemOpParams *operation)
{
    bool wide = operation_is_wide(operation);

    switch ((int)operation->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return operation->waitValue.flags &
                       ~(CU_STREAM_WAIT_VALUE_NOR |
                         (unsigned)CU_STREAM_WAIT_VALUE_FLUSH)
                   ? CUDA_ERROR_INVALID_VALUE
                   : address_check(operation->waitValue.address, wide);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return operation->writeValue.flags &
                       ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER
                   ? CUDA_ERROR_INVALID_VALUE
                   : address_check(operation->writeValue.address, wide);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return operation->flushRemoteWrites.flags ? CUDA_ERROR_INVALID_VALUE
                                                  : CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_BARRIER:
        return operation->memoryBarrier.flags >
                       CU_STREAM_MEMORY_BARRIER_TYPE_GPU
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Returns whether a value in memory satisfies the condition of a wait
 * operation. */
static bool
value_is_reached(const CUstreamBatchMemOpParams *operation)
{
    uintptr_t address = (uintptr_t)operation->waitValue.address;
    bool wide = operation_is_wide(operation);
    uint64_t wanted =
        wide ? operation->waitValue.value64 : operation->waitValue.value;
    uint64_t has =
        wide ? __atomic_load_n((uint64_t *)address, __ATOMIC_ACQUIRE)
             : __atomic_load_n((uint32_t *)address, __ATOMIC_ACQUIRE);

    switch (operation->waitValue.flags & 3u) {
    case CU_STREAM_WAIT_VALUE_GEQ:
        return wide ? (int64_t)(has - wanted) >= 0
                    : (int32_t)(uint32_t)(has - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return has == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
        return (has & wanted) != 0;
    default:
        return wide ? ~(has | wanted) != 0 : ~(uint32_t)(has | wanted) != 0;
    }
}

static void
value_write(const CUstreamBatchMemOpParams *operation)
{
    uintptr_t address = (uintptr_t)operation->writeValue.address;

    if (operation_is_wide(operation)) {
        __atomic_store_n((uint64_t *)address, operation->writeValue.value64,
                         __ATOMIC_RELEASE);
        cpu_check_filled((void *)address, 8);
    } else {
        __atomic_store_n((uint32_t *)address, operation->writeValue.value,
                         __ATOMIC_RELEASE);
        cpu_check_filled((void *)address, 4);
    }
}

/* ---- batches ---- */

/* Executes the operations of a batch in order, up to one whose awaited value
 * has not arrived. Returns true if the batch is finished or its context has
 * failed. */
static bool
batch_advance(struct batch *batch)
{
    if (cpu_context_status(batch->ctx)) {
        /* the context has failed, so the remaining operations are not
         * executed */
        return true;
    }
    for (; batch->at < batch->count; batch->at++) {
        const CUstreamBatchMemOpParams *operation =
            &batch->operations[batch->at];

        if (operation_waits(operation)) {
            if (!value_is_reached(operation)) {
                return false;
            }
        } else if (operation->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
                   operation->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64) {
            value_write(operation);
        } else {
            atomic_thread_fence(memory_order_seq_cst);
        }
    }
    return true;
}

/* Finishes all waiting batches whose values have arrived or whose contexts
 * have failed. Returns true if there was such a batch. The caller holds
 * waits_lock. */
static bool
waits_poll(void)
{
    struct batch **at = &waits;
    bool any = false;

    while (*at) {
        struct batch *batch = *at;

        if (batch_advance(batch)) {
            *at = batch->next;
            /* also frees the batch, which is the operation's payload */
            cpu_op_finish(batch->op);
            any = true;
        } else {
            at = &batch->next;
        }
    }
    return any;
}

static void *
poller_main(void *argument)
{
    struct timespec pause = {.tv_nsec = POLL_NS_FIRST};

    pthread_mutex_lock(&waits_lock);
    for (;;) {
        while (!waits) {
            pthread_cond_wait(&waits_added, &waits_lock);
            pause.tv_nsec = POLL_NS_FIRST;
        }
        if (waits_poll()) {
            pause.tv_nsec = POLL_NS_FIRST;
        }
        pthread_mutex_unlock(&waits_lock);
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < POLL_NS_LAST) {
            pause.tv_nsec += pause.tv_nsec / 8;
        }
        pthread_mutex_lock(&waits_lock);
    }
    return argument;
}

/* Starts the poller thread unless it runs already. Returns false on failure.
 * The caller holds waits_lock. */
static bool
poller_start(void)
{
    sigset_t all, old;
    pthread_t thread;

    if (poller_runs) {
        return true;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&thread, NULL, poller_main, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (failed) {
        cpu_system_error_set(failed,
                             "a thread for streams that wait for a value in "
                             "memory");
        return false;
    }
    pthread_detach(thread);
    poller_runs = true;
    return true;
}

/* Runs a batch on a worker. If the batch must wait for a value, it moves to
 * the list that the poller thread checks. */
static CUresult
batch_run(void *argument)
{
    struct batch *batch = argument;

    if (batch_advance(batch)) {
        cpu_op_finish(batch->op);
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&waits_lock);
    bool polled = poller_start();
    if (polled) {
        batch->next = waits;
        waits = batch;
        pthread_cond_signal(&waits_added);
    }
    pthread_mutex_unlock(&waits_lock);
    if (!polled) {
        cpu_context_fail(batch->ctx, CUDA_ERROR_OPERATING_SYSTEM);
        cpu_op_finish(batch->op);
    }
    return CUDA_SUCCESS;
}

static size_t
batch_bytes(unsigned count)
{
    return sizeof(struct batch) + count * sizeof(CUstreamBatchMemOpParams);
}

CUresult
cpu_batch_op(const struct cpu_node_task *task, struct cpu_context *ctx,
             struct cpu_op **made)
{
    cpu_check_streams_stop();
    struct cpu_op *op = cpu_op_new(ctx, CPU_OP_CALL, task->bytes);

    if (!op) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    struct batch *batch = op->argument;
    memcpy(batch, task->payload, task->bytes);
    batch->op = op;
    batch->ctx = ctx;
    op->run = batch_run;
    op->runs_after_failure = true;
    op->finishes_later = true;
    *made = op;
    return CUDA_SUCCESS;
}

CUresult
cpu_batch_task(const CUDA_BATCH_MEM_OP_NODE_PARAMS *params,
               struct cpu_node_task *task)
{
    struct cpu_context *ctx;
    CUresult code = params->ctx ? cpu_context_of(params->ctx, &ctx)
                                : cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (params->flags || params->count > BATCH_MAX ||
        (params->count && !params->paramArray)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < params->count && !code; i++) {
        code = operation_check(&params->paramArray[i]);
    }
    struct batch *batch = code ? NULL : calloc(1, batch_bytes(params->count));
    if (!batch) {
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    batch->count = params->count;
    if (batch->count) {
        memcpy(batch->operations, params->paramArray,
               batch->count * sizeof *batch->operations);
    }
    *task = (struct cpu_node_task){.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                                   .context = ctx->handle,
                                   .context_id = ctx->id,
                                   .payload = batch,
                                   .bytes = batch_bytes(batch->count)};
    return CUDA_SUCCESS;
}

/* ---- streams ---- */

CPU_API CUresult
cuStreamBatchMemOp_v2(CUstream handle, unsigned count,
                      CUstreamBatchMemOpParams *operations, unsigned flags)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    struct cpu_node_task task;
    struct cpu_op *op;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);

    if (code) {
        return code;
    }
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {
        .count = count, .paramArray = operations, .flags = flags};
    code = count ? cpu_batch_task(&params, &task) : CUDA_ERROR_INVALID_VALUE;
    if (code) {
        return code;
    }
    if (cpu_stream_records(stream)) {
        return cpu_node_task_record(stream, &task);
    }
    code = cpu_workers_start();
    code = code ? code : cpu_batch_op(&task, ctx, &op);
    cpu_node_task_free(&task);
    if (!code) {
        cpu_op_submit(stream, op, NULL);
        cpu_op_release(op);
    }
    return code;
}

CPU_API CUresult
cuStreamBatchMemOp(CUstream stream, unsigned count,
                   CUstreamBatchMemOpParams *operations, unsigned flags)
{
    return cuStreamBatchMemOp_v2(stream, count, operations, flags);
}

#define ONE_OPERATION(name, older, member, kind, field, type)                 \
    CPU_API CUresult name(CUstream stream, CUdeviceptr address, type value,   \
                          unsigned flags)                                     \
    {                                                                         \
        CUstreamBatchMemOpParams one = {.member = {.operation = kind,         \
                                                   .address = address,        \
                                                   .field = value,            \
                                                   .flags = flags}};          \
        return cuStreamBatchMemOp_v2(stream, 1, &one, 0);                     \
    }                                                                         \
    CPU_API CUresult older(CUstream stream, CUdeviceptr address, type value,  \
                           unsigned flags)                                    \
    {                                                                         \
        return name(stream, address, value, flags);                           \
    }

ONE_OPERATION(cuStreamWaitValue32_v2, cuStreamWaitValue32, waitValue,
              CU_STREAM_MEM_OP_WAIT_VALUE_32, value, cuuint32_t)
ONE_OPERATION(cuStreamWaitValue64_v2, cuStreamWaitValue64, waitValue,
              CU_STREAM_MEM_OP_WAIT_VALUE_64, value64, cuuint64_t)
ONE_OPERATION(cuStreamWriteValue32_v2, cuStreamWriteValue32, writeValue,
              CU_STREAM_MEM_OP_WRITE_VALUE_32, value, cuuint32_t)
ONE_OPERATION(cuStreamWriteValue64_v2, cuStreamWriteValue64, writeValue,
              CU_STREAM_MEM_OP_WRITE_VALUE_64, value64, cuuint64_t)

/* ---- graph nodes ---- */

CPU_API CUresult
cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph,
                         const CUgraphNode *after, size_t count,
                         const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct cpu_node_task task;
    CUresult code =
        params ? cpu_batch_task(params, &task) : CUDA_ERROR_INVALID_VALUE;

    return code
               ? code
               : cpu_node_insert(node, graph, after, NULL, count, &task, NULL);
}

CPU_API CUresult
cuGraphBatchMemOpNodeGetParams(CUgraphNode handle,
                               CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && (!node || !params ||
                  node->task.type != CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    /* the caller gets a pointer to the array that the node owns, in
     * params->paramArray */
    if (!code) {
        struct batch *batch = node->task.payload;

        *params =
            (CUDA_BATCH_MEM_OP_NODE_PARAMS){.ctx = node->task.context,
                                            .count = batch->count,
                                            .paramArray = batch->operations};
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

CPU_API CUresult
cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                               const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct cpu_node_task task;
    CUresult code =
        params ? cpu_batch_task(params, &task) : CUDA_ERROR_INVALID_VALUE;

    return code ? code : cpu_node_set_task(node, &task, NULL);
}

CPU_API CUresult
cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    struct cpu_node_task task;
    CUresult code =
        params ? cpu_batch_task(params, &task) : CUDA_ERROR_INVALID_VALUE;

    return code ? code : cpu_exec_set_task(exec, node, &task);
}
