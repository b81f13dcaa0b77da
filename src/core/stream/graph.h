/* graph.h - objects that own native graphs, and the list that ends them.
 *
 * For graph.c, graph_exec.c, capture.c, and context.c, which ends a context's
 * graphs.  All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_GRAPH_H
#define PYCUDA_CORE_STREAM_GRAPH_H

#include "core/private.h"

/* An object's native graph or executable graph, in its context's list. */
struct core_graph_link {
    struct core_graph_link *next, **at; /* `at` is NULL outside a list */
    CUgraph *graph;                     /* the owner's fields, or NULL */
    CUgraphExec *exec;
};

struct core_graph {
    CORE_HEAD
    struct core_graph_link link;
    CUgraph handle; /* NULL until the capture has ended */
    PyObject *held; /* list: what its operations use */
    PyObject *exec; /* GraphExec of Graph.launch, or NULL */
};

/* Where a launch goes: the stream and its context, which need not be the
 * current one. */
struct core_graph_launch {
    struct core_context *context; /* borrowed */
    CUstream stream;
};

/* -- graph.c */

/* The native graph of a finished capture; NULL with an exception. */
CUgraph core_graph_handle(struct core_graph *self, const char *routine);
/* 1: the stream captures, and got a node that holds the graph; 0: it does not
 * capture; -1 with an exception. */
int core_graph_capture(struct core_graph *self, CUstream stream);
/* Reads the arguments of launch(stream=None); -1 with an exception. */
int core_graph_launch_args(CORE_ARGS, struct core_graph_launch *launch);

/* -- graph_exec.c */

/* A GraphExec of the graph; with `updates` it refers to the graph, which a
 * capture that the GraphExec is launched in needs. */
PyObject *core_graph_exec_new(struct core_graph *self, bool updates);
/* Launches in a stream that does not capture; -1 with an exception. */
int core_graph_exec_launch(PyObject *exec,
                           const struct core_graph_launch *launch);
int core_graph_exec_setup(PyObject *module);

/* -- graph_links.c */

/* Enters an object's native graph in the context's list, once. */
void core_graph_link_add(struct core_context *context,
                         struct core_graph_link *link);
/* Takes it out, if it is there still: the owner destroys the graph itself. */
void core_graph_link_remove(struct core_graph_link *link);
/* Waits for the context's work, then destroys all its native graphs: their
 * owners have none any more. */
void core_graph_links_end(struct core_context *context);

#endif
