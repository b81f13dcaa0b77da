/* graph.c - Graph and GraphExec: work that was captured from streams.
 *
 * Stream.capture gives a context manager; while one is open in a context,
 * `held` lists what launches and copies used, and the graph keeps the list:
 * arrays, functions and host memory live as long as the graph and what was
 * made of it.  Captures that overlap in one context share one list.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

struct graph {
    CORE_HEAD
    CUgraph handle; /* NULL until the capture has ended */
    PyObject *held; /* list */
};

struct graph_exec {
    CORE_HEAD
    CUgraphExec handle;
    PyObject *held; /* list of lists: of each graph that it was made from */
    CUevent done;   /* recorded after the last launch, or NULL */
};

struct capture {
    CORE_HEAD
    struct core_stream_object *stream; /* strong */
    struct graph *graph;               /* strong; NULL before __enter__ */
    CUstreamCaptureMode mode;
    bool open;
};

/* -- what captures keep alive */

int
core_capture_hold(struct core_context *context, PyObject *object)
{
    return context->held == NULL || object == NULL
               ? 0
               : PyList_Append(context->held, object);
}

int
core_capture_hold_call(struct core_function *function, PyObject *const *args,
                       Py_ssize_t count)
{
    int status = core_capture_hold(function->context, (PyObject *)function);
    for (Py_ssize_t i = 0; i < count && status == 0; i++) {
        status = core_capture_hold(function->context, args[i]);
    }
    return status;
}

static int
capture_opened(struct core_context *context)
{
    if (context->held == NULL && (context->held = PyList_New(0)) == NULL) {
        return -1;
    }
    context->captures++;
    return 0;
}

static void
capture_closed(struct core_context *context)
{
    if (--context->captures == 0) {
        Py_CLEAR(context->held);
    }
}

/* -- capturing */

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
    struct capture *capture =
        (struct capture *)core_object_new(core.capture_type, self->context);
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

static PyObject *
capture_enter(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct capture *self = (struct capture *)op;
    struct core_context *context = self->context;
    if (self->graph != NULL) {
        core_fail(CUDA_ERROR_ILLEGAL_STATE, "cuStreamBeginCapture",
                  "a capture() serves one with statement");
        return NULL;
    }
    struct graph *graph =
        (struct graph *)core_object_new(core.graph_type, context);
    if (graph == NULL || core_check(driver.cuStreamBeginCapture(
                                        self->stream->handle, self->mode),
                                    "cuStreamBeginCapture") < 0) {
        Py_XDECREF((PyObject *)graph);
        return NULL;
    }
    self->graph = graph;
    self->open = true;
    if (capture_opened(context) < 0) {
        self->open = false;
        driver.cuStreamEndCapture(self->stream->handle, &graph->handle);
        return NULL;
    }
    graph->held = Py_NewRef(context->held);
    return Py_NewRef((PyObject *)graph);
}

static CUresult
capture_end(struct capture *self)
{
    self->open = false;
    CUresult code =
        driver.cuStreamEndCapture(self->stream->handle, &self->graph->handle);
    capture_closed(self->context);
    return code;
}

/* An exception of the block's own goes before those of the capture. */
static PyObject *
capture_exit(PyObject *op, CORE_ARGS)
{
    (void)names;
    struct capture *self = (struct capture *)op;
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
    struct capture *self = (struct capture *)op;
    Py_VISIT((PyObject *)self->stream);
    Py_VISIT((PyObject *)self->graph);
    return core_object_traverse(op, visit, arg);
}

static void
capture_dealloc(PyObject *op)
{
    struct capture *self = (struct capture *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    if (self->open && core_enter(self->context, &scope)) {
        capture_end(self);
        core_leave(&scope);
    }
    Py_CLEAR(self->graph);
    Py_CLEAR(self->stream);
    core_object_end_dealloc(op);
}

static PyMethodDef capture_methods[] = {
    {"__enter__", capture_enter, METH_NOARGS, "Begin; gives the Graph."},
    {"__exit__", CORE_METHOD(capture_exit), "End: the Graph is complete."},
    {NULL},
};

static PyType_Slot capture_slots[] = {
    {Py_tp_doc, "What Stream.capture gives, for a with statement."},
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
    .basicsize = sizeof(struct capture),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = capture_slots,
};

/* -- Graph */

/* The native graph of a finished capture. */
static CUgraph
graph_handle(struct graph *self, const char *routine)
{
    if (!self->context->valid) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, routine, NULL);
        return NULL;
    }
    if (self->handle == NULL) {
        core_fail(CUDA_ERROR_ILLEGAL_STATE, routine,
                  "the graph's capture has not ended, or failed");
    }
    return self->handle;
}

static int
graph_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct graph *)op)->held);
    return core_object_traverse(op, visit, arg);
}

static void
graph_dealloc(PyObject *op)
{
    struct graph *self = (struct graph *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        driver.cuGraphDestroy(self->handle);
        core_leave(&scope);
    }
    Py_CLEAR(self->held);
    core_object_end_dealloc(op);
}

static PyObject *
graph_node_count(PyObject *op, void *unused)
{
    (void)unused;
    size_t count = 0;
    CUgraph handle = graph_handle((struct graph *)op, "cuGraphGetNodes");
    if (handle == NULL ||
        core_check(driver.cuGraphGetNodes(handle, NULL, &count),
                   "cuGraphGetNodes") < 0) {
        return NULL;
    }
    return PyLong_FromSize_t(count);
}

static PyObject *
graph_edge_count(PyObject *op, void *unused)
{
    (void)unused;
    size_t count = 0;
    CUgraph handle = graph_handle((struct graph *)op, "cuGraphGetEdges");
    if (handle == NULL ||
        core_check(driver.cuGraphGetEdges(handle, NULL, NULL, &count),
                   "cuGraphGetEdges") < 0) {
        return NULL;
    }
    return PyLong_FromSize_t(count);
}

static PyObject *
graph_get_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct graph *)op)->handle);
}

static PyObject *
graph_instantiate(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct graph *self = (struct graph *)op;
    CUgraphExec exec;
    CUgraph handle = graph_handle(self, "cuGraphInstantiate");
    if (handle == NULL || core_current() == NULL) {
        return NULL;
    }
    CUresult code;
    Py_BEGIN_ALLOW_THREADS code =
        driver.cuGraphInstantiateWithFlags(&exec, handle, 0);
    Py_END_ALLOW_THREADS if (core_check(code, "cuGraphInstantiate") < 0)
    {
        return NULL;
    }
    struct graph_exec *made = (struct graph_exec *)core_object_new(
        core.graph_exec_type, self->context);
    if (made == NULL) {
        driver.cuGraphExecDestroy(exec);
        return NULL;
    }
    made->handle = exec;
    made->held = Py_BuildValue("[O]", self->held);
    if (made->held == NULL) {
        Py_DECREF((PyObject *)made);
        return NULL;
    }
    return (PyObject *)made;
}

static PyMethodDef graph_methods[] = {
    {"instantiate", graph_instantiate, METH_NOARGS,
     "Make a GraphExec, which can be launched."},
    {NULL},
};

static PyGetSetDef graph_getset[] = {
    {"node_count", graph_node_count, NULL, "operations in the graph", NULL},
    {"edge_count", graph_edge_count, NULL, "dependencies between them", NULL},
    {"handle", graph_get_handle, NULL, "CUgraph as an int", NULL},
    {NULL},
};

static PyType_Slot graph_slots[] = {
    {Py_tp_doc, "Work captured from streams: Stream.capture() makes it."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, graph_dealloc},
    {Py_tp_traverse, graph_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, graph_methods},
    {Py_tp_getset, graph_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec graph_spec = {
    .name = "pycuda._driver.Graph",
    .basicsize = sizeof(struct graph),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = graph_slots,
};

/* -- GraphExec */

static int
exec_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct graph_exec *)op)->held);
    return core_object_traverse(op, visit, arg);
}

/* What the last launch uses is kept until it is done. */
static void
exec_dealloc(PyObject *op)
{
    struct graph_exec *self = (struct graph_exec *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        CUevent done = self->done;
        if (done != NULL && driver.cuEventQuery(done) != CUDA_SUCCESS) {
            Py_BEGIN_ALLOW_THREADS driver.cuEventSynchronize(done);
            Py_END_ALLOW_THREADS
        }
        if (done != NULL) {
            driver.cuEventDestroy(done);
        }
        driver.cuGraphExecDestroy(self->handle);
        core_leave(&scope);
    }
    Py_CLEAR(self->held);
    core_object_end_dealloc(op);
}

static PyObject *
exec_launch(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {"launch", 0, {"stream"}};
    struct graph_exec *self = (struct graph_exec *)op;
    struct core_context *context = self->context;
    PyObject *values[1];
    CUstream stream;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_stream(values[0], &stream) < 0 || core_current() == NULL) {
        return NULL;
    }
    if (!context->valid) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, "cuGraphLaunch", NULL);
        return NULL;
    }
    if (self->done == NULL &&
        core_check(driver.cuEventCreate(&self->done, CU_EVENT_DISABLE_TIMING),
                   "cuEventCreate") < 0) {
        return NULL;
    }
    context->outstanding++;
    CUresult code;
    Py_BEGIN_ALLOW_THREADS code = driver.cuGraphLaunch(self->handle, stream);
    if (code == CUDA_SUCCESS && context->captures == 0) {
        code = driver.cuEventRecord(self->done, stream);
    }
    Py_END_ALLOW_THREADS if (core_check(code, "cuGraphLaunch") < 0 ||
                             core_capture_hold(context, op) < 0)
    {
        return NULL;
    }
    Py_RETURN_NONE;
}

static const char *
update_text(CUgraphExecUpdateResult result)
{
    switch (result) {
    case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
        return "the graphs differ in their nodes or dependencies";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED:
        return "a node is of another type";
    case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
    case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE:
        return "a kernel was replaced by one that cannot take its place";
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
        return "a parameter changed that cannot";
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
        return "an attribute changed that cannot";
    default:
        return "a node cannot be updated";
    }
}

static PyObject *
exec_update(PyObject *op, PyObject *other)
{
    struct graph_exec *self = (struct graph_exec *)op;
    if (!Py_IS_TYPE(other, core.graph_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Graph, got %s",
                     Py_TYPE(other)->tp_name);
        return NULL;
    }
    struct graph *graph = (struct graph *)other;
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUgraph handle = graph_handle(graph, "cuGraphExecUpdate");
    if (handle == NULL || core_current() == NULL ||
        PyList_Append(self->held, graph->held) < 0) {
        return NULL;
    }
    CUresult code;
    Py_BEGIN_ALLOW_THREADS code =
        driver.cuGraphExecUpdate(self->handle, handle, &info);
    Py_END_ALLOW_THREADS if (code != CUDA_SUCCESS)
    {
        core_fail(code, "cuGraphExecUpdate", update_text(info.result));
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
exec_get_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct graph_exec *)op)->handle);
}

static PyMethodDef exec_methods[] = {
    {"launch", CORE_METHOD(exec_launch),
     "launch(stream=None): run the whole graph in stream order."},
    {"update", exec_update, METH_O,
     "Take over another Graph's parameters; it must have the same nodes and "
     "dependencies."},
    {NULL},
};

static PyGetSetDef exec_getset[] = {
    {"handle", exec_get_handle, NULL, "CUgraphExec as an int", NULL},
    {NULL},
};

static PyType_Slot exec_slots[] = {
    {Py_tp_doc, "A Graph that can be launched: Graph.instantiate() makes it."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, exec_dealloc},
    {Py_tp_traverse, exec_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_methods, exec_methods},
    {Py_tp_getset, exec_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec exec_spec = {
    .name = "pycuda._driver.GraphExec",
    .basicsize = sizeof(struct graph_exec),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = exec_slots,
};

int
core_graph_setup(PyObject *module)
{
    if (core_add_type(module, &core.capture_type, &capture_spec, NULL) < 0 ||
        core_add_type(module, &core.graph_type, &graph_spec, NULL) < 0) {
        return -1;
    }
    return core_add_type(module, &core.graph_exec_type, &exec_spec, NULL);
}
