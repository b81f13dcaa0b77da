/* nccl.c - NCCL for the Python module pycuda.nccl: communicators, groups,
 * errors.
 *
 * A communicator is a PyCapsule with a struct core_communicator. It belongs to
 * the context in which it was made, which must be the primary context of its
 * device: NCCL's own threads work in the primary context. pycuda.nccl ends
 * communicators; a capsule that is freed earlier aborts its communicator.
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
#include "core/python/interrupt.h"
#include "core/python/locked_calls.h"
#include "core/state.h"

#include <string.h>
#include <time.h>

#define COMMUNICATOR "nccl communicator"

const char *
core_nccl_last_text(ncclComm_t comm)
{
    const char *text =
        nccl.ncclGetLastError == NULL ? NULL : nccl.ncclGetLastError(comm);
    return text != NULL ? text : "";
}

int
core_nccl_fail(ncclResult_t result, const char *text, const char *routine)
{
    PyErr_Format(core.runtime_error, "%s failed: %s%s%s", routine,
                 nccl.ncclGetErrorString(result), *text != '\0' ? " - " : "",
                 text);
    return -1;
}

int
core_nccl_check(ncclResult_t result, ncclComm_t comm, const char *routine)
{
    if (result == ncclSuccess) {
        return 0;
    }
    return core_interrupt_raise() < 0
               ? -1
               : core_nccl_fail(result, core_nccl_last_text(comm), routine);
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

int
core_nccl_open(void)
{
    static bool is_open;
    struct api_choice choice;
    if (!__atomic_load_n(&is_open, __ATOMIC_ACQUIRE)) {
        if (library_open(&choice) < 0) {
            return -1;
        }
        __atomic_store_n(&is_open, true, __ATOMIC_RELEASE);
    }
    return 0;
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

/* Tells the monitor thread to observe the communicator no longer. Returns
 * false if the communicator has failed; the monitor thread then aborts the
 * communicator, and the caller must not. */
static bool
watch_end(struct core_communicator *self)
{
    struct core_nccl_watch *watch = self->watch;
    self->watch = NULL;
    return watch == NULL || core_nccl_watch_free(watch);
}

/* Waits until no other thread uses the handle. If `abort` is set, also tells
 * the CPU device's library to end the calls of those threads. With `abort` and
 * NVIDIA's library, returns at once: ncclCommAbort ends the calls, so the
 * caller must call it while they run. Returns -1 with an exception if a signal
 * handler raises one during the wait. */
static int
users_wait(struct core_communicator *self, bool abort)
{
    if (abort && nccl.pycuda_cpu_nccl_stop == NULL) {
        return 0;
    }
    while (self->active > 0) {
        if (abort) {
            nccl.pycuda_cpu_nccl_stop(self->handle);
        }
        PyThreadState *thread = core_gil_release();
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        core_gil_acquire(thread);
        if (PyErr_CheckSignals() < 0) {
            return -1;
        }
    }
    return 0;
}

/* Ends a communicator, without the GIL. Returns at once if another thread is
 * ending it or has ended it. Returns -1 with an exception if a signal handler
 * raises one during the wait for other threads; the communicator then remains
 * usable. */
static int
communicator_end(struct core_communicator *self, bool abort,
                 ncclResult_t *result)
{
    struct core_scope scope;
    *result = ncclSuccess;
    if (self->handle == NULL || self->ending) {
        return 0;
    }
    if (core.forked) {
        self->handle = NULL;
        return 0;
    }
    self->ending = true;
    int waited = users_wait(self, abort);
    self->ending = false;
    if (waited < 0) {
        return -1;
    }
    ncclComm_t handle = self->handle;
    self->handle = NULL;
    if (!watch_end(self)) {
        return 0;
    }
    bool inside = core_enter(self->context, &scope);
    PyThreadState *thread = core_gil_release();
    *result =
        abort ? nccl.ncclCommAbort(handle) : nccl.ncclCommDestroy(handle);
    core_gil_acquire(thread);
    if (inside) {
        core_leave(&scope);
    }
    return 0;
}

static void
communicator_free(PyObject *capsule)
{
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    ncclResult_t result;
    communicator_end(self, true, &result); /* no call uses the handle */
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
        ncclResult_t result;
        communicator_end(self, true, &result);
        Py_DECREF((PyObject *)context);
        PyMem_Free(self);
    }
    return capsule;
}

struct core_communicator *
core_nccl_find(PyObject *capsule)
{
    struct core_communicator *self =
        PyCapsule_IsValid(capsule, COMMUNICATOR)
            ? PyCapsule_GetPointer(capsule, COMMUNICATOR)
            : NULL;
    return self == NULL || self->handle == NULL || self->ending ||
                   (self->watch != NULL &&
                    core_nccl_watch_failure(self->watch) != NULL)
               ? NULL
               : self;
}

struct core_communicator *
core_nccl_get(PyObject *capsule)
{
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    if (self == NULL) {
        return NULL;
    }
    if (self->handle == NULL || self->ending) {
        PyErr_SetString(core.logic_error,
                        "the communicator was destroyed or aborted");
        return NULL;
    }
    if (self->watch != NULL && core_nccl_watch_failure(self->watch) != NULL) {
        core_nccl_watch_raise(self->watch);
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

/* Returns the current context if it is the primary context of its device.
 * Otherwise returns NULL with an exception, since NCCL works in primary
 * contexts only. */
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

/* _nccl_init(size, rank, id, seconds): joins a communicator in the current
 * context. */
static PyObject *
nccl_init(PyObject *module, PyObject *args)
{
    (void)module;
    const char *bytes;
    Py_ssize_t length;
    ncclUniqueId id;
    int size, rank;
    double seconds;
    if (!PyArg_ParseTuple(args, "iiy#d:_nccl_init", &size, &rank, &bytes,
                          &length, &seconds)) {
        return NULL;
    }
    if (length != sizeof id.internal) {
        PyErr_Format(PyExc_ValueError, "an id of NCCL has %d bytes, not %zd",
                     (int)sizeof id.internal, length);
        return NULL;
    }
    if (core_nccl_in_group()) {
        /* Refused, since NCCL creates the communicator only at the end of the
         * group: calls inside the group could not use it. */
        PyErr_SetString(core.logic_error,
                        "a communicator cannot be made inside a group; "
                        "pycuda.nccl.init_all makes several ranks in one "
                        "process");
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
    PyObject *made = NULL;
    if (core_nccl_join(context, size, rank, &id, seconds, &handle) == 0) {
        made = communicator_new(handle, context);
    }
    Py_DECREF((PyObject *)context);
    return made;
}

/* _nccl_check_context(): raises an exception if NCCL cannot work in the
 * current context. */
static PyObject *
nccl_check_context(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    if (context_check() == NULL) {
        return NULL;
    }
    Py_RETURN_NONE;
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
    if (core_nccl_in_group()) {
        /* Refused, since NCCL creates the communicator only at the end of the
         * group: calls inside the group could not use it. */
        PyErr_SetString(core.logic_error,
                        "a communicator cannot be split inside a group");
        return NULL;
    }
    if (!api_nccl_has(&nccl.ncclCommSplit)) {
        PyErr_SetString(PyExc_NotImplementedError,
                        "this NCCL is older than 2.18 and cannot split");
        return NULL;
    }
    struct core_nccl_mark mark = {CORE_NCCL_SPLIT, -1, 0,
                                  PyThread_get_thread_ident(), ++self->calls};
    core_stack_claim();
    if (self->watch != NULL) {
        core_nccl_watch_begin(self->watch, &mark);
    }
    self->active++;
    PyThreadState *thread = core_gil_release();
    ncclResult_t result =
        nccl.ncclCommSplit(self->handle, color, key, &made, NULL);
    core_gil_acquire(thread);
    self->active--;
    if (self->watch != NULL) {
        core_nccl_watch_end(self->watch, &mark, NULL, false);
        if (core_nccl_watch_failure(self->watch) != NULL) {
            core_nccl_watch_raise(self->watch);
            return NULL;
        }
    }
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
    ncclResult_t result;
    if (!PyArg_ParseTuple(args, "Op:_nccl_end", &capsule, &abort)) {
        return NULL;
    }
    struct core_communicator *self =
        PyCapsule_GetPointer(capsule, COMMUNICATOR);
    if (self == NULL) {
        return NULL;
    }
    if (self->watch != NULL && !abort &&
        core_nccl_watch_failure(self->watch) == NULL &&
        !core_nccl_watch_wait(self->watch)) {
        core_nccl_watch_raise(self->watch);
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        communicator_end(self, true, &result);
        PyErr_Restore(type, value, traceback);
        return NULL;
    }
    if (communicator_end(self, abort, &result) < 0 ||
        core_nccl_check(result, NULL,
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
    const char *failure =
        self->watch == NULL ? NULL : core_nccl_watch_failure(self->watch);
    if (failure != NULL) {
        return PyUnicode_FromString(failure);
    }
    if (self->handle == NULL ||
        nccl.ncclCommGetAsyncError(self->handle, &error) != ncclSuccess ||
        error == ncclSuccess || error == ncclInProgress) {
        Py_RETURN_NONE;
    }
    return PyUnicode_FromFormat("%s - %s", nccl.ncclGetErrorString(error),
                                core_nccl_last_text(self->handle));
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

/* _nccl_limit(communicator, seconds, observe): limits the time of the
 * communicator's calls. For the NCCL library of the CPU device, sets the time
 * limit of that library. For any other library, or if `observe` is true, the
 * monitor (nccl_watch.c) observes the calls. */
static PyObject *
nccl_limit(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    double seconds;
    int observe;
    if (!PyArg_ParseTuple(args, "Odp:_nccl_limit", &capsule, &seconds,
                          &observe)) {
        return NULL;
    }
    struct core_communicator *self = core_nccl_get(capsule);
    if (self == NULL) {
        return NULL;
    }
    if (nccl.pycuda_cpu_nccl_limit != NULL && !observe) {
        nccl.pycuda_cpu_nccl_limit(self->handle, seconds);
    } else if (self->watch == NULL) {
        struct core_nccl_place place = {self->size, self->rank,
                                        (int)self->context->device};
        self->watch = core_nccl_watch_new(self->handle, self->context->handle,
                                          place, seconds);
        if (self->watch == NULL) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
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
     "_nccl_init(size, rank, id, seconds, /)\n--\n\n"
     "Join a communicator in the current context, and wait for the other "
     "ranks."},
    {"_nccl_check_context", nccl_check_context, METH_NOARGS,
     "_nccl_check_context()\n--\n\n"
     "Raise an exception if NCCL cannot work in the current context."},
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
     "_nccl_limit(communicator, seconds, observe, /)\n--\n\n"
     "Set the library's time limit; observe the calls if it has none, or if "
     "`observe` is true."},
    {NULL},
};

int
core_nccl_setup(PyObject *module)
{
    return core_add_functions(module, functions) < 0 ||
                   core_add_functions(module, core_nccl_watch_functions) < 0 ||
                   core_add_functions(module, core_nccl_calls) < 0 ||
                   core_nccl_group_setup(module) < 0
               ? -1
               : 0;
}
