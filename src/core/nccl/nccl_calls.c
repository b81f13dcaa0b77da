/* nccl_calls.c - issues NCCL's operations on arrays, in the order of streams.
 *
 * Called by the Python module pycuda.nccl, which checks sizes and types. An
 * operation counts as a use of its arrays in the stream, as a kernel does.
 * ncclGroupEnd issues the operations that were called since ncclGroupStart,
 * each in its own stream.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/launch/throttle.h"
#include "core/memory/allocation.h"
#include "core/nccl/nccl.h"
#include "core/python/gil.h"
#include "core/stream/current_stream.h"

/* The operations, in the order of the numbers that pycuda.nccl uses. */
enum kind {
    BROADCAST,
    REDUCE,
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    GATHER,
    SCATTER,
    SEND,
    RECV,
};
static const char *const names[] = {
    [BROADCAST] = "ncclBroadcast",
    [REDUCE] = "ncclReduce",
    [ALL_REDUCE] = "ncclAllReduce",
    [ALL_GATHER] = "ncclAllGather",
    [REDUCE_SCATTER] = "ncclReduceScatter",
    [ALL_TO_ALL] = "ncclAlltoAll",
    [GATHER] = "ncclGather",
    [SCATTER] = "ncclScatter",
    [SEND] = "ncclSend",
    [RECV] = "ncclRecv",
};

/* Arguments of an NCCL operation; each operation uses only some of them. */
struct call {
    const char *name; /* name of the NCCL function */
    int kind;
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

/* A communicator with calls in an open group. */
struct member {
    PyObject *capsule; /* strong reference */
    struct core_communicator *comm;
    struct core_nccl_mark mark; /* latest call */
    CUstream stream;
};

/* The open groups of the thread. */
static _Thread_local struct {
    int depth;
    unsigned count;
    struct member *members;
} group;

/* Adds a call to the open group. */
static int
group_add(PyObject *capsule, struct core_communicator *comm,
          const struct core_nccl_mark *mark, CUstream stream)
{
    struct member *member = NULL;
    for (size_t i = 0; i < group.count && member == NULL; i++) {
        member = group.members[i].comm == comm ? &group.members[i] : NULL;
    }
    if (member == NULL) {
        struct member *grown = PyMem_RawRealloc(
            group.members, (group.count + 1) * sizeof *group.members);
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        group.members = grown;
        member = &grown[group.count++];
        member->capsule = Py_NewRef(capsule);
        member->comm = comm;
    }
    member->mark = *mark;
    member->stream = stream;
    return 0;
}

/* Returns whether the monitor thread (nccl_watch.c) observes the calls of the
 * member's communicator. */
static bool
member_is_watched(const struct member *member)
{
    return member->comm->handle != NULL && member->comm->watch != NULL;
}

/* Begins to observe the time that the library takes to issue the calls of the
 * group. */
static void
group_watch_begin(void)
{
    for (size_t i = 0; i < group.count; i++) {
        if (member_is_watched(&group.members[i])) {
            core_nccl_watch_begin(group.members[i].comm->watch,
                                  &group.members[i].mark);
        }
    }
}

/* Called after ncclGroupEnd. `issued` is true if the library has issued the
 * calls of the group, and false after an error. Begins to observe whether the
 * issued calls complete, and empties the group. Returns -1 with an exception
 * if a communicator has failed. */
static int
group_watch_end(bool issued)
{
    int status = 0;
    struct member *members = group.members;
    size_t count = group.count;
    group.members = NULL;
    group.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct core_nccl_watch *watch = members[i].comm->watch;
        struct core_scope scope;
        if (member_is_watched(&members[i]) &&
            core_enter(members[i].comm->context, &scope)) {
            core_nccl_watch_end(watch, &members[i].mark, members[i].stream,
                                issued);
            core_leave(&scope);
            if (core_nccl_watch_failure(watch) != NULL) {
                status = core_nccl_watch_raise(watch);
            }
        }
        Py_DECREF(members[i].capsule);
    }
    PyMem_RawFree(members);
    return status;
}

/* Executes an all-to-all, gather or scatter as sends and receives. NCCL has
 * functions for them since version 2.28. */
static ncclResult_t
parts_exchange(const struct call *c, bool sends, bool recvs)
{
    ncclComm_t comm = c->comm->handle;
    size_t part = (size_t)c->count * c->bytes;
    size_t send_step = c->kind == GATHER ? 0 : part;
    size_t recv_step = c->kind == SCATTER ? 0 : part;
    ncclResult_t result = nccl.ncclGroupStart();
    for (int rank = 0; rank < c->comm->size && !result; rank++) {
        if (sends && (c->kind != GATHER || rank == c->peer)) {
            result = nccl.ncclSend(c->send + (size_t)rank * send_step,
                                   (size_t)c->count, c->type, rank, comm,
                                   c->stream);
        }
        if (recvs && !result && (c->kind != SCATTER || rank == c->peer)) {
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
    case ALL_TO_ALL:
        return api_nccl_has(&nccl.ncclAlltoAll)
                   ? nccl.ncclAlltoAll(c->send, c->recv, count, c->type, comm,
                                       c->stream)
                   : parts_exchange(c, true, true);
    case GATHER:
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
    case BROADCAST:
        return nccl.ncclBroadcast(c->send, c->recv, count, c->type, c->peer,
                                  comm, c->stream);
    case REDUCE:
        return nccl.ncclReduce(c->send, c->recv, count, c->type, c->op,
                               c->peer, comm, c->stream);
    case ALL_REDUCE:
        return nccl.ncclAllReduce(c->send, c->recv, count, c->type, c->op,
                                  comm, c->stream);
    case ALL_GATHER:
        return nccl.ncclAllGather(c->send, c->recv, count, c->type, comm,
                                  c->stream);
    case REDUCE_SCATTER:
        return nccl.ncclReduceScatter(c->send, c->recv, count, c->type, c->op,
                                      comm, c->stream);
    case SEND:
        return nccl.ncclSend(c->send, count, c->type, c->peer, comm,
                             c->stream);
    case RECV:
        return nccl.ncclRecv(c->recv, count, c->type, c->peer, comm,
                             c->stream);
    default:
        return parts_issue(c);
    }
}

/* Stores the device address of an array in *pointer, 0 for None, and records
 * the use of the array in the stream. */
static int
array_use(PyObject *array, CUstream stream, CUdeviceptr *pointer)
{
    *pointer = 0;
    if (array == Py_None) {
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
                  "%s (rank %d of %d, %zd elements of %zu bytes)", c->name,
                  c->comm->rank, c->comm->size, c->count, c->bytes);
    return core_nccl_check(result, c->comm->handle, routine);
}

/* Issues an operation. Releases the GIL, since the first operation of a
 * communicator connects the ranks and waits for them. */
static int
call_run(PyObject *capsule, struct call *c)
{
    struct core_nccl_watch *watch = c->comm->watch;
    struct core_nccl_mark mark = {c->kind, c->count, c->bytes,
                                  PyThread_get_thread_ident(),
                                  ++c->comm->calls};
    core_stack_claim();
    core_throttle_add(c->comm->context, c->stream);
    bool observed = watch != NULL && group.depth == 0;
    if (observed) {
        core_nccl_watch_begin(watch, &mark);
    }
    c->comm->active++;
    PyThreadState *thread = core_gil_release();
    ncclResult_t result = call_issue(c);
    core_gil_acquire(thread);
    c->comm->active--;
    if (observed) {
        core_nccl_watch_end(watch, &mark, c->stream, result == ncclSuccess);
        if (core_nccl_watch_failure(watch) != NULL) {
            return core_nccl_watch_raise(watch);
        }
    }
    if (result != ncclSuccess) {
        return call_fail(c, result);
    }
    return group.depth > 0 ? group_add(capsule, c->comm, &mark, c->stream) : 0;
}

/* _nccl_call(communicator, kind, send, recv, count, type, bytes, op, peer,
 * stream): issues the operation `kind`. */
static PyObject *
nccl_call(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    (void)module;
    CUdeviceptr send, recv;
    int numbers[4];
    if (nargs != 10) {
        PyErr_SetString(PyExc_TypeError, "_nccl_call takes 10 arguments");
        return NULL;
    }
    struct core_communicator *comm = core_nccl_get(args[0]);
    struct call c = {.comm = comm};
    if (comm == NULL || core_stream(args[9], &c.stream) < 0) {
        return NULL;
    }
    c.stream = c.stream == NULL ? core_stream_default() : c.stream;
    c.kind = (int)PyLong_AsLong(args[1]);
    c.count = PyLong_AsSsize_t(args[4]);
    for (int i = 0; i < 4; i++) {
        numbers[i] = (int)PyLong_AsLong(args[5 + i]);
    }
    if (!PyErr_Occurred() &&
        ((unsigned)c.kind >= sizeof names / sizeof *names)) {
        PyErr_Format(PyExc_ValueError, "no NCCL operation %d", c.kind);
    }
    if (PyErr_Occurred() || array_use(args[2], c.stream, &send) < 0 ||
        array_use(args[3], c.stream, &recv) < 0) {
        return NULL;
    }
    c.name = names[c.kind];
    c.type = (ncclDataType_t)numbers[0];
    c.bytes = (size_t)numbers[1];
    c.op = (ncclRedOp_t)numbers[2];
    c.peer = numbers[3];
    c.send = (const char *)send;
    c.recv = (char *)recv;
    if (call_run(args[0], &c) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

bool
core_nccl_in_group(void)
{
    return group.depth > 0;
}

static PyObject *
nccl_group_start(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    if (core_nccl_check(nccl.ncclGroupStart(), NULL, "ncclGroupStart") < 0) {
        return NULL;
    }
    group.depth++;
    Py_RETURN_NONE;
}

static PyObject *
nccl_group_end(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    bool outermost = group.depth == 1;
    if (outermost) {
        group_watch_begin();
    }
    PyThreadState *thread = core_gil_release();
    ncclResult_t result = nccl.ncclGroupEnd();
    core_gil_acquire(thread);
    group.depth--;
    if ((outermost && group_watch_end(result == ncclSuccess) < 0) ||
        core_nccl_check(result, NULL, "ncclGroupEnd") < 0) {
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
    {"_nccl_group_start", nccl_group_start, METH_NOARGS,
     "_nccl_group_start()\n--\n\n"
     "Begin a group of operations of this thread."},
    {"_nccl_group_end", nccl_group_end, METH_NOARGS,
     "_nccl_group_end()\n--\n\n"
     "Issue the operations of the thread's group."},
    {"_nccl_scaled_sum", nccl_scaled_sum, METH_VARARGS,
     "_nccl_scaled_sum(communicator, type, factor, /)\n--\n\n"
     "Create the sum of elements times a factor; return its number."},
    {"_nccl_op_destroy", nccl_op_destroy, METH_VARARGS,
     "_nccl_op_destroy(communicator, op, /)\n--\n\n"
     "Destroy an operation that _nccl_scaled_sum has created."},
    {NULL},
};
