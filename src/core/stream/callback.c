/* callback.c - Stream.add_callback: Python callables in stream order.
 *
 * The driver's thread runs `reached`, which puts a record on a list and wakes
 * a thread of Python's; that one (pycuda._callbacks) calls the function.  No
 * driver thread ever waits for the GIL, and the stream does not wait for the
 * function.
 *
 * `queue_lock` guards the list; it is never held while Python runs.  A record
 * counts who needs it: the stream or the graph, and each time it is reached.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

#include <pthread.h>
#include <stdatomic.h>

/* An entry of the queue. */
struct reached {
    struct callback *callback;
    struct reached *next;
};

struct callback {
    PyObject *call; /* (function, arguments); strong */
    atomic_uint uses;
    bool repeats;       /* in a graph: reached at each launch */
    struct reached own; /* its entry when no other one can be allocated */
    unsigned own_times; /* how often `own` counts; queue_lock guards it */
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static struct reached *queue_first, **queue_end = &queue_first;

/* Under queue_lock. */
static void
queue_add(struct reached *reached)
{
    *queue_end = reached;
    queue_end = &reached->next;
}

/* Takes the first entry's callback; under queue_lock.  The callback's own
 * entry stays until it has been taken as often as it counts. */
static struct callback *
queue_take(void)
{
    struct reached *reached = queue_first;
    struct callback *callback = reached->callback;
    bool is_own = reached == &callback->own;
    if (is_own && --callback->own_times > 0) {
        return callback;
    }
    queue_first = reached->next;
    if (queue_first == NULL) {
        queue_end = &queue_first;
    }
    if (!is_own) {
        free(reached);
    }
    return callback;
}

/* On a thread of the driver's, without the GIL.  No callback is lost where
 * there is no memory. */
static void CUDA_CB
callback_reached(void *data)
{
    struct callback *callback = data;
    struct reached *reached =
        callback->repeats ? malloc(sizeof *reached) : NULL;
    if (callback->repeats) {
        atomic_fetch_add(&callback->uses, 1);
    }
    pthread_mutex_lock(&queue_lock);
    if (reached != NULL) {
        *reached = (struct reached){.callback = callback};
        queue_add(reached);
    } else if (callback->own_times++ == 0) {
        callback->own = (struct reached){.callback = callback};
        queue_add(&callback->own);
    }
    pthread_cond_signal(&queue_filled);
    pthread_mutex_unlock(&queue_lock);
}

static void
callback_drop(struct callback *callback)
{
    if (atomic_fetch_sub(&callback->uses, 1) == 1) {
        Py_DECREF(callback->call);
        PyMem_RawFree(callback);
    }
}

/* What a graph holds, and the garbage collector sees through. */
struct held {
    PyObject_HEAD
    struct callback *callback;
};

static int
held_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct callback *callback = ((struct held *)op)->callback;
    Py_VISIT(Py_TYPE(op));
    /* Else somebody waits to call it, too. */
    if (callback != NULL && atomic_load(&callback->uses) == 1) {
        Py_VISIT(callback->call);
    }
    return 0;
}

static void
held_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (((struct held *)op)->callback != NULL) {
        callback_drop(((struct held *)op)->callback);
    }
    type->tp_free(op);
    Py_DECREF(type);
}

/* The graph's list of what it holds is cleared: cycles end there. */
static PyType_Slot held_slots[] = {
    {Py_tp_doc, "What a graph holds of a callback."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, held_dealloc},
    {Py_tp_traverse, held_traverse},
    {0, NULL},
};

static PyType_Spec held_spec = {
    .name = "pycuda._driver._HeldCallback",
    .basicsize = sizeof(struct held),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = held_slots,
};

static int
thread_start(void)
{
    PyObject *module = PyImport_ImportModule("pycuda._callbacks");
    PyObject *result =
        module == NULL ? NULL : PyObject_CallMethod(module, "start", NULL);
    Py_XDECREF(module);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static struct callback *
callback_new(CORE_ARGS)
{
    if (names != NULL || nargs < 1 || !PyCallable_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError,
                        "add_callback(function, *args): the first argument "
                        "must be callable, and there are no keywords");
        return NULL;
    }
    PyObject *arguments = PyTuple_New(nargs - 1);
    struct callback *callback = PyMem_RawCalloc(1, sizeof *callback);
    if (arguments == NULL || callback == NULL) {
        PyMem_RawFree(callback);
        Py_XDECREF(arguments);
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 1; i < nargs; i++) {
        PyTuple_SET_ITEM(arguments, i - 1, Py_NewRef(args[i]));
    }
    callback->call = Py_BuildValue("(ON)", args[0], arguments);
    atomic_init(&callback->uses, 1);
    if (callback->call == NULL) {
        PyMem_RawFree(callback);
        return NULL;
    }
    return callback;
}

/* Hands the record to what captures hold. */
static int
callback_hold(struct core_context *context, struct callback *callback)
{
    callback->repeats = true;
    PyTypeObject *type = core.held_callback_type;
    struct held *held = (struct held *)type->tp_alloc(type, 0);
    if (held == NULL) {
        callback_drop(callback);
        return -1;
    }
    held->callback = callback;
    if (context->held == NULL) {
        return 0; /* somebody else's capture, and graph: kept for good */
    }
    int status = core_capture_hold(context, (PyObject *)held);
    Py_DECREF((PyObject *)held);
    return status;
}

PyObject *
core_stream_add_callback(PyObject *op, CORE_ARGS)
{
    struct core_stream_object *self = (struct core_stream_object *)op;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUstream stream;
    if (core_stream(op, &stream) < 0 || thread_start() < 0) {
        return NULL;
    }
    struct callback *callback = callback_new(args, nargs, names);
    if (callback == NULL) {
        return NULL;
    }
    driver.cuStreamIsCapturing(stream, &status);
    bool captured = status != CU_STREAM_CAPTURE_STATUS_NONE;
    if (captured && callback_hold(self->context, callback) < 0) {
        return NULL;
    }
    core_queue_add(self->context, stream);
    CUresult code;
    PyThreadState *thread = core_unlock();
    code = driver.cuLaunchHostFunc(stream, callback_reached, callback);
    core_lock(thread);
    if (core_check(code, "cuLaunchHostFunc") < 0) {
        if (!captured) {
            callback_drop(callback);
        }
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Waits for the next function that a stream has reached. */
static PyObject *
callback_next(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    PyThreadState *thread = PyEval_SaveThread();
    pthread_mutex_lock(&queue_lock);
    while (queue_first == NULL) {
        pthread_cond_wait(&queue_filled, &queue_lock);
    }
    struct callback *callback = queue_take();
    pthread_mutex_unlock(&queue_lock);
    core_take_gil(thread);
    PyObject *call = Py_NewRef(callback->call);
    callback_drop(callback);
    return call;
}

static PyMethodDef functions[] = {
    {"_callback_next", callback_next, METH_NOARGS,
     "The next (function, arguments) whose turn has come; waits for it."},
    {NULL},
};

int
core_callback_setup(PyObject *module)
{
    return core_add_type(module, &core.held_callback_type, &held_spec, NULL) <
                   0
               ? -1
               : PyModule_AddFunctions(module, functions);
}
