/* callback.c - Stream.add_callback, which calls Python functions in stream
 * order.
 *
 * When a stream reaches the callback, a driver thread runs `callback_reached`.
 * It adds an entry for the callback to a queue and wakes a Python thread
 * (pycuda._callbacks), which calls the function. A driver thread never waits
 * for the GIL, and the stream does not wait for the function.
 *
 * `queue_lock` protects the queue and is never held while Python code runs. A
 * callback record counts its uses: one for the stream or the graph that has
 * the callback, and one for each call that is in the queue.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/stream/callback.h"
#include "core/stream/open_captures.h"
#include "core/stream/stream.h"

#include <pthread.h>
#include <stdatomic.h>

/* Entry of the queue: a callback whose function is to be called. */
struct reached_callback {
    struct callback *callback;
    struct reached_callback *next;
};

struct callback {
    PyObject *call; /* strong reference: a tuple (function, arguments) */
    atomic_uint uses;
    /* true: the callback is in a graph, and is called at each launch of it.
     * Set when the record is complete, with release order: a driver thread
     * reads it first, with acquire order. */
    atomic_bool repeats;
    struct reached_callback
        /* queue entry that is used if no memory for a further entry is
         * available */
        own;
    unsigned own_times; /* number of calls that the entry `own` represents;
                           protected by queue_lock */
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static struct reached_callback *queue_first, **queue_end = &queue_first;

/* Appends an entry to the queue; the caller holds queue_lock. */
static void
queue_add(struct reached_callback *reached)
{
    *queue_end = reached;
    queue_end = &reached->next;
}

/* Takes one call from the queue and returns its callback; the caller holds
 * queue_lock. Removes the first entry, unless that is the callback's `own`
 * entry and represents further calls. */
static struct callback *
queue_take(void)
{
    struct reached_callback *reached = queue_first;
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

/* Called by a driver thread, without the GIL, when the stream reaches the
 * callback: adds a call to the queue. Without memory for an entry it uses the
 * callback's `own` entry, so that no call is lost. */
static void CUDA_CB
callback_reached(void *data)
{
    struct callback *callback = data;
    bool repeats =
        atomic_load_explicit(&callback->repeats, memory_order_acquire);
    struct reached_callback *reached =
        repeats ? malloc(sizeof *reached) : NULL;
    if (repeats) {
        atomic_fetch_add(&callback->uses, 1);
    }
    pthread_mutex_lock(&queue_lock);
    if (reached != NULL) {
        *reached = (struct reached_callback){.callback = callback};
        queue_add(reached);
    } else if (callback->own_times++ == 0) {
        callback->own = (struct reached_callback){.callback = callback};
        queue_add(&callback->own);
    }
    pthread_cond_signal(&queue_filled);
    pthread_mutex_unlock(&queue_lock);
}

/* Drops one use of the callback record; frees the record with the last use.
 * Needs the GIL. */
static void
callback_drop(struct callback *callback)
{
    if (atomic_fetch_sub(&callback->uses, 1) == 1) {
        Py_DECREF(callback->call);
        PyMem_RawFree(callback);
    }
}

/* Python object that holds one use of a callback for a graph, and shows the
 * callback's references to the garbage collector. */
struct held_callback {
    PyObject_HEAD
    struct callback *callback;
};

static int
held_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct callback *callback = ((struct held_callback *)op)->callback;
    Py_VISIT(Py_TYPE(op));
    /* If the callback has further uses, the queue refers to `call`, too, so
     * `call` is not garbage. */
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
    if (((struct held_callback *)op)->callback != NULL) {
        callback_drop(((struct held_callback *)op)->callback);
    }
    type->tp_free(op);
    Py_DECREF(type);
}

/* There is no tp_clear: a reference cycle is broken when the graph's list of
 * objects is cleared. */
static PyType_Slot held_slots[] = {
    {Py_tp_doc, "A graph's reference to a callback."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, held_dealloc},
    {Py_tp_traverse, held_traverse},
    {0, NULL},
};

static PyType_Spec held_spec = {
    .name = "pycuda._driver._HeldCallback",
    .basicsize = sizeof(struct held_callback),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = held_slots,
};

/* Starts the Python thread that calls the functions, if it is not running. */
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

/* Creates a callback record, with one use, from (function, *args). */
static struct callback *
callback_new(CORE_ARGS)
{
    if (names != NULL || nargs < 1 || !PyCallable_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError,
                        "add_callback(function, *args): the first argument "
                        "must be callable; keyword arguments are not "
                        "supported");
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

/* Passes ownership of the callback to the graphs of the context's open
 * captures. On failure drops the callback. */
static int
callback_retain(struct core_context *context, struct callback *callback)
{
    PyTypeObject *type = core.held_callback_type;
    struct held_callback *held =
        (struct held_callback *)type->tp_alloc(type, 0);
    if (held == NULL) {
        callback_drop(callback);
        return -1;
    }
    held->callback = callback;
    if (context->held == NULL) {
        /* Another library captures the stream, and the end of its graph is not
         * known here, so the callback is never freed. */
        return 0;
    }
    int status = core_capture_retain(context, (PyObject *)held);
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
    if (captured && callback_retain(self->context, callback) < 0) {
        return NULL;
    }
    atomic_store_explicit(&callback->repeats, captured, memory_order_release);
    core_throttle_add(self->context, stream);
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuLaunchHostFunc(stream, callback_reached, callback);
    core_gil_acquire(thread);
    if (core_check(code, "cuLaunchHostFunc") < 0) {
        if (!captured) {
            callback_drop(callback);
        }
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Waits, without the GIL, for the next call in the queue, and returns
 * (function, arguments). */
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
    core_gil_acquire_or_block(thread);
    PyObject *call = Py_NewRef(callback->call);
    callback_drop(callback);
    return call;
}

static PyMethodDef functions[] = {
    {"_callback_next", callback_next, METH_NOARGS,
     "Wait for the next callback that is due; return (function, arguments)."},
    {NULL},
};

int
core_callback_setup(PyObject *module)
{
    return core_add_headless_type(module, &core.held_callback_type,
                                  &held_spec) < 0
               ? -1
               : core_add_functions(module, functions);
}
