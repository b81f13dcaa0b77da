/* stream.c - Stream: an in-order queue of a context.
 *
 * The context lists its live streams for the pool, which tells apart streams
 * that the legacy default stream orders from those that nothing orders.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

int
core_stream(PyObject *object, CUstream *stream)
{
    if (object == NULL || object == Py_None) {
        *stream = NULL;
        return 0;
    }
    if (!PyObject_TypeCheck(object, core.stream_type)) {
        PyErr_Format(PyExc_TypeError,
                     "stream must be a pycuda.driver.Stream or None, not %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *stream = ((struct core_stream_object *)object)->handle;
    return 0;
}

static PyObject *
stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *flags_object = NULL;
    unsigned flags = 0;
    static char *keywords[] = {"flags", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Stream", keywords,
                                     &flags_object) ||
        (flags_object != NULL && core_unsigned(flags_object, &flags) < 0)) {
        return NULL;
    }
    struct core_context *context = core_current();
    if (context == NULL) {
        return NULL;
    }
    CUstream handle;
    if (core_check(driver.cuStreamCreate(&handle, flags), "cuStreamCreate") <
        0) {
        return NULL;
    }
    struct core_stream_object *self =
        (struct core_stream_object *)core_object_new(type, context);
    if (self == NULL ||
        core_context_add_stream(context, handle,
                                !(flags & CU_STREAM_NON_BLOCKING)) < 0) {
        driver.cuStreamDestroy(handle);
        Py_XDECREF((PyObject *)self);
        return NULL;
    }
    self->handle = handle;
    return (PyObject *)self;
}

static void
stream_dealloc(PyObject *op)
{
    struct core_stream_object *self = (struct core_stream_object *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        CUstream handle = self->handle;
        bool wait = self->context->pool != NULL;
        Py_BEGIN_ALLOW_THREADS if (wait)
        {
            /* The pool may hold blocks last used here; done is done. */
            driver.cuStreamSynchronize(handle);
        }
        Py_END_ALLOW_THREADS core_pool_stream_gone(self->context, handle);
        core_context_drop_stream(self->context, handle);
        driver.cuStreamDestroy(handle);
        core_leave(&scope);
    }
    core_object_end_dealloc(op);
}

static PyObject *
stream_synchronize(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUstream handle = ((struct core_stream_object *)op)->handle;
    CUresult code;
    Py_BEGIN_ALLOW_THREADS code = driver.cuStreamSynchronize(handle);
    Py_END_ALLOW_THREADS if (core_check(code, "cuStreamSynchronize") < 0)
    {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
stream_is_done(PyObject *op, PyObject *unused)
{
    (void)unused;
    CUresult code =
        driver.cuStreamQuery(((struct core_stream_object *)op)->handle);
    if (code == CUDA_ERROR_NOT_READY) {
        Py_RETURN_FALSE;
    }
    if (core_check(code, "cuStreamQuery") < 0) {
        return NULL;
    }
    Py_RETURN_TRUE;
}

static PyObject *
stream_wait_for_event(PyObject *op, PyObject *event)
{
    if (!PyObject_TypeCheck(event, core.event_type)) {
        PyErr_Format(PyExc_TypeError, "expected an Event, got %s",
                     Py_TYPE(event)->tp_name);
        return NULL;
    }
    if (core_check(
            driver.cuStreamWaitEvent(((struct core_stream_object *)op)->handle,
                                     ((struct core_event *)event)->handle, 0),
            "cuStreamWaitEvent") < 0) {
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

static PyMethodDef stream_methods[] = {
    {"synchronize", stream_synchronize, METH_NOARGS,
     "Wait for everything issued on the stream."},
    {"is_done", stream_is_done, METH_NOARGS, NULL},
    {"wait_for_event", stream_wait_for_event, METH_O,
     "Make later work wait for the event."},
    {NULL},
};

static PyGetSetDef stream_getset[] = {
    {"handle", stream_handle, NULL, "CUstream as an int", NULL},
    {NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, "Stream(flags=0): an in-order queue of the current context."},
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
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

int
core_stream_setup(PyObject *module)
{
    return core_add_type(module, &core.stream_type, &stream_spec, NULL);
}
