/* graph_type.c - the type Graph, a graph of operations captured from streams.
 *
 * A Graph keeps the objects that its operations use (capture.c). The driver
 * refuses to launch a graph in a stream that captures. Instead the graph is
 * added to the capture as a child node. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/scope.h"
#include "core/core.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/stream/graph.h"
#include "core/stream/graph_exec.h"
#include "core/stream/graph_links.h"

static int
graph_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct core_graph *self = (struct core_graph *)op;
    Py_VISIT(self->held);
    Py_VISIT(self->exec);
    return core_object_traverse(op, visit, arg);
}

/* Destroys the native graph, unless the end of its context has done so. */
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
    CUgraph handle =
        core_graph_handle((struct core_graph *)op, "cuGraphGetNodes");
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
    CUgraph handle =
        core_graph_handle((struct core_graph *)op, "cuGraphGetEdges");
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
graph_instantiate(PyObject *op, PyObject *unused)
{
    (void)unused;
    return core_graph_exec_new((struct core_graph *)op, true);
}

/* Method launch(stream=None). Instantiates the graph at the first launch. If
 * the stream captures, adds the graph to the capture. */
static PyObject *
graph_launch(PyObject *op, CORE_ARGS)
{
    struct core_graph *self = (struct core_graph *)op;
    struct core_graph_launch launch;
    if (core_graph_launch_args(args, nargs, names, &launch) < 0) {
        return NULL;
    }
    int captured = core_graph_capture(self, launch.stream);
    if (captured != 0) {
        return captured < 0 ? NULL : Py_NewRef(Py_None);
    }
    if (self->exec == NULL) {
        PyObject *made = core_graph_exec_new(self, false);
        if (made == NULL) {
            return NULL;
        }
        Py_XSETREF(self->exec, made);
    }
    PyObject *exec = Py_NewRef(self->exec);
    int status = core_graph_exec_launch(exec, &launch);
    Py_DECREF(exec);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef graph_methods[] = {
    {"instantiate", graph_instantiate, METH_NOARGS,
     "instantiate($self)\n--\n\n"
     "Return a GraphExec, which can be launched and updated."},
    {"launch", CORE_METHOD(graph_launch),
     "launch($self, stream=None)\n--\n\nRun the graph in stream order; the "
     "first "
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
    {Py_tp_doc, "Work captured from streams by Stream.capture()."},
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

int
core_graph_setup(PyObject *module)
{
    return core_add_type(module, &core.graph_type, &graph_spec, NULL) < 0
               ? -1
               : core_graph_exec_setup(module);
}
