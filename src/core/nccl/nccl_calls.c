/* nccl_calls.c - issues NCCL's operations on arrays, in the order of streams.
 *
 * Called by the Python module pycuda.nccl, and by src/array for calls with the
 * arguments that most calls have. Both check sizes and types. An operation
 * counts as a use of its arrays in the stream, as a kernel does.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/launch/throttle.h"
#include "core/memory/allocation.h"
#include "core/memory/use_fast.h"
#include "core/nccl/nccl.h"
#include "core/python/gil.h"
#include "core/state.h"
#include "core/stream/current_stream.h"
#include "core/stream/stream.h"

static const char *const names[] = {
    [CORE_BROADCAST] = "ncclBroadcast",
    [CORE_REDUCE] = "ncclReduce",
    [CORE_ALL_REDUCE] = "ncclAllReduce",
    [CORE_ALL_GATHER] = "ncclAllGather",
    [CORE_REDUCE_SCATTER] = "ncclReduceScatter",
    [CORE_ALL_TO_ALL] = "ncclAlltoAll",
    [CORE_GATHER] = "ncclGather",
    [CORE_SCATTER] = "ncclScatter",
    [CORE_SEND] = "ncclSend",
    [CORE_RECV] = "ncclRecv",
};

/* Arguments of an NCCL operation; each operation uses only some of them. */
struct call {
    enum core_collective kind;
    const char *send; /* NULL: this rank sends nothing */
    char *recv;
    Py_ssize_t count; /* NCCL's argument: number of elements */
    size_t bytes;     /* size of one element */
    ncclDataType_t type;
    ncclRedOp_t op;
    int peer; /* the other rank of a send or receive, or the root */
    struct core_communicator *comm;
    CUstream stream;
};

/* Executes an all-to-all, gather or scatter as sends and receives. NCCL has
 * functions for them since version 2.28. */
static ncclResult_t
parts_exchange(const struct call *c, bool sends, bool recvs)
{
    ncclComm_t comm = c->comm->handle;
    size_t part = (size_t)c->count * c->bytes;
    size_t send_step = c->kind == CORE_GATHER ? 0 : part;
    size_t recv_step = c->kind == CORE_SCATTER ? 0 : part;
    ncclResult_t result = nccl.ncclGroupStart();
    for (int rank = 0; rank < c->comm->size && !result; rank++) {
        if (sends && (c->kind != CORE_GATHER || rank == c->peer)) {
            result = nccl.ncclSend(c->send + (size_t)rank * send_step,
                                   (size_t)c->count, c->type, rank, comm,
                                   c->stream);
        }
        if (recvs && !result && (c->kind != CORE_SCATTER || rank == c->peer)) {
            result = nccl.ncclRecv(c->recv + (size_t)rank * recv_step,
                                   (size_t)c->count, c->type, rank, comm,
                                   c->stream);
        }
    }
    ncclResult_t end = nccl.ncclGroupEnd();
    return result ? result : end;
}

static ncclResult_t
parts_issue(const struct call *c)
{
    ncclComm_t comm = c->comm->handle;
    size_t count = (size_t)c->count;
    bool is_root = c->comm->rank == c->peer;
    switch (c->kind) {
    case CORE_ALL_TO_ALL:
        return api_nccl_has(&nccl.ncclAlltoAll)
                   ? nccl.ncclAlltoAll(c->send, c->recv, count, c->type, comm,
                                       c->stream)
                   : parts_exchange(c, true, true);
    case CORE_GATHER:
        return api_nccl_has(&nccl.ncclGather)
                   ? nccl.ncclGather(c->send, c->recv, count, c->type, c->peer,
                                     comm, c->stream)
                   : parts_exchange(c, true, is_root);
    default:
        return api_nccl_has(&nccl.ncclScatter)
                   ? nccl.ncclScatter(c->send, c->recv, count, c->type,
                                      c->peer, comm, c->stream)
                   : parts_exchange(c, is_root, true);
    }
}

static ncclResult_t
call_issue(const struct call *c)
{
    ncclComm_t comm = c->comm->handle;
    size_t count = (size_t)c->count;
    switch (c->kind) {
    case CORE_BROADCAST:
        return nccl.ncclBroadcast(c->send, c->recv, count, c->type, c->peer,
                                  comm, c->stream);
    case CORE_REDUCE:
        return nccl.ncclReduce(c->send, c->recv, count, c->type, c->op,
                               c->peer, comm, c->stream);
    case CORE_ALL_REDUCE:
        return nccl.ncclAllReduce(c->send, c->recv, count, c->type, c->op,
                                  comm, c->stream);
    case CORE_ALL_GATHER:
        return nccl.ncclAllGather(c->send, c->recv, count, c->type, comm,
                                  c->stream);
    case CORE_REDUCE_SCATTER:
        return nccl.ncclReduceScatter(c->send, c->recv, count, c->type, c->op,
                                      comm, c->stream);
    case CORE_SEND:
        return nccl.ncclSend(c->send, count, c->type, c->peer, comm,
                             c->stream);
    case CORE_RECV:
        return nccl.ncclRecv(c->recv, count, c->type, c->peer, comm,
                             c->stream);
    default:
        return parts_issue(c);
    }
}

/* Stores the device address of an array in *pointer, 0 for NULL, and records
 * the use of the array in `stream`, which is not replaced by the current
 * stream. */
static int
array_use(PyObject *array, CUstream stream, CUdeviceptr *pointer)
{
    *pointer = 0;
    if (array == NULL) {
        return 0;
    }
    PyObject *owner =
        core_is_array(array) ? ((struct core_array_head *)array)->owner : NULL;
    if (owner != NULL && Py_IS_TYPE(owner, core.allocation_type) &&
        use_fast((struct core_allocation *)owner, stream)) {
        *pointer = ((struct core_array_head *)array)->pointer;
        return 0;
    }
    return core_pointer(array, pointer) < 0 ||
                   core_use_in_kernel(core_memory_owner(array), stream) < 0
               ? -1
               : 0;
}

/* Raises the exception for a failed NCCL call. */
static int
call_fail(const struct call *c, ncclResult_t result)
{
    char routine[160];
    PyOS_snprintf(routine, sizeof routine,
                  "%s (rank %d of %d, %zd elements of %zu bytes)",
                  names[c->kind], c->comm->rank, c->comm->size, c->count,
                  c->bytes);
    return core_nccl_check(result, c->comm->handle, routine);
}

/* Calls NCCL. Outside of groups, releases the GIL: NCCL may wait for other
 * ranks, which may be threads of this process. It waits when it connects the
 * ranks, at their first operation of a kind or size, and when its queues are
 * full. Inside of a group, NCCL only appends the operation to the group. */
static ncclResult_t
call_issue_unlocked(const struct call *c, bool in_group)
{
    if (in_group) {
        return call_issue(c);
    }
    c->comm->active++;
    PyThreadState *thread = core_gil_release();
    ncclResult_t result = call_issue(c);
    core_gil_acquire(thread);
    c->comm->active--;
    return result;
}

/* Issues an operation, and begins to observe whether it completes. `mark`
 * receives the description of the operation. */
static int
call_run(const struct call *c, struct core_nccl_mark *mark)
{
    struct core_nccl_watch *watch = c->comm->watch;
    bool in_group = core_nccl_in_group();
    *mark =
        (struct core_nccl_mark){c->kind, c->count, c->bytes,
                                PyThread_get_thread_ident(), ++c->comm->calls};
    core_stack_claim();
    core_throttle_add(c->comm->context, c->stream);
    bool observed = watch != NULL && !in_group;
    if (observed) {
        core_nccl_watch_begin(watch, mark);
    }
    ncclResult_t result = call_issue_unlocked(c, in_group);
    if (observed) {
        core_nccl_watch_end(watch, mark, c->stream, result == ncclSuccess);
        if (core_nccl_watch_failure(watch) != NULL) {
            return core_nccl_watch_raise(watch);
        }
    }
    return result == ncclSuccess ? 0 : call_fail(c, result);
}

int
core_collective_issue(PyObject *capsule,
                      const struct core_collective_call *call)
{
    struct core_communicator *comm = core_nccl_get(capsule);
    struct core_nccl_mark mark;
    CUdeviceptr send, recv;
    if (comm == NULL || array_use(call->send, call->stream, &send) < 0) {
        return -1;
    }
    if (call->recv == call->send) {
        recv = send;
    } else if (array_use(call->recv, call->stream, &recv) < 0) {
        return -1;
    }
    struct call c = {
        .kind = call->kind,
        .send = (const char *)send,
        .recv = (char *)recv,
        .count = call->count,
        .bytes = call->bytes,
        .type = call->type,
        .op = call->op,
        .peer = call->peer,
        .comm = comm,
        .stream = call->stream,
    };
    if (call_run(&c, &mark) < 0) {
        return -1;
    }
    return core_nccl_in_group()
               ? core_nccl_group_add(capsule, comm, &mark, call)
               : 0;
}

bool
core_collective_find_rank(PyObject *capsule, PyObject *stream,
                          struct core_collective_rank *rank)
{
    const struct core_communicator *comm = core_nccl_find(capsule);
    if (comm == NULL || comm->context != core_stack_top()) {
        return false;
    }
    *rank = (struct core_collective_rank){comm->context, NULL, comm->size,
                                          comm->rank};
    if (stream == Py_None) {
        rank->stream = core_stream_default();
        return true;
    }
    if (!PyObject_TypeCheck(stream, core.stream_type)) {
        return false;
    }
    const struct core_stream_object *given =
        (struct core_stream_object *)stream;
    rank->stream = given->handle;
    return given->context == comm->context && given->context->valid &&
           given->handle != NULL && given->handle != CU_STREAM_LEGACY;
}

/* Raises LogicError if the stream belongs to another context than the
 * communicator's. A default stream is one of the current context, which is the
 * communicator's. */
static int
stream_check(const struct core_communicator *comm, CUstream stream)
{
    CUcontext owner = NULL, popped;
    CUdevice device = -1;
    if (stream == NULL || stream == CU_STREAM_LEGACY ||
        stream == CU_STREAM_PER_THREAD ||
        driver.cuStreamGetCtx(stream, &owner) != CUDA_SUCCESS ||
        owner == comm->context->handle) {
        return 0;
    }
    if (driver.cuCtxPushCurrent(owner) == CUDA_SUCCESS) {
        driver.cuCtxGetDevice(&device);
        driver.cuCtxPopCurrent(&popped);
    }
    PyErr_Format(core.logic_error,
                 "the communicator's rank %d works in a context of device %d, "
                 "but the stream belongs to another context, of device %d",
                 comm->rank, (int)comm->context->device, (int)device);
    return -1;
}

/* Returns an argument of _nccl_call; NULL for None. */
static PyObject *
array_or_null(PyObject *array)
{
    return array == Py_None ? NULL : array;
}

/* _nccl_call(communicator, kind, send, recv, count, type, bytes, op, peer,
 * stream): issues the operation `kind`. */
static PyObject *
nccl_call(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    int numbers[4];
    if (nargs != 10) {
        PyErr_SetString(PyExc_TypeError, "_nccl_call takes 10 arguments");
        return NULL;
    }
    struct core_collective_call call = {.send = array_or_null(args[2]),
                                        .recv = array_or_null(args[3])};
    if (core_nccl_get(args[0]) == NULL ||
        core_stream(args[9], &call.stream) < 0) {
        return NULL;
    }
    call.stream = call.stream == NULL ? core_stream_default() : call.stream;
    long kind = PyLong_AsLong(args[1]);
    call.count = PyLong_AsSsize_t(args[4]);
    for (int i = 0; i < 4; i++) {
        numbers[i] = (int)PyLong_AsLong(args[5 + i]);
    }
    if (!PyErr_Occurred() && (kind < 0 || kind > CORE_RECV)) {
        PyErr_Format(PyExc_ValueError, "no NCCL operation %ld", kind);
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    call.kind = (enum core_collective)kind;
    call.type = (ncclDataType_t)numbers[0];
    call.bytes = (size_t)numbers[1];
    call.op = (ncclRedOp_t)numbers[2];
    call.peer = numbers[3];
    if (core_collective_issue(args[0], &call) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* _nccl_check_stream(communicator, stream): raises an exception if calls of
 * the communicator cannot be made in the stream. */
static PyObject *
nccl_check_stream(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule, *object;
    CUstream stream;
    if (!PyArg_ParseTuple(args, "OO:_nccl_check_stream", &capsule, &object)) {
        return NULL;
    }
    const struct core_communicator *comm = core_nccl_get(capsule);
    if (comm == NULL || core_stream(object, &stream) < 0 ||
        stream_check(comm, stream) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* _nccl_scaled_sum(communicator, type, bytes): creates a reduction that sums
 * the elements multiplied by a factor. `bytes` contains the factor as a value
 * of the type. */
static PyObject *
nccl_scaled_sum(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *factor;
    Py_ssize_t bytes;
    int type;
    ncclRedOp_t op;
    if (!PyArg_ParseTuple(args, "Oiy#:_nccl_scaled_sum", &capsule, &type,
                          &factor, &bytes)) {
        return NULL;
    }
    struct core_communicator *comm = core_nccl_get(capsule);
    if (comm == NULL) {
        return NULL;
    }
    ncclResult_t result = nccl.ncclRedOpCreatePreMulSum(
        &op, (void *)factor, (ncclDataType_t)type, ncclScalarHostImmediate,
        comm->handle);
    if (core_nccl_check(result, comm->handle, "ncclRedOpCreatePreMulSum") <
        0) {
        return NULL;
    }
    return PyLong_FromLong((long)op);
}

static PyObject *
nccl_op_destroy(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    int op;
    if (!PyArg_ParseTuple(args, "Oi:_nccl_op_destroy", &capsule, &op)) {
        return NULL;
    }
    struct core_communicator *comm = core_nccl_get(capsule);
    if (comm == NULL ||
        core_nccl_check(nccl.ncclRedOpDestroy((ncclRedOp_t)op, comm->handle),
                        comm->handle, "ncclRedOpDestroy") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyMethodDef core_nccl_calls[] = {
    {"_nccl_call", (PyCFunction)(void (*)(void))nccl_call, METH_FASTCALL,
     "_nccl_call(communicator, kind, send, recv, count, type, bytes, op, "
     "peer, stream, /)\n--\n\n"
     "Issue an operation on arrays in a stream."},
    {"_nccl_check_stream", nccl_check_stream, METH_VARARGS,
     "_nccl_check_stream(communicator, stream, /)\n--\n\n"
     "Raise an exception if the stream belongs to another context than the "
     "communicator."},
    {"_nccl_scaled_sum", nccl_scaled_sum, METH_VARARGS,
     "_nccl_scaled_sum(communicator, type, factor, /)\n--\n\n"
     "Create the sum of elements times a factor; return its number."},
    {"_nccl_op_destroy", nccl_op_destroy, METH_VARARGS,
     "_nccl_op_destroy(communicator, op, /)\n--\n\n"
     "Destroy an operation that _nccl_scaled_sum has created."},
    {NULL},
};
