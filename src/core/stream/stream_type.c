/* stream_type.c - the type Stream, an in-order queue of work of a context.
 *
 * A context has a list of its existing streams. The memory pool reads from
 * this list which streams synchronize with the legacy default stream. All
 * functions need the GIL; waits release it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/context/stream_list.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/memory/default_pool.h"
#include "core/memory/pending_copies.h"
#include "core/memory/scratch.h"
#include "core/python/args.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/callback.h"
#include "core/stream/capture.h"
#include "core/stream/current_stream.h"
#include "core/stream/foreign_stream.h"
#include "core/stream/stream.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

/* Arguments of the constructor Stream(flags=0, priority=0). */
struct request {
    unsigned flags;
    int priority;
};

static int
request_read(PyObject *args, PyObject *kwargs, struct request *request)
{
    PyObject *flags = NULL, *priority = NULL;
    static char *keywords[] = {"flags", "priority", NULL};
    *request = (struct request){0};
    return !PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:Stream", keywords,
                                        &flags, &priority) ||
                   (flags != NULL &&
                    core_unsigned(flags, &request->flags) < 0) ||
                   (priority != NULL &&
                    core_int(priority, &request->priority) < 0)
               ? -1
               : 0;
}

/* Creates a native stream with the requested flags and priority, and adds it
 * to the context's list. */
static int
request_make(const struct request *request, struct core_context *context,
             CUstream *handle)
{
    if (core_check(driver.cuStreamCreateWithPriority(handle, request->flags,
                                                     request->priority),
                   "cuStreamCreate") < 0) {
        return -1;
    }
    if (core_context_add_stream(context, *handle,
                                !(request->flags & CU_STREAM_NON_BLOCKING)) <
        0) {
        driver.cuStreamDestroy(*handle);
        return -1;
    }
    return 0;
}

static int stream_init(PyObject *op, PyObject *args, PyObject *kwargs);

/* Creates a Stream of the current context. If a subclass has its own __init__,
 * the stream gets default arguments here, and stream_init reads the real
 * ones. */
static PyObject *
stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    struct request request = {0};
    if (!core_init_reads(type, stream_new, stream_init) &&
        request_read(args, kwargs, &request) < 0) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    struct core_stream_object *self =
        (struct core_stream_object *)core_object_new(type, context);
    if (self != NULL && request_make(&request, context, &self->handle) < 0) {
        self->handle = NULL;
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* Destroys the native stream, after removing it from its context. First waits
 * for the stream if the memory pool may reuse its blocks or if a copy is
 * pending. */
static void
stream_end(struct core_stream_object *self)
{
    struct core_scope scope;
    if (self->handle != NULL && !self->foreign &&
        core_enter(self->context, &scope)) {
        CUstream handle = self->handle;
        bool wait = (self->context->pool != NULL &&
                     core_pool_rule_is_on(RULE_ENDING_STREAMS)) ||
                    self->context->pending_copy_count > 0;
        PyThreadState *thread = core_gil_release();
        if (wait) {
            /* After this wait, the pool's blocks that the stream used are
             * idle. */
            driver.cuStreamSynchronize(handle);
        }
        core_gil_acquire(thread);
        core_scratch_stream_ended(self->context, handle);
        core_pool_stream_ended(self->context, handle);
        core_pending_copies_drop_stream(self->context, handle);
        core_throttles_stream_ended(self->context, handle);
        core_context_drop_stream(self->context, handle);
        driver.cuStreamDestroy(handle);
        core_leave(&scope);
    }
}

/* Replaces the native stream if a subclass's __init__ passes arguments, which
 * stream_new has not read. */
static int
stream_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct core_stream_object *self = (struct core_stream_object *)op;
    struct request request;
    CUstream handle;
    if (!core_init_reads(Py_TYPE(op), stream_new, stream_init)) {
        return 0;
    }
    if (request_read(args, kwargs, &request) < 0) {
        return -1;
    }
    if (request.flags == 0 && request.priority == 0) {
        return 0;
    }
    struct core_context *context = core_current();
    if (context == NULL || request_make(&request, context, &handle) < 0) {
        return -1;
    }
    stream_end(self);
    self->handle = handle;
    self->foreign = false;
    Py_XSETREF(self->context,
               (struct core_context *)Py_NewRef((PyObject *)context));
    return 0;
}

static void
stream_dealloc(PyObject *op)
{
    core_object_begin_dealloc(op);
    stream_end((struct core_stream_object *)op);
    Py_CLEAR(((struct core_stream_object *)op)->source);
    core_object_end_dealloc(op);
}

static int
stream_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct core_stream_object *)op)->source);
    return core_object_traverse(op, visit, arg);
}

static int
stream_clear(PyObject *op)
{
    Py_CLEAR(((struct core_stream_object *)op)->source);
    return core_object_clear(op);
}

/* Stores the native stream of a Stream. */
static inline int
own_handle(PyObject *op, CUstream *handle)
{
    struct core_stream_object *self = (struct core_stream_object *)op;
    *handle = self->handle;
    return LIKELY(self->context->valid) ? 0
                                        : core_context_fail_detached("stream");
}

/* Method synchronize: waits without the GIL, then drops the references that
 * completed copies hold. */
static PyObject *
stream_synchronize(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUstream handle;
    CUresult code;
    if (own_handle(op, &handle) < 0) {
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    code = driver.cuStreamSynchronize(handle);
    core_gil_acquire(thread);
    if (core_check(code, "cuStreamSynchronize") < 0) {
        return NULL;
    }
    core_pending_copies_poll(((struct core_object *)op)->context);
    Py_RETURN_NONE;
}

static PyObject *
stream_is_done(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUstream handle;
    if (own_handle(op, &handle) < 0) {
        return NULL;
    }
    CUresult code = driver.cuStreamQuery(handle);
    if (code == CUDA_ERROR_NOT_READY) {
        Py_RETURN_FALSE;
    }
    if (core_check(code, "cuStreamQuery") < 0) {
        return NULL;
    }
    if (core.checked) {
        driver.cuStreamSynchronize(handle); /* api_private_queries */
    }
    core_pending_copies_poll(((struct core_object *)op)->context);
    Py_RETURN_TRUE;
}

/* Makes later work of the stream wait for the event. If the event was recorded
 * in a capture, the stream joins that capture. */
static PyObject *
stream_wait_for_event(PyObject *op, PyObject *event)
{
    if (!PyObject_TypeCheck(event, core.event_type)) {
        PyErr_Format(PyExc_TypeError, "expected an Event, got %s",
                     Py_TYPE(event)->tp_name);
        return NULL;
    }
    struct core_event *waited = (struct core_event *)event;
    CUstream handle;
    if (own_handle(op, &handle) < 0 ||
        (!waited->context->valid &&
         core_context_fail_detached("cuStreamWaitEvent") < 0) ||
        core_check(driver.cuStreamWaitEvent(handle, waited->handle, 0),
                   "cuStreamWaitEvent") < 0 ||
        core_capture_join(waited->context,
                          ((struct core_stream_object *)op)->context,
                          handle) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
stream_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct core_stream_object *)op)->handle);
}

static PyObject *
stream_flags(PyObject *op, void *unused)
{
    (void)unused;
    unsigned flags;
    CUstream stream;
    if (own_handle(op, &stream) < 0 ||
        core_check(driver.cuStreamGetFlags(stream, &flags),
                   "cuStreamGetFlags") < 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLong(flags);
}

static PyObject *
stream_priority(PyObject *op, void *unused)
{
    (void)unused;
    int priority;
    CUstream stream;
    if (own_handle(op, &stream) < 0 ||
        core_check(driver.cuStreamGetPriority(stream, &priority),
                   "cuStreamGetPriority") < 0) {
        return NULL;
    }
    return PyLong_FromLong(priority);
}

/* Returns whether `address` is readable memory. cuStreamGetFlags reads the
 * memory of a stream handle without a check, and a user's number may be no
 * valid address. Returns true if the system cannot tell. */
static bool
may_read_address(size_t address)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)address, 1};

    return address <= (size_t)CU_STREAM_PER_THREAD ||
           process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 ||
           errno != EFAULT;
}

/* Returns a Stream for another library's native stream. It keeps `source`
 * (NULL: nothing) alive, and never destroys the native stream. Raises
 * LogicError if the driver does not know the stream. */
static PyObject *
stream_wrap(PyTypeObject *type, CUstream handle, PyObject *source)
{
    unsigned flags;
    struct core_context *context = core_current();
    if (context == NULL ||
        core_check(may_read_address((uintptr_t)handle)
                       ? driver.cuStreamGetFlags(handle, &flags)
                       : CUDA_ERROR_INVALID_HANDLE,
                   "cuStreamGetFlags") < 0) {
        return NULL;
    }
    struct core_stream_object *self =
        (struct core_stream_object *)core_object_new(type, context);
    if (self != NULL) {
        self->handle = handle;
        self->foreign = true;
        self->source = Py_XNewRef(source);
    }
    return (PyObject *)self;
}

/* Returns a Stream for another library's stream, given as a number or as an
 * object, which the Stream then keeps alive. The caller must keep the native
 * stream of a number alive while the Stream is used. */
static PyObject *
stream_from_handle(PyObject *type, PyObject *object)
{
    size_t value;
    CUstream handle;
    int found =
        PyLong_Check(object) ? 0 : core_stream_foreign(object, &handle);
    if (found < 0 || (found == 0 && core_size(object, &value) < 0)) {
        return NULL;
    }
    return stream_wrap((PyTypeObject *)type,
                       found == 0       ? (CUstream)value
                       : handle == NULL ? CU_STREAM_LEGACY
                                        : handle,
                       found == 0 ? NULL : object);
}

/* Method __cuda_stream__: the protocol by which other libraries read the
 * handle. */
static PyObject *
stream_protocol(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUstream handle;
    if (own_handle(op, &handle) < 0) {
        return NULL;
    }
    return Py_BuildValue("(iN)", 0, PyLong_FromVoidPtr(handle));
}

static PyObject *
stream_enter(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUstream handle;
    if (own_handle(op, &handle) < 0 ||
        core_stream_push((struct core_stream_object *)op) < 0) {
        return NULL;
    }
    return Py_NewRef(op);
}

/* __exit__: leaves the stream and waits for it, unless an exception ended the
 * with statement or the stream captures. */
static PyObject *
stream_exit(PyObject *op, CORE_ARGS)
{
    (void)names;
    struct core_stream_object *self = (struct core_stream_object *)op;
    if (core_stream_pop(self) < 0) {
        return NULL;
    }
    if ((nargs > 0 && args[0] != Py_None) ||
        (self->context->valid && core_stream_captures(self->handle))) {
        Py_RETURN_NONE;
    }
    return stream_synchronize(op, NULL);
}

static PyMethodDef stream_methods[] = {
    {"synchronize", stream_synchronize, METH_NOARGS,
     "Wait for all work on the stream. Raises the error of a kernel "
     "that has failed."},
    {"is_done", stream_is_done, METH_NOARGS,
     "Return whether all work on the stream is done, without waiting."},
    {"wait_for_event", stream_wait_for_event, METH_O,
     "Make later work on the stream wait for the event, without waiting "
     "on the host."},
    {"from_handle", stream_from_handle, METH_O | METH_CLASS,
     "Return a Stream for a CUstream that another library owns: its number, "
     "or an object with __cuda_stream__."},
    {"__cuda_stream__", stream_protocol, METH_NOARGS,
     "Return (0, handle), as the protocol of other libraries requires."},
    {"capture", CORE_METHOD(core_stream_capture),
     "capture(mode=\"relaxed\"): in a with statement, add work to a Graph "
     "instead of running it."},
    {"add_callback", CORE_METHOD(core_stream_add_callback),
     "add_callback(function, *args): call the function in a Python thread "
     "when the stream reaches this point."},
    {"launch_host_function", CORE_METHOD(core_stream_add_callback),
     "Call function(*args) in a Python thread when the stream reaches "
     "this point, as add_callback does."},
    {"use", core_stream_entered_use, METH_NOARGS,
     "use($self)\n--\n\n"
     "Return a context manager: within the block, calls without stream= "
     "use this stream. Leaving the block does not wait."},
    {"__enter__", stream_enter, METH_NOARGS,
     "Calls of this thread without stream= use this stream from now on."},
    {"__exit__", CORE_METHOD(stream_exit), "Wait for the stream."},
    {NULL},
};

static PyGetSetDef stream_getset[] = {
    {"handle", stream_handle, NULL, "CUstream as an int", NULL},
    {"flags", stream_flags, NULL, "as given to Stream()", NULL},
    {"priority", stream_priority, NULL, "lower numbers go first", NULL},
    {"is_capturing", core_stream_is_capturing, NULL,
     "whether the stream is being captured", NULL},
    {NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc,
     "Stream(flags=0, priority=0): an in-order queue of the current "
     "context."},
    {Py_tp_new, stream_new},
    {Py_tp_init, stream_init},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_traverse, stream_traverse},
    {Py_tp_clear, stream_clear},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec stream_spec = {
    .name = "pycuda._driver.Stream",
    .basicsize = sizeof(struct core_stream_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = stream_slots,
};

/* Returns a Stream for a stream= argument: the object itself, None, or a new
 * Stream that keeps another library's stream object alive. */
static PyObject *
as_stream(PyObject *module, PyObject *object)
{
    (void)module;
    if (object == Py_None || PyObject_TypeCheck(object, core.stream_type)) {
        return Py_NewRef(object);
    }
    CUstream handle;
    if (core_stream(object, &handle) < 0) {
        return NULL;
    }
    return stream_wrap(core.stream_type,
                       handle == NULL ? CU_STREAM_LEGACY : handle, object);
}

static PyMethodDef functions[] = {
    {"_as_stream", as_stream, METH_O,
     "The Stream of a stream= argument, which may be another library's."},
    {NULL},
};

int
core_stream_setup(PyObject *module)
{
    return core_add_type(module, &core.stream_type, &stream_spec, NULL) < 0
               ? -1
               : core_add_functions(module, functions);
}
