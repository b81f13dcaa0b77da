/* event.c - the type Event, which marks a position in a stream.
 *
 * All functions need the GIL; waits release it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/pending_copies.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/stream.h"

static CUevent
handle_of(PyObject *self)
{
    return ((struct core_event *)self)->handle;
}

/* Raises LogicError and returns -1 if the event's context was detached. */
static int
event_check(PyObject *self, const char *routine)
{
    return ((struct core_event *)self)->context->valid
               ? 0
               : core_context_fail_detached(routine);
}

/* Returns an Event that owns the native event; destroys the event on
 * failure. */
static PyObject *
event_wrap(PyTypeObject *type, struct core_context *context, CUevent handle)
{
    struct core_event *self =
        (struct core_event *)core_object_new(type, context);
    if (self == NULL) {
        driver.cuEventDestroy(handle);
        return NULL;
    }
    self->handle = handle;
    return (PyObject *)self;
}

static int event_init(PyObject *op, PyObject *args, PyObject *kwargs);

static PyObject *
event_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    unsigned flags = 0;
    if (!core_init_reads(type, event_new, event_init) &&
        core_flags_read(args, kwargs, "|O:Event", &flags) < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    CUevent handle;
    if (context == NULL || core_check(driver.cuEventCreate(&handle, flags),
                                      "cuEventCreate") < 0) {
        return NULL;
    }
    return event_wrap(type, context, handle);
}

/* Destroys the native event, unless its context was detached. */
static void
event_end(struct core_event *self)
{
    struct core_scope scope;
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        driver.cuEventDestroy(self->handle);
        core_leave(&scope);
    }
}

/* Replaces the native event if a subclass's __init__ passes flags, which
 * event_new has not read. */
static int
event_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct core_event *self = (struct core_event *)op;
    unsigned flags = 0;
    CUevent handle;
    if (!core_init_reads(Py_TYPE(op), event_new, event_init)) {
        return 0;
    }
    if (core_flags_read(args, kwargs, "|O:Event", &flags) < 0 || flags == 0) {
        return PyErr_Occurred() ? -1 : 0;
    }
    struct core_context *context = core_current();
    if (context == NULL || core_check(driver.cuEventCreate(&handle, flags),
                                      "cuEventCreate") < 0) {
        return -1;
    }
    event_end(self);
    self->handle = handle;
    Py_XSETREF(self->context,
               (struct core_context *)Py_NewRef((PyObject *)context));
    return 0;
}

static void
event_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    event_end((struct core_event *)op);
    core_object_end_dealloc(op);
}

static PyObject *
event_record(PyObject *self, CORE_ARGS)
{
    static const struct core_signature signature = {"record", 0, {"stream"}};
    PyObject *values[1];
    CUstream stream;
    /* NULL is the default stream of CUDA's current context, so make the
     * thread's context current in CUDA. */
    core_stack_claim();
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_stream(values[0], &stream) < 0 ||
        event_check(self, "cuEventRecord") < 0 ||
        core_check(driver.cuEventRecord(handle_of(self), stream),
                   "cuEventRecord") < 0) {
        return NULL;
    }
    return Py_NewRef(self);
}

/* Method synchronize: waits without the GIL, then drops the references that
 * completed copies hold. */
static PyObject *
event_synchronize(PyObject *self, PyObject *unused)
{
    (void)unused;
    CUevent handle = handle_of(self);
    CUresult code;
    if (event_check(self, "cuEventSynchronize") < 0) {
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    code = driver.cuEventSynchronize(handle);
    core_gil_acquire(thread);
    if (core_check(code, "cuEventSynchronize") < 0) {
        return NULL;
    }
    core_pending_copies_poll(((struct core_object *)self)->context);
    return Py_NewRef(self);
}

static PyObject *
event_query(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (event_check(self, "cuEventQuery") < 0) {
        return NULL;
    }
    CUresult code = driver.cuEventQuery(handle_of(self));
    if (code == CUDA_ERROR_NOT_READY) {
        Py_RETURN_FALSE;
    }
    if (core_check(code, "cuEventQuery") < 0) {
        return NULL;
    }
    if (core.checked) {
        driver.cuEventSynchronize(handle_of(self)); /* api_private_queries */
    }
    core_pending_copies_poll(((struct core_object *)self)->context);
    Py_RETURN_TRUE;
}

/* Raises the exception of an error of cuEventElapsedTime, with advice for the
 * two common errors. */
static int
elapsed_check(CUresult code)
{
    const char *detail =
        code == CUDA_ERROR_INVALID_HANDLE
            ? "both events must be recorded, and made without "
              "DISABLE_TIMING"
        : code == CUDA_ERROR_NOT_READY
            ? "the device has not reached both events: call synchronize() "
              "first"
            : NULL;
    return detail == NULL ? core_check(code, "cuEventElapsedTime")
                          : core_fail(code, "cuEventElapsedTime", detail);
}

/* Returns the milliseconds between two events. `given` is the event, start or
 * end, that the Python method received as its argument. Raises TypeError if
 * `given` is not an Event. */
static PyObject *
event_elapsed(PyObject *start, PyObject *end, PyObject *given)
{
    float milliseconds;
    if (!PyObject_TypeCheck(given, core.event_type)) {
        PyErr_Format(PyExc_TypeError, "expected an Event, got %s",
                     Py_TYPE(given)->tp_name);
        return NULL;
    }
    if (event_check(start, "cuEventElapsedTime") < 0 ||
        event_check(end, "cuEventElapsedTime") < 0 ||
        elapsed_check(driver.cuEventElapsedTime(
            &milliseconds, handle_of(start), handle_of(end))) < 0) {
        return NULL;
    }
    return PyFloat_FromDouble(milliseconds);
}

static PyObject *
event_time_since(PyObject *self, PyObject *start)
{
    return event_elapsed(start, self, start);
}

static PyObject *
event_time_till(PyObject *self, PyObject *end)
{
    return event_elapsed(self, end, end);
}

/* Method elapsed: waits for both events, then returns the milliseconds since
 * `start`. */
static PyObject *
event_elapsed_since(PyObject *self, PyObject *start)
{
    if (!PyObject_TypeCheck(start, core.event_type)) {
        /* event_elapsed raises TypeError, since `start` is not an Event */
        return event_elapsed(start, self, start);
    }
    CUevent first = handle_of(start), last = handle_of(self);
    CUresult code;
    if (event_check(start, "cuEventSynchronize") < 0 ||
        event_check(self, "cuEventSynchronize") < 0) {
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    code = driver.cuEventSynchronize(first);
    if (code == CUDA_SUCCESS) {
        code = driver.cuEventSynchronize(last);
    }
    core_gil_acquire(thread);
    if (core_check(code, "cuEventSynchronize") < 0) {
        return NULL;
    }
    return event_elapsed(start, self, start);
}

static PyObject *
event_get_handle(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(handle_of(self));
}

static PyObject *
event_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

/* __exit__: waits for the event, unless the with statement ends by an
 * exception. */
static PyObject *
event_exit(PyObject *self, CORE_ARGS)
{
    (void)names;
    if (nargs > 0 && args[0] != Py_None) {
        Py_RETURN_NONE;
    }
    PyObject *same = event_synchronize(self, NULL);
    if (same == NULL) {
        return NULL;
    }
    Py_DECREF(same);
    Py_RETURN_NONE;
}

/* Returns a handle of 64 bytes by which other processes can open the event. */
static PyObject *
event_ipc_handle(PyObject *self, PyObject *unused)
{
    (void)unused;
    CUipcEventHandle handle;
    if (event_check(self, "cuIpcGetEventHandle") < 0 ||
        core_check(driver.cuIpcGetEventHandle(&handle, handle_of(self)),
                   "cuIpcGetEventHandle") < 0) {
        return NULL;
    }
    return PyByteArray_FromStringAndSize((const char *)&handle, sizeof handle);
}

static PyObject *
event_from_ipc_handle(PyObject *unused, PyObject *bytes)
{
    (void)unused;
    CUipcEventHandle handle;
    CUevent event;
    if (core_ipc_handle(bytes, &handle, "event_from_ipc_handle",
                        "an event handle has 64 bytes") < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL ||
        core_check(driver.cuIpcOpenEventHandle(&event, handle),
                   "cuIpcOpenEventHandle") < 0) {
        return NULL;
    }
    return event_wrap(core.event_type, context, event);
}

static PyMethodDef event_methods[] = {
    {"record", CORE_METHOD(event_record),
     "Record the event in a stream; "
     "return self."},
    {"synchronize", event_synchronize, METH_NOARGS,
     "Wait until the event is reached; return self."},
    {"query", event_query, METH_NOARGS,
     "Return whether the event was "
     "reached."},
    {"time_since", event_time_since, METH_O,
     "Return the milliseconds since the event `start`, a float. Raises "
     "LogicError if an event was not recorded or reached, or records no "
     "time."},
    {"time_till", event_time_till, METH_O,
     "Return the milliseconds until the event `end`, a float. Raises "
     "LogicError as time_since does."},
    {"elapsed", event_elapsed_since, METH_O,
     "Wait for both events; return the milliseconds since `start`."},
    {"__enter__", event_enter, METH_NOARGS, NULL},
    {"__exit__", CORE_METHOD(event_exit), "Wait for the event."},
    {"ipc_handle", event_ipc_handle, METH_NOARGS,
     "Return a bytearray of 64 bytes that identifies the event in other "
     "processes; requires the flags INTERPROCESS and DISABLE_TIMING."},
    {"from_ipc_handle", event_from_ipc_handle, METH_O | METH_STATIC,
     "from_ipc_handle(handle, /): return an event of another process."},
    {NULL},
};

static PyGetSetDef event_getset[] = {
    {"handle", event_get_handle, NULL, "CUevent as an int", NULL},
    {NULL},
};

static PyType_Slot event_slots[] = {
    {Py_tp_doc, "Event(flags=0): a point in a stream."},
    {Py_tp_new, event_new},
    {Py_tp_init, event_init},
    {Py_tp_dealloc, event_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, event_methods},
    {Py_tp_getset, event_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec event_spec = {
    .name = "pycuda._driver.Event",
    .basicsize = sizeof(struct core_event),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = event_slots,
};

int
core_event_setup(PyObject *module)
{
    return core_add_type(module, &core.event_type, &event_spec, NULL);
}
