/* graph.h - Python objects that own native graphs, and the list by which a
 * context destroys its graphs.
 *
 * Used by graph.c, graph_exec.c, capture.c and context.c. All functions need
 * the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_GRAPH_H
#define PYCUDA_CORE_STREAM_GRAPH_H

#include "core/core.h"
#include "core/stream/graph_links.h"
#include "core/python/object_head.h"

struct core_graph {
    CORE_HEAD
    struct core_graph_link link;
    /* NULL until the capture that creates the graph has ended */
    CUgraph handle;
    PyObject *held; /* list: objects that the graph's operations use */
    PyObject *exec; /* GraphExec that Graph.launch launches, or NULL */
};

/* Stream of a graph launch, and that stream's context, which may differ from
 * the current one. */
struct core_graph_launch {
    struct core_context *context; /* borrowed */
    CUstream stream;
};

/* Returns the native graph; NULL with an exception if the capture has not
 * ended or the context was detached. */
CUgraph core_graph_handle(struct core_graph *self, const char *routine);
/* If the stream captures, adds the graph to the capture as a child node and
 * returns 1. Returns 0 if the stream does not capture, -1 with an
 * exception. */
int core_graph_capture(struct core_graph *self, CUstream stream);
/* Reads the arguments of the method launch(stream=None). Returns 0, or -1 with
 * an exception. */
int core_graph_launch_args(CORE_ARGS, struct core_graph_launch *launch);

#endif
