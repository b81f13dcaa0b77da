/* graph.h - objects that own native graphs, and the list that ends them.
 *
 * For graph.c, capture.c, and context.c, which ends a context's graphs.  All
 * functions need the GIL.
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

/* Enters an object's native graph in the context's list, once. */
void core_graph_link_add(struct core_context *context,
                         struct core_graph_link *link);
/* Takes it out, if it is there still: the owner destroys the graph itself. */
void core_graph_link_remove(struct core_graph_link *link);
/* Waits for the context's work, then destroys all its native graphs: their
 * owners have none any more. */
void core_graph_links_end(struct core_context *context);

#endif
