/* graph_links.h - a context's list of the native graphs that Python objects
 * own.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_GRAPH_LINKS_H
#define PYCUDA_CORE_STREAM_GRAPH_LINKS_H

#include "core/core.h"

struct core_context;

/* Entry of a native graph or executable graph in the list of its context. */
struct core_graph_link {
    /* links of the list; `at` is the address of the pointer to this entry, or
     * NULL if the entry is in no list */
    struct core_graph_link *next, **at;
    /* address of the owner's field with its CUgraph, or NULL */
    CUgraph *graph;
    CUgraphExec *exec;
};

/* Adds an object's native graph to its context's list. Called once per
 * object. */
void core_graph_link_add(struct core_context *context,
                         struct core_graph_link *link);
/* Removes the entry if it is still in the list. The caller owns the native
 * graph and destroys that graph afterwards. */
void core_graph_link_remove(struct core_graph_link *link);
/* Waits for the context's work. Then destroys all native graphs of the context
 * and sets the handles in the Python objects that own the graphs to NULL. */
void core_graph_links_end(struct core_context *context);

#endif
