/* graph.c - Graph and GraphExec: work that was captured from streams.
 *
 * Both keep what the capture's operations use (capture.c).  A GraphExec keeps
 * it until its last launch is done, and what an update replaced until the
 * launches before that are.  A launch in a capture becomes a node that holds
 * the graph: the driver would refuse the launch itself.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"
#include "core/stream/graph.h"

struct graph_exec {
    CORE_HEAD
    struct core_graph_link link;
    CUgraphExec handle;
    PyObject *held; /* list of lists: of each graph that it was made from */
    CUevent done;   /* recorded after the last launch, or NULL */
    /* What launches run: made from it, or updated to it.  NULL in that of
     * Graph.launch, which would keep its owner alive. */
    struct core_graph *graph;
};

/* -- Graph */

/* The native graph of a finished capture. */
static CUgraph
graph_handle(struct core_graph *self, const char *routine)
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
    struct core_graph *self = (struct core_graph *)op;
    Py_VISIT(self->held);
    Py_VISIT(self->exec);
    return core_object_traverse(op, visit, arg);
}

static void
graph_dealloc(PyObject *op)
{
    struct core_graph *self = (struct core_graph *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    core_graph_link_remove(&self->link);
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        driver.cuGraphDestroy(self->handle);
        core_leave(&scope);
    }
    Py_CLEAR(self->exec);
    Py_CLEAR(self->held);
    core_object_end_dealloc(op);
}

static PyObject *
graph_node_count(PyObject *op, void *unused)
{
    (void)unused;
    size_t count = 0;
    CUgraph handle = graph_handle((struct core_graph *)op, "cuGraphGetNodes");
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
    CUgraph handle = graph_handle((struct core_graph *)op, "cuGraphGetEdges");
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
    return PyLong_FromVoidPtr(((struct core_graph *)op)->handle);
}

static PyObject *
exec_new(struct core_graph *self)
{
    CUgraphExec exec;
    CUgraph handle = graph_handle(self, "cuGraphInstantiate");
    if (handle == NULL || core_current() == NULL) {
        return NULL;
    }
    CUresult code;
    PyThreadState *thread = core_unlock();
    code = driver.cuGraphInstantiateWithFlags(&exec, handle, 0);
    core_lock(thread);
    if (core_check(code, "cuGraphInstantiate") < 0) {
        return NULL;
    }
    struct graph_exec *made = (struct graph_exec *)core_object_new(
        core.graph_exec_type, self->context);
    if (made == NULL) {
        driver.cuGraphExecDestroy(exec);
        return NULL;
    }
    made->handle = exec;
    made->link.exec = &made->handle;
    core_graph_link_add(self->context, &made->link);
    made->held = Py_BuildValue("[O]", self->held);
    if (made->held == NULL) {
        Py_DECREF((PyObject *)made);
        return NULL;
    }
    return (PyObject *)made;
}

static PyObject *
graph_instantiate(PyObject *op, PyObject *unused)
{
    (void)unused;
    PyObject *made = exec_new((struct core_graph *)op);
    if (made != NULL) {
        ((struct graph_exec *)made)->graph =
            (struct core_graph *)Py_NewRef(op);
    }
    return made;
}

static CUresult
node_capture(CUgraph graph, CUstream stream)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *tips;
    CUgraphNode node;
    CUgraph into;
    size_t count;
    CUresult code = driver.cuStreamGetCaptureInfo(stream, &status, NULL, &into,
                                                  &tips, &count);
    if (code == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (code == CUDA_SUCCESS) {
        code =
            driver.cuGraphAddChildGraphNode(&node, into, tips, count, graph);
    }
    return code != CUDA_SUCCESS
               ? code
               : driver.cuStreamUpdateCaptureDependencies(
                     stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

/* 1: the stream captures, and got a node that holds the graph; 0: it does
 * not. */
static int
graph_capture(struct core_graph *self, CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    driver.cuStreamIsCapturing(stream, &status);
    if (status == CU_STREAM_CAPTURE_STATUS_NONE) {
        return 0;
    }
    CUgraph handle = graph_handle(self, "cuGraphLaunch");
    if (handle == NULL ||
        core_capture_hold(self->context, (PyObject *)self) < 0 ||
        core_check(node_capture(handle, stream), "cuGraphAddChildGraphNode") <
            0) {
        return -1;
    }
    return 1;
}

static int
launch_stream(CORE_ARGS, CUstream *stream)
{
    static const struct core_signature signature = {"launch", 0, {"stream"}};
    PyObject *values[1];
    return core_args(&signature, args, nargs, names, values) < 0 ||
                   core_stream(values[0], stream) < 0 || core_current() == NULL
               ? -1
               : 0;
}

static int exec_launch(struct graph_exec *self, CUstream stream);

/* The first launch instantiates. */
static PyObject *
graph_launch(PyObject *op, CORE_ARGS)
{
    struct core_graph *self = (struct core_graph *)op;
    CUstream stream;
    if (launch_stream(args, nargs, names, &stream) < 0) {
        return NULL;
    }
    int captured = graph_capture(self, stream);
    if (captured != 0) {
        return captured < 0 ? NULL : Py_NewRef(Py_None);
    }
    if (self->exec == NULL) {
        PyObject *made = exec_new(self);
        if (made == NULL) {
            return NULL;
        }
        Py_XSETREF(self->exec, made);
    }
    PyObject *exec = Py_NewRef(self->exec);
    int status = exec_launch((struct graph_exec *)exec, stream);
    Py_DECREF(exec);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef graph_methods[] = {
    {"instantiate", graph_instantiate, METH_NOARGS,
     "instantiate()\n--\n\nMake a GraphExec, which can be launched."},
    {"launch", CORE_METHOD(graph_launch),
     "launch(stream=None)\n--\n\nRun the graph in stream order; the first "
     "launch instantiates it."},
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
    .basicsize = sizeof(struct core_graph),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = graph_slots,
};

/* -- GraphExec */

static int
exec_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct graph_exec *)op)->held);
    Py_VISIT((PyObject *)((struct graph_exec *)op)->graph);
    return core_object_traverse(op, visit, arg);
}

/* What the last launch uses is kept until it is done. */
static void
exec_dealloc(PyObject *op)
{
    struct graph_exec *self = (struct graph_exec *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    core_graph_link_remove(&self->link);
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        CUevent done = self->done;
        if (done != NULL && driver.cuEventQuery(done) != CUDA_SUCCESS) {
            PyThreadState *thread = core_unlock();
            driver.cuEventSynchronize(done);
            core_lock(thread);
        }
        if (done != NULL) {
            driver.cuEventDestroy(done);
        }
        driver.cuGraphExecDestroy(self->handle);
        core_leave(&scope);
    }
    Py_CLEAR(self->graph);
    Py_CLEAR(self->held);
    core_object_end_dealloc(op);
}

/* On a stream that does not capture. */
static int
exec_launch(struct graph_exec *self, CUstream stream)
{
    if (!self->context->valid) {
        return core_fail(CUDA_ERROR_INVALID_CONTEXT, "cuGraphLaunch", NULL);
    }
    if (self->done == NULL &&
        core_check(driver.cuEventCreate(&self->done, CU_EVENT_DISABLE_TIMING),
                   "cuEventCreate") < 0) {
        return -1;
    }
    core_queue_add(self->context, stream);
    CUresult code;
    PyThreadState *thread = core_unlock();
    code = driver.cuGraphLaunch(self->handle, stream);
    if (code == CUDA_SUCCESS) {
        code = driver.cuEventRecord(self->done, stream);
    }
    core_lock(thread);
    return core_check(code, "cuGraphLaunch");
}

static PyObject *
exec_call(PyObject *op, CORE_ARGS)
{
    struct graph_exec *self = (struct graph_exec *)op;
    CUstream stream;
    if (launch_stream(args, nargs, names, &stream) < 0) {
        return NULL;
    }
    int status = graph_capture(self->graph, stream);
    if (status == 0) {
        status = exec_launch(self, stream);
    }
    return status < 0 ? NULL : Py_NewRef(Py_None);
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

/* After an update: what the last launch used is kept until it is done, and
 * dropped with the next update then. */
static int
exec_hold(struct graph_exec *self, PyObject *held)
{
    CUevent done = self->done;
    if (done != NULL && driver.cuEventQuery(done) != CUDA_SUCCESS) {
        return PyList_Append(self->held, held);
    }
    PyObject *fresh = Py_BuildValue("[O]", held);
    if (fresh == NULL) {
        return -1;
    }
    Py_SETREF(self->held, fresh);
    return 0;
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
    struct core_graph *graph = (struct core_graph *)other;
    CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
    CUgraph handle = graph_handle(graph, "cuGraphExecUpdate");
    if (handle == NULL || core_current() == NULL) {
        return NULL;
    }
    if (!self->context->valid) {
        core_context_gone("cuGraphExecUpdate");
        return NULL;
    }
    CUresult code;
    PyThreadState *thread = core_unlock();
    code = driver.cuGraphExecUpdate(self->handle, handle, &info);
    core_lock(thread);
    if (code != CUDA_SUCCESS) {
        core_fail(code, "cuGraphExecUpdate", update_text(info.result));
        return NULL;
    }
    Py_SETREF(self->graph, (struct core_graph *)Py_NewRef(other));
    return exec_hold(self, graph->held) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
exec_get_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct graph_exec *)op)->handle);
}

static PyMethodDef exec_methods[] = {
    {"launch", CORE_METHOD(exec_call),
     "launch(stream=None)\n--\n\nRun the whole graph in stream order."},
    {"update", exec_update, METH_O,
     "update(graph, /)\n--\n\nTake over another Graph's parameters; it must "
     "have the same nodes and dependencies."},
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
    return core_add_type(module, &core.graph_type, &graph_spec, NULL) < 0
               ? -1
               : core_add_type(module, &core.graph_exec_type, &exec_spec,
                               NULL);
}
