/* capture.c - Stream.capture, which records the operations of a with statement
 * in a Graph.
 *
 * While a capture is open in a context, the context's list `held` has the
 * objects that launches and copies use. The graph keeps that list, so arrays,
 * functions and host memory live until the graph and the executable graphs
 * made from it are freed. Overlapping captures of one context share one list.
 * A stream of another context can join a capture by waiting for an event. The
 * other context then counts as capturing too, and the graph also keeps that
 * context's list.
 *
 * In the with statement the capturing stream is the current stream of its
 * thread (current_stream.c); open_captures.c has the list of such streams. All
 * functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/memory/deferred_free.h"
#include "core/python/locked_calls.h"
#include "core/python/locks.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/stream/capture.h"
#include "core/stream/current_stream.h"
#include "core/stream/graph.h"
#include "core/stream/graph_links.h"
#include "core/stream/open_captures.h"
#include "core/stream/stream.h"

/* capture_opened increments the number of open captures of the context,
 * capture_closed decrements it. When the last one ends, capture_closed drops
 * `held`, the objects that the captured operations use, and frees the device
 * memory that the program released while captures were open. */
static int
capture_opened(struct core_context *context)
{
    if (context->held == NULL && (context->held = PyList_New(0)) == NULL) {
        return -1;
    }
    ADD_SHARED(context->captures, 1);
    core_contexts_guard();
    return 0;
}

static void
capture_closed(struct core_context *context)
{
    ADD_SHARED(context->captures, -1);
    core_contexts_guard();
    if (context->captures == 0) {
        /* Called before core_deferred_free: the destructors of the objects in
         * `held` may free device memory, which core_deferred_free then
         * frees. */
        Py_CLEAR(context->held);
        core_deferred_free(context);
    }
}

/* -- contexts that join a capture */

/* Adds a context that has joined the capture, and lets the graph keep that
 * context's list of objects. */
static int
capture_add_context(struct core_capture *self, struct core_context *context)
{
    struct core_capture_joined *joined = PyMem_Malloc(sizeof *joined);
    if (joined == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (capture_opened(context) < 0) {
        PyMem_Free(joined);
        return -1;
    }
    joined->context = (struct core_context *)Py_NewRef((PyObject *)context);
    if (!core_capture_add_joined(self, joined)) {
        /* another thread ended the capture, or added the context */
        capture_closed(context);
        Py_DECREF((PyObject *)context);
        PyMem_Free(joined);
        return 0;
    }
    return PyList_Append(self->graph->held, context->held);
}

/* Called after `stream`, of context `to`, has waited for an event of context
 * `from`. If the stream has joined a capture by that wait, `to` counts as
 * capturing until the capture ends. Returns -1 with MemoryError on failure. */
int
core_capture_join(struct core_context *from, struct core_context *to,
                  CUstream stream)
{
    if (!core_captures_exist() || from == to ||
        !core_stream_captures(stream)) {
        return 0;
    }
    struct core_capture *capture;
    int status = 0;
    while (status == 0 && (capture = core_capture_find(from, to)) != NULL) {
        status = capture_add_context(capture, to);
        Py_DECREF((PyObject *)capture);
    }
    return status;
}

/* Ends the capture in one context. Before that, lets the graph keep the
 * context's compiled kernels, since launches of array operations do not keep a
 * Function. */
static int
capture_leave_context(struct core_context *context)
{
    struct core_section section;
    CORE_CONTEXT_BEGIN(&section, context);
    int status =
        core_capture_retain(context, context->local[CORE_LOCAL_KERNELS]);
    capture_closed(context);
    CORE_CONTEXT_END(&section);
    return status;
}

/* Ends the capture in its own context and in the contexts of the list
 * `others`. Frees the list. */
static int
capture_leave_contexts(struct core_capture *self,
                       struct core_capture_joined *others)
{
    int status = capture_leave_context(self->context);
    while (others != NULL) {
        struct core_capture_joined *joined = others;
        others = joined->next;
        status |= capture_leave_context(joined->context);
        Py_DECREF((PyObject *)joined->context);
        PyMem_Free(joined);
    }
    return status;
}

/* -- the context manager of Stream.capture */

/* Reads the argument `mode`, a str; "relaxed" by default. */
static int
mode_read(PyObject *object, CUstreamCaptureMode *mode)
{
    static const struct {
        const char *name;
        CUstreamCaptureMode mode;
    } rows[] = {
        {"relaxed", CU_STREAM_CAPTURE_MODE_RELAXED},
        {"thread_local", CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
        {"global", CU_STREAM_CAPTURE_MODE_GLOBAL},
    };
    *mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (object == NULL) {
        return 0;
    }
    for (size_t i = 0; PyUnicode_Check(object) && i < 3; i++) {
        if (PyUnicode_CompareWithASCIIString(object, rows[i].name) == 0) {
            *mode = rows[i].mode;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError,
                 "mode must be 'relaxed', 'thread_local' or 'global', not %R",
                 object);
    return -1;
}

PyObject *
core_stream_capture(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {"capture", 0, {"mode"}};
    PyObject *values[1];
    CUstreamCaptureMode mode;
    CUstream stream;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        mode_read(values[0], &mode) < 0 || core_stream(op, &stream) < 0) {
        return NULL;
    }
    struct core_stream_object *self = (struct core_stream_object *)op;
    struct core_capture *capture = (struct core_capture *)core_object_new(
        core.capture_type, self->context);
    if (capture != NULL) {
        capture->stream =
            (struct core_stream_object *)Py_NewRef((PyObject *)self);
        capture->mode = mode;
    }
    return (PyObject *)capture;
}

PyObject *
core_stream_is_capturing(PyObject *op, void *unused)
{
    (void)unused;
    CUstreamCaptureStatus status;
    CUstream stream;
    if (core_stream(op, &stream) < 0 ||
        core_check(driver.cuStreamIsCapturing(stream, &status),
                   "cuStreamIsCapturing") < 0) {
        return NULL;
    }
    return PyBool_FromLong(status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* Begins the capture and makes its stream the current stream. A second call
 * for the same object is an error. */
static PyObject *
capture_enter(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct core_capture *self = (struct core_capture *)op;
    struct core_context *context = self->context;
    if (self->graph != NULL) {
        core_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamBeginCapture",
                  "the object that capture() returned can be used in one with "
                  "statement only");
        return NULL;
    }
    struct core_graph *graph =
        (struct core_graph *)core_object_new(core.graph_type, context);
    if (graph == NULL || core_check(driver.cuStreamBeginCapture(
                                        self->stream->handle, self->mode),
                                    "cuStreamBeginCapture") < 0) {
        Py_XDECREF((PyObject *)graph);
        return NULL;
    }
    self->graph = graph;
    graph->link.graph = &graph->handle;
    core_graph_link_add(context, &graph->link);
    if (capture_opened(context) < 0) {
        driver.cuStreamEndCapture(self->stream->handle, &graph->handle);
        return NULL;
    }
    self->thread = PyThread_get_thread_ident();
    self->turn = core_stream_next_turn();
    core_capture_list(self);
    ADD_SHARED(core.stream_defaults, 1);
    graph->held = Py_NewRef(context->held);
    return Py_NewRef((PyObject *)graph);
}

/* Ends the native capture, stores the resulting graph in the Graph, and
 * removes the capture from the list of open ones. */
static CUresult
capture_end(struct core_capture *self)
{
    struct core_capture_joined *others = core_capture_unlist(self);
    CUresult code = CUDA_ERROR_INVALID_CONTEXT;
    ADD_SHARED(core.stream_defaults, -1);
    if (self->context->valid) {
        code = driver.cuStreamEndCapture(self->stream->handle,
                                         &self->graph->handle);
    }
    if (capture_leave_contexts(self, others) < 0) {
        PyErr_Clear();
        code = CUDA_ERROR_OUT_OF_MEMORY;
    }
    return code;
}

/* Ends the capture. If the with statement ends by an exception, that exception
 * is raised and not the capture's. */
static PyObject *
capture_exit(PyObject *op, CORE_ARGS)
{
    (void)names;
    struct core_capture *self = (struct core_capture *)op;
    if (!self->open) {
        Py_RETURN_NONE;
    }
    CUresult code = capture_end(self);
    bool failed = nargs > 0 && args[0] != Py_None;
    if (!failed && core_check(code, "cuStreamEndCapture") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static int
capture_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct core_capture *self = (struct core_capture *)op;
    Py_VISIT((PyObject *)self->stream);
    Py_VISIT((PyObject *)self->graph);
    for (struct core_capture_joined *j = self->joined; j != NULL;
         j = j->next) {
        Py_VISIT((PyObject *)j->context);
    }
    return core_object_traverse(op, visit, arg);
}

/* If the with statement was never left, ends the capture. */
static void
capture_dealloc(PyObject *op)
{
    struct core_capture *self = (struct core_capture *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    if (self->open) {
        bool entered = core_enter(self->context, &scope);
        capture_end(self);
        if (entered) {
            core_leave(&scope);
        }
    }
    Py_CLEAR(self->graph);
    Py_CLEAR(self->stream);
    core_object_end_dealloc(op);
}

static PyMethodDef capture_methods[] = {
    {"__enter__", capture_enter, METH_NOARGS, "Begin; gives the Graph."},
    {"__exit__", CORE_METHOD(capture_exit),
     "End the capture and complete "
     "the Graph."},
    {NULL},
};

static PyType_Slot capture_slots[] = {
    {Py_tp_doc, "Context manager that Stream.capture() returns."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, capture_dealloc},
    {Py_tp_traverse, capture_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, capture_methods},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec capture_spec = {
    .name = "pycuda._driver._Capture",
    .basicsize = sizeof(struct core_capture),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = capture_slots,
};

static PyObject *
has_captures(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyBool_FromLong(core_captures_exist());
}

static PyMethodDef functions[] = {
    {"_has_captures", has_captures, METH_NOARGS,
     "Return whether any stream is captured by Stream.capture."},
    {NULL},
};

int
core_capture_setup(PyObject *module)
{
    int status =
        core_add_type(module, &core.capture_type, &capture_spec, NULL);
    return status < 0 ? status : core_add_functions(module, functions);
}
