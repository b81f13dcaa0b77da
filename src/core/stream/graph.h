/* graph.h - Python objects that own native graphs, and the list by which a
 * context destroys its graphs.
 *
 * Used by graph.c, graph_exec.c, capture.c and context.c. All functions need
 * the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_GRAPH_H
#define PYCUDA_CORE_STREAM_GRAPH_H

#include "core/context/context.h"
#include "core/core.h"
#include "core/python/object.h"

/* Entry of a native graph or executable graph in the list of its context. */
struct core_graph_link {
    struct core_graph_link *next, **at; /* `at` is NULL if it is in no list */
    CUgraph *graph; /* address of the owner's handle, or NULL */
    CUgraphExec *exec;
};

struct core_graph {
    CORE_HEAD
    struct core_graph_link link;
    CUgraph handle; /* NULL until the capture ends */
    PyObject *held; /* list: objects that the graph's operations use */
    PyObject *exec; /* GraphExec that Graph.launch launches, or NULL */
};

/* Stream of a graph launch, and that stream's context, which may differ from
 * the current one. */
struct core_graph_launch {
    struct core_context *context; /* borrowed */
    CUstream stream;
};

/* -- graph.c */

/* Returns the native graph; NULL with an exception if the capture has not
 * ended or the context was detached. */
CUgraph core_graph_handle(struct core_graph *self, const char *routine);
/* If the stream captures, adds the graph to the capture as a child node and
 * returns 1. Returns 0 if the stream does not capture, -1 with an
 * exception. */
int core_graph_capture(struct core_graph *self, CUstream stream);
/* Reads the arguments of the method launch(stream=None). -1 with an
 * exception. */
int core_graph_launch_args(CORE_ARGS, struct core_graph_launch *launch);

/* -- graph_exec.c */

/* Returns a new GraphExec. With `updates` it keeps a reference to the graph,
 * which is needed to capture a launch of the GraphExec. */
PyObject *core_graph_exec_new(struct core_graph *self, bool updates);
/* Launches the GraphExec in a stream that does not capture. -1 with an
 * exception. */
int core_graph_exec_launch(PyObject *exec,
                           const struct core_graph_launch *launch);
int core_graph_exec_setup(PyObject *module);

/* -- graph_links.c */

/* Adds an object's native graph to its context's list. Called once per
 * object. */
void core_graph_link_add(struct core_context *context,
                         struct core_graph_link *link);
/* Removes the entry if it is still in the list. The caller, which owns the
 * native graph, destroys it afterwards. */
void core_graph_link_remove(struct core_graph_link *link);
/* Waits for the context's work. Then destroys all its native graphs and sets
 * their owners' handles to NULL. */
void core_graph_links_end(struct core_context *context);

#endif
