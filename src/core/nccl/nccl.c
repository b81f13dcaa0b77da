/* nccl.c - NCCL for the Python module pycuda.nccl: communicators, groups,
 * errors.
 *
 * A communicator is a PyCapsule with a struct core_communicator. It belongs to
 * the context in which it was made, which must be the primary context of its
 * device: NCCL's own threads work in that one. pycuda.nccl ends communicators;
 * a capsule that is freed earlier aborts its communicator.
 *
 * Calls that may wait for other ranks release the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/nccl/nccl.h"
#include "core/code/nvrtc.h"
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/python/errors.h"
#include "core/python/gil.h"
#include "core/state.h"

#include <string.h>

#define COMMUNICATOR "nccl communicator"

int
core_nccl_check(ncclResult_t result, ncclComm_t comm, const char *routine)
{
    if (result == ncclSuccess) {
        return 0;
    }
    const char *text =
        nccl.ncclGetLastError == NULL ? NULL : nccl.ncclGetLastError(comm);
    bool has_text = text != NULL && *text != '\0';
    PyErr_Format(core.runtime_error, "%s failed: %s%s%s", routine,
                 nccl.ncclGetErrorString(result), has_text ? " - " : "",
                 has_text ? text : "");
    return -1;
}

/* Opens the NCCL library unless it is open. */
static int
library_open(struct api_choice *choice)
{
    if (core_open() < 0 || core_library_dirs_pass() < 0) {
        return -1;
    }
    PyThreadState *thread = core_gil_release();
    int status = api_open_nccl(choice);
    core_gil_acquire(thread);
    if (status < 0) {
        PyErr_SetString(PyExc_ImportError, choice->text);
    }
    return status;
}

/* Returns the library's path and version. */
static PyObject *
nccl_open(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    struct api_choice choice;
    int version = 0;
    if (library_open(&choice) < 0 ||
        core_nccl_check(nccl.ncclGetVersion(&version), NULL,
                        "ncclGetVersion") < 0) {
        return NULL;
    }
    return Py_BuildValue("si", choice.library, version);
}

static PyObject *
nccl_unique_id(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    struct api_choice choice;
    ncclUniqueId id;
    if (library_open(&choice) < 0) {
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    ncclResult_t result = nccl.ncclGetUniqueId(&id);
    core_gil_acquire(thread);
    if (core_nccl_check(result, NULL, "ncclGetUniqueId") < 0) {
        return NULL;
    }
    return PyBytes_FromStringAndSize(id.internal, sizeof id.internal);
}

/* ---- communicators ---- */

/* Destroys or aborts NCCL's communicator. Releases the GIL during the call. */
static ncclResult_t
communicator_end(struct core_communicator *self, bool abort)
{
    struct core_scope scope;
    ncclComm_t handle = self->handle;
    ncclResult_t result = ncclSuccess;
    self->handle = NULL;
    if (handle == NULL || core.forked) {
        return result;
    }
    bool inside = core_enter(self->context, &scope);
    if (inside && self->watched) {
        driver.cuEventDestroy(self->oldest);
        driver.cuEventDestroy(self->latest);
        self->watched = false;
    }
    PyThreadState *thread = core_gil_release();
    result = abort ? nccl.ncclCommAbort(handle) : nccl.ncclCommDestroy(handle);
    core_gil_acquire(thread);
    if (inside) {
        core_leave(&scope);
    }
    return result;
}

static void
communicator_free(PyObject *capsule)
{
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    communicator_end(self, true);
    Py_XDECREF((PyObject *)self->context);
    PyMem_Free(self);
}

static PyObject *
communicator_new(ncclComm_t handle, struct core_context *context)
{
    struct core_communicator *self = PyMem_Calloc(1, sizeof *self);
    if (self == NULL) {
        return PyErr_NoMemory();
    }
    self->handle = handle;
    self->context = (struct core_context *)Py_NewRef((PyObject *)context);
    nccl.ncclCommCount(handle, &self->size);
    nccl.ncclCommUserRank(handle, &self->rank);
    PyObject *capsule = PyCapsule_New(self, COMMUNICATOR, communicator_free);
    if (capsule == NULL) {
        communicator_end(self, true);
        Py_DECREF((PyObject *)context);
        PyMem_Free(self);
    }
    return capsule;
}

struct core_communicator *
core_nccl_get(PyObject *capsule)
{
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    if (self == NULL) {
        return NULL;
    }
    if (self->handle == NULL) {
        PyErr_SetString(core.logic_error,
                        "the communicator was destroyed or aborted");
        return NULL;
    }
    struct core_context *current = core_current();
    if (current == NULL) {
        return NULL;
    }
    if (current != self->context) {
        PyErr_Format(core.logic_error,
                     "the communicator's rank %d works in a context of device "
                     "%d, but a context of device %d is current",
                     self->rank, (int)self->context->device,
                     (int)current->device);
        return NULL;
    }
    return self;
}

/* Returns the current context if it is the primary one of its device: NCCL
 * uses no other. Else NULL with an exception. */
static struct core_context *
context_check(void)
{
    struct core_context *context = core_current();
    CUcontext primary = NULL;
    if (context == NULL) {
        return NULL;
    }
    bool is_primary = context->kind == CONTEXT_PRIMARY;
    if (!is_primary && driver.cuDevicePrimaryCtxRetain(
                           &primary, context->device) == CUDA_SUCCESS) {
        is_primary = primary == context->handle;
        driver.cuDevicePrimaryCtxRelease(context->device);
    }
    if (!is_primary) {
        PyErr_SetString(
            core.logic_error,
            "NCCL works in the primary context of a device, but another "
            "context is current: import pycuda.autoprimaryctx in place of "
            "pycuda.autoinit, or use Device.retain_primary_context or "
            "pycuda.mpi.context");
        return NULL;
    }
    return context;
}

/* _nccl_init(size, rank, id): joins a communicator in the current context. */
static PyObject *
nccl_init(PyObject *module, PyObject *args)
{
    (void)module;
    const char *bytes;
    Py_ssize_t length;
    ncclUniqueId id;
    int size, rank;
    if (!PyArg_ParseTuple(args, "iiy#:_nccl_init", &size, &rank, &bytes,
                          &length)) {
        return NULL;
    }
    if (length != sizeof id.internal) {
        PyErr_Format(PyExc_ValueError, "an id of NCCL has %d bytes, not %zd",
                     (int)sizeof id.internal, length);
        return NULL;
    }
    struct core_context *context = context_check();
    ncclComm_t handle = NULL;
    if (context == NULL) {
        return NULL;
    }
    memcpy(id.internal, bytes, sizeof id.internal);
    Py_INCREF((PyObject *)context);
    core_stack_claim();
    PyThreadState *thread = core_gil_release();
    ncclResult_t result = nccl.ncclCommInitRank(&handle, size, id, rank);
    core_gil_acquire(thread);
    PyObject *made = core_nccl_check(result, NULL, "ncclCommInitRank") < 0
                         ? NULL
                         : communicator_new(handle, context);
    if (made == NULL && result != ncclSuccess && handle != NULL) {
        nccl.ncclCommAbort(handle);
    }
    Py_DECREF((PyObject *)context);
    return made;
}

static PyObject *
nccl_split(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    ncclComm_t made = NULL;
    int color, key;
    if (!PyArg_ParseTuple(args, "Oii:_nccl_split", &capsule, &color, &key)) {
        return NULL;
    }
    struct core_communicator *self = core_nccl_get(capsule);
    if (self == NULL) {
        return NULL;
    }
    if (!api_nccl_has(&nccl.ncclCommSplit)) {
        PyErr_SetString(PyExc_NotImplementedError,
                        "this NCCL is older than 2.18 and cannot split");
        return NULL;
    }
    core_stack_claim();
    PyThreadState *thread = core_gil_release();
    ncclResult_t result =
        nccl.ncclCommSplit(self->handle, color, key, &made, NULL);
    core_gil_acquire(thread);
    if (core_nccl_check(result, self->handle, "ncclCommSplit") < 0) {
        return NULL;
    }
    if (made == NULL) {
        Py_RETURN_NONE;
    }
    return communicator_new(made, self->context);
}

static PyObject *
nccl_end(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    int abort;
    if (!PyArg_ParseTuple(args, "Op:_nccl_end", &capsule, &abort)) {
        return NULL;
    }
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    if (self == NULL ||
        core_nccl_check(communicator_end(self, abort), NULL,
                        abort ? "ncclCommAbort" : "ncclCommDestroy") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* _nccl_error(communicator): returns the text of the communicator's
 * asynchronous error, or None. Callable in any thread, without a current
 * context. */
static PyObject *
nccl_error(PyObject *module, PyObject *capsule)
{
    (void)module;
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    ncclResult_t error = ncclSuccess;
    if (self == NULL) {
        return NULL;
    }
    if (self->handle == NULL ||
        nccl.ncclCommGetAsyncError(self->handle, &error) != ncclSuccess ||
        error == ncclSuccess || error == ncclInProgress) {
        Py_RETURN_NONE;
    }
    const char *text = nccl.ncclGetLastError == NULL
                           ? ""
                           : nccl.ncclGetLastError(self->handle);
    return PyUnicode_FromFormat("%s - %s", nccl.ncclGetErrorString(error),
                                text);
}

/* _nccl_describe(communicator): returns (size, rank, device number). */
static PyObject *
nccl_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    return self == NULL ? NULL
                        : Py_BuildValue("iii", self->size, self->rank,
                                        (int)self->context->device);
}

/* _nccl_limit(communicator, seconds): sets the time that a rank waits for
 * others. Returns false if the library has no such limit (a GPU's NCCL). */
static PyObject *
nccl_limit(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    double seconds;
    if (!PyArg_ParseTuple(args, "Od:_nccl_limit", &capsule, &seconds)) {
        return NULL;
    }
    struct core_communicator *self = core_nccl_get(capsule);
    if (self == NULL) {
        return NULL;
    }
    if (nccl.pycuda_cpu_nccl_limit == NULL) {
        Py_RETURN_FALSE;
    }
    nccl.pycuda_cpu_nccl_limit(self->handle, seconds);
    Py_RETURN_TRUE;
}

static PyMethodDef functions[] = {
    {"_nccl_open", nccl_open, METH_NOARGS,
     "_nccl_open()\n--\n\n"
     "Open NCCL and return its path and version; ImportError if there is "
     "none."},
    {"_nccl_unique_id", nccl_unique_id, METH_NOARGS,
     "_nccl_unique_id()\n--\n\n"
     "Return the id of a new communicator, 128 bytes."},
    {"_nccl_init", nccl_init, METH_VARARGS,
     "_nccl_init(size, rank, id, /)\n--\n\n"
     "Join a communicator in the current context, and wait for the other "
     "ranks."},
    {"_nccl_split", nccl_split, METH_VARARGS,
     "_nccl_split(communicator, color, key, /)\n--\n\n"
     "Return the communicator of the ranks with the same color, or None."},
    {"_nccl_end", nccl_end, METH_VARARGS,
     "_nccl_end(communicator, abort, /)\n--\n\n"
     "Destroy or abort a communicator."},
    {"_nccl_error", nccl_error, METH_O,
     "_nccl_error(communicator, /)\n--\n\n"
     "Return the text of the communicator's asynchronous error, or None."},
    {"_nccl_describe", nccl_describe, METH_O,
     "_nccl_describe(communicator, /)\n--\n\n"
     "Return the communicator's size, rank and device number."},
    {"_nccl_limit", nccl_limit, METH_VARARGS,
     "_nccl_limit(communicator, seconds, /)\n--\n\n"
     "Set the library's time limit; return whether it has one."},
    {NULL},
};

int
core_nccl_setup(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0 ||
                   PyModule_AddFunctions(module, core_nccl_watch) < 0 ||
                   PyModule_AddFunctions(module, core_nccl_calls) < 0
               ? -1
               : 0;
}
