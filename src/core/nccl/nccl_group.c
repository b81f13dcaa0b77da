/* nccl_group.c - groups of NCCL operations: the context manager that
 * pycuda.nccl.group returns.
 *
 * ncclGroupEnd issues the operations that a thread has called since
 * ncclGroupStart, each in its own stream. Until then, the group keeps their
 * arrays and communicators alive. Groups may be nested; only the outermost one
 * issues operations.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/nccl/nccl.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/state.h"

/* A communicator with calls in an open group. */
struct member {
    PyObject *capsule; /* strong reference */
    struct core_communicator *comm;
    struct core_nccl_mark mark; /* latest call */
    CUstream stream;
};

/* The open groups of a thread. The lists are NULL while they are empty. */
struct group {
    int depth; /* number of groups that are open inside each other */
    unsigned count;
    struct member *members;
    PyObject *arrays; /* list; keeps the arrays of the calls alive */
    PyObject *ends;   /* list of functions to call after the group */
};

/* NULL: the thread has no open group. A pointer, since the memory for
 * variables of threads is scarce (tests/isolated/test_static_tls.py). */
static _Thread_local struct group *group;

bool
core_nccl_in_group(void)
{
    return group != NULL;
}

/* Appends an object to a list of the group, which is created if needed. */
static int
list_append(PyObject **list, PyObject *object)
{
    if (*list == NULL && (*list = PyList_New(0)) == NULL) {
        return -1;
    }
    return PyList_Append(*list, object);
}

/* Adds the latest call of a communicator to the open group-> */
static int
member_update(PyObject *capsule, struct core_communicator *comm,
              const struct core_nccl_mark *mark, CUstream stream)
{
    struct member *member = NULL;
    for (size_t i = 0; i < group->count && member == NULL; i++) {
        member = group->members[i].comm == comm ? &group->members[i] : NULL;
    }
    if (member == NULL) {
        struct member *grown = PyMem_RawRealloc(
            group->members, (group->count + 1) * sizeof *group->members);
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        group->members = grown;
        member = &grown[group->count++];
        member->capsule = Py_NewRef(capsule);
        member->comm = comm;
    }
    member->mark = *mark;
    member->stream = stream;
    return 0;
}

int
core_nccl_group_add(PyObject *capsule, struct core_communicator *comm,
                    const struct core_nccl_mark *mark,
                    const struct core_collective_call *call)
{
    if ((call->send != NULL && list_append(&group->arrays, call->send) < 0) ||
        (call->recv != NULL && list_append(&group->arrays, call->recv) < 0)) {
        return -1;
    }
    return member_update(capsule, comm, mark, call->stream);
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
    for (size_t i = 0; i < group->count; i++) {
        if (member_is_watched(&group->members[i])) {
            core_nccl_watch_begin(group->members[i].comm->watch,
                                  &group->members[i].mark);
        }
    }
}

/* Called after ncclGroupEnd. `issued` is true if the library has issued the
 * calls of the group, and false after an error. Begins to observe whether the
 * issued calls complete. Frees `members`. Returns -1 with an exception if a
 * communicator has failed. */
static int
group_watch_end(struct member *members, size_t count, bool issued)
{
    int status = 0;
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

/* Calls the functions of a list, which may be NULL, up to the first one that
 * raises an exception. */
static int
ends_run(PyObject *ends)
{
    Py_ssize_t count = ends == NULL ? 0 : PyList_GET_SIZE(ends);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *result = PyObject_CallNoArgs(PyList_GET_ITEM(ends, i));
        if (result == NULL) {
            return -1;
        }
        Py_DECREF(result);
    }
    return 0;
}

/* Ends a group inside another one: NCCL issues nothing yet. */
static int
inner_close(void)
{
    group->depth--;
    return core_nccl_check(nccl.ncclGroupEnd(), NULL, "ncclGroupEnd");
}

/* Ends the outermost group of the thread. NCCL issues the operations without
 * the GIL, since it may wait for other ranks. Then calls the functions of
 * _nccl_group_defer, unless the group has failed. */
static int
outermost_close(void)
{
    group_watch_begin();
    PyThreadState *thread = core_gil_release();
    ncclResult_t result = nccl.ncclGroupEnd();
    core_gil_acquire(thread);
    /* taken from the thread first, since the rest may run Python code */
    struct group ended = *group;
    PyMem_RawFree(group);
    group = NULL;
    int status =
        group_watch_end(ended.members, ended.count, result == ncclSuccess) < 0
            ? -1
            : core_nccl_check(result, NULL, "ncclGroupEnd");
    status = status < 0 ? status : ends_run(ended.ends);
    Py_XDECREF(ended.ends);
    Py_XDECREF(ended.arrays);
    return status;
}

static PyObject *
group_enter(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    if (core_nccl_open() < 0) {
        return NULL;
    }
    struct group *made = NULL;
    if (group == NULL && (made = PyMem_RawCalloc(1, sizeof *made)) == NULL) {
        return PyErr_NoMemory();
    }
    if (core_nccl_check(nccl.ncclGroupStart(), NULL, "ncclGroupStart") < 0) {
        PyMem_RawFree(made);
        return NULL;
    }
    group = group == NULL ? made : group;
    group->depth++;
    Py_RETURN_NONE;
}

/* Never suppresses an exception of the with block. */
static PyObject *
group_exit(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    (void)self, (void)args, (void)nargs;
    if (group == NULL) {
        PyErr_SetString(core.logic_error, "this thread has no open group");
        return NULL;
    }
    int status = group->depth > 1 ? inner_close() : outermost_close();
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* _nccl_group_defer(function): calls the function after the thread's group.
 * Returns False if no group is open. */
static PyObject *
group_defer(PyObject *module, PyObject *function)
{
    (void)module;
    if (group == NULL) {
        Py_RETURN_FALSE;
    }
    return list_append(&group->ends, function) < 0 ? NULL : Py_NewRef(Py_True);
}

static PyMethodDef methods[] = {
    {"__enter__", group_enter, METH_NOARGS,
     "__enter__($self, /)\n--\n\n"
     "Begin a group of operations of this thread."},
    {"__exit__", (PyCFunction)(void (*)(void))group_exit, METH_FASTCALL,
     "__exit__($self, /, *exception)\n--\n\n"
     "Issue the operations of the thread's group."},
    {NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_methods, methods},
    {Py_tp_doc, "A group of NCCL operations of a thread."},
    {0},
};

static PyType_Spec spec = {
    .name = "pycuda._driver._NcclGroup",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

static PyMethodDef functions[] = {
    {"_nccl_group_defer", group_defer, METH_O,
     "_nccl_group_defer(function, /)\n--\n\n"
     "Call a function after the thread's group; return False if none is "
     "open."},
    {NULL},
};

int
core_nccl_group_setup(PyObject *module)
{
    PyObject *type = core_type_new(module, &spec, NULL, CORE_CALL_CURRENT);
    int status =
        type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return status < 0 ? -1 : core_add_functions(module, functions);
}
