/* graph.h - objects that own native graphs, and the list that destroys them.
 *
 * For graph.c, graph_exec.c, capture.c, and context.c, which destroys a
 * context's graphs. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_GRAPH_H
#define PYCUDA_CORE_STREAM_GRAPH_H

#include "core/private.h"

/* Entry of a native graph or executable graph in its context's list. */
struct core_graph_link {
    struct core_graph_link *next, **at; /* `at` is NULL outside a list */
    CUgraph *graph;                     /* the owner's fields, or NULL */
    CUgraphExec *exec;
};

struct core_graph {
    CORE_HEAD
    struct core_graph_link link;
    CUgraph handle; /* NULL until the capture ends */
    PyObject *held; /* list: objects that the operations use */
    PyObject *exec; /* GraphExec for Graph.launch, or NULL */
};

/* Stream of a launch, and its context, which may differ from the current
 * one. */
struct core_graph_launch {
    struct core_context *context; /* borrowed */
    CUstream stream;
};

/* -- graph.c */

/* Returns the native graph of a finished capture; NULL with an exception. */
CUgraph core_graph_handle(struct core_graph *self, const char *routine);
/* Returns 1 if the stream captures, after adding a node that holds the graph;
 * 0 if it does not capture; -1 with an exception. */
int core_graph_capture(struct core_graph *self, CUstream stream);
/* Reads the arguments of launch(stream=None); -1 with an exception. */
int core_graph_launch_args(CORE_ARGS, struct core_graph_launch *launch);

/* -- graph_exec.c */

/* Instantiates the graph as a GraphExec. With `updates` it refers to the
 * graph, which a capture of the GraphExec's launch needs. */
PyObject *core_graph_exec_new(struct core_graph *self, bool updates);
/* Launches in a stream that does not capture; -1 with an exception. */
int core_graph_exec_launch(PyObject *exec,
                           const struct core_graph_launch *launch);
int core_graph_exec_setup(PyObject *module);

/* -- graph_links.c */

/* Adds an object's native graph to the context's list. Called once per
 * object. */
void core_graph_link_add(struct core_context *context,
                         struct core_graph_link *link);
/* Removes the entry if it is still in the list; the owner then destroys the
 * graph. */
void core_graph_link_remove(struct core_graph_link *link);
/* Waits for the context's work, then destroys all its native graphs and sets
 * their owners' handles to NULL. */
void core_graph_links_end(struct core_context *context);

#endif
