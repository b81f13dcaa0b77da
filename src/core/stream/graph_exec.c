/* graph_exec.c - the type GraphExec, an executable graph: a graph that can be
 * launched.
 *
 * A GraphExec keeps the objects that its operations use (capture.c) until its
 * last launch is complete. Objects that an update has replaced are kept until
 * the launches before the update are complete. Launches of one GraphExec run
 * one after the other, in any streams and contexts, so one event after the
 * last launch covers all of them.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/throttle.h"
#include "core/python/gil.h"
#include "core/python/object.h"
#include "core/python/object_head.h"
#include "core/state.h"
#include "core/stream/graph.h"
#include "core/stream/graph_exec.h"
#include "core/stream/graph_links.h"

struct graph_exec {
    CORE_HEAD
    struct core_graph_link link;
    CUgraphExec handle;
    /* list of the lists `held` of all Graphs that this object was made from or
     * updated by */
    PyObject *held;
    CUevent done; /* event recorded after the last launch, or NULL */
    struct core_context *launched; /* strong: the context of `done`, or NULL */
    /* The Graph that was last instantiated or passed to update(); launches use
     * its parameters. NULL in the GraphExec that Graph.launch creates: the
     * Graph owns that GraphExec, so a reference back would be a cycle. */
    struct core_graph *graph;
};

/* Returns the event after the last launch; NULL if there was no launch or the
 * context of the launch is gone. */
static CUevent
exec_done(const struct graph_exec *self)
{
    return self->launched != NULL && self->launched->valid ? self->done : NULL;
}

PyObject *
core_graph_exec_new(struct core_graph *self, bool updates)
{
    CUgraphExec exec;
    CUgraph handle = core_graph_handle(self, "cuGraphInstantiate");
    if (handle == NULL || core_current() == NULL) {
        return NULL;
    }
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuGraphInstantiateWithFlags(&exec, handle, 0);
    core_gil_acquire(thread);
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
    if (updates) {
        made->graph = (struct core_graph *)Py_NewRef((PyObject *)self);
    }
    return (PyObject *)made;
}

static int
exec_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct graph_exec *)op)->held);
    Py_VISIT((PyObject *)((struct graph_exec *)op)->graph);
    Py_VISIT((PyObject *)((struct graph_exec *)op)->launched);
    return core_object_traverse(op, visit, arg);
}

/* Waits for the last launch of the GraphExec, because that launch uses the
 * objects that `self` keeps alive. Then drops the objects. */
static void
exec_dealloc(PyObject *op)
{
    struct graph_exec *self = (struct graph_exec *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    core_graph_link_remove(&self->link);
    if (self->handle != NULL && core_enter(self->context, &scope)) {
        CUevent done = exec_done(self);
        if (done != NULL && driver.cuEventQuery(done) != CUDA_SUCCESS) {
            PyThreadState *thread = core_gil_release();
            driver.cuEventSynchronize(done);
            core_gil_acquire(thread);
        }
        if (done != NULL) {
            driver.cuEventDestroy(done);
        }
        driver.cuGraphExecDestroy(self->handle);
        core_leave(&scope);
    }
    Py_CLEAR(self->graph);
    Py_CLEAR(self->held);
    Py_CLEAR(self->launched);
    core_object_end_dealloc(op);
}

/* Ensures that `done` is an event of `context`; destroys an event of another
 * context. */
static int
exec_event(struct graph_exec *self, struct core_context *context)
{
    CUevent old = exec_done(self);
    if (old != NULL && self->launched == context) {
        return 0;
    }
    self->done = NULL;
    if (old != NULL) {
        /* no wait for the old event is needed, since launches of one GraphExec
         * run in order */
        driver.cuEventDestroy(old);
    }
    if (core_check(driver.cuEventCreate(&self->done, CU_EVENT_DISABLE_TIMING),
                   "cuEventCreate") < 0) {
        self->done = NULL;
        return -1;
    }
    Py_XSETREF(self->launched,
               (struct core_context *)Py_NewRef((PyObject *)context));
    return 0;
}

/* Launches without the GIL, in the context of the stream, and records the
 * event `done` after the launch. */
int
core_graph_exec_launch(PyObject *exec, const struct core_graph_launch *launch)
{
    struct graph_exec *self = (struct graph_exec *)exec;
    struct core_scope scope;
    if (!self->context->valid || !core_enter(launch->context, &scope)) {
        return core_fail(CUDA_ERROR_INVALID_CONTEXT, "cuGraphLaunch", NULL);
    }
    if (exec_event(self, launch->context) < 0) {
        core_leave(&scope);
        return -1;
    }
    core_throttle_add(launch->context, launch->stream);
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuGraphLaunch(self->handle, launch->stream);
    if (code == CUDA_SUCCESS) {
        code = driver.cuEventRecord(self->done, launch->stream);
    }
    core_gil_acquire(thread);
    core_leave(&scope);
    return core_check(code, "cuGraphLaunch");
}

/* Method launch(stream=None): launches, or adds the graph to the capture if
 * the stream captures. */
static PyObject *
exec_call(PyObject *op, CORE_ARGS)
{
    struct graph_exec *self = (struct graph_exec *)op;
    struct core_graph_launch launch;
    if (core_graph_launch_args(args, nargs, names, &launch) < 0) {
        return NULL;
    }
    int status = core_graph_capture(self->graph, launch.stream);
    if (status == 0) {
        status = core_graph_exec_launch(op, &launch);
    }
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* Returns a text that explains why the update of a GraphExec failed. */
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
        return "a kernel cannot be replaced by this kernel";
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
        return "a parameter differs that cannot be updated";
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
        return "an attribute differs that cannot be updated";
    default:
        return "a node cannot be updated";
    }
}

/* Keeps a reference to `held`, the objects that the graph of an update uses.
 * Drops the objects of earlier graphs, unless the last launch is still
 * running: it may use them, so a later update drops them. */
static int
exec_retain(struct graph_exec *self, PyObject *held)
{
    CUevent done = exec_done(self);
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

/* Method update(graph): takes over the parameters of another Graph with the
 * same nodes. Releases the GIL. */
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
    CUgraph handle = core_graph_handle(graph, "cuGraphExecUpdate");
    if (handle == NULL || core_current() == NULL) {
        return NULL;
    }
    if (!self->context->valid) {
        core_context_fail_detached("cuGraphExecUpdate");
        return NULL;
    }
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuGraphExecUpdate(self->handle, handle, &info);
    core_gil_acquire(thread);
    if (code != CUDA_SUCCESS) {
        core_fail(code, "cuGraphExecUpdate", update_text(info.result));
        return NULL;
    }
    Py_SETREF(self->graph, (struct core_graph *)Py_NewRef(other));
    return exec_retain(self, graph->held) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
exec_get_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct graph_exec *)op)->handle);
}

static PyMethodDef exec_methods[] = {
    {"launch", CORE_METHOD(exec_call),
     "launch($self, stream=None)\n--\n\nRun the whole graph in stream order."},
    {"update", exec_update, METH_O,
     "update($self, graph, /)\n--\n\nTake over another Graph's parameters; it "
     "must "
     "have the same nodes and dependencies."},
    {NULL},
};

static PyGetSetDef exec_getset[] = {
    {"handle", exec_get_handle, NULL, "CUgraphExec as an int", NULL},
    {NULL},
};

static PyType_Slot exec_slots[] = {
    {Py_tp_doc, "An executable graph, made by Graph.instantiate()."},
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
core_graph_exec_setup(PyObject *module)
{
    return core_add_type(module, &core.graph_exec_type, &exec_spec, NULL);
}
