/* graph_exec.h - executable graphs.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_GRAPH_EXEC_H
#define PYCUDA_CORE_STREAM_GRAPH_EXEC_H

#include "core/core.h"

struct core_graph;
struct core_graph_launch;

/* Returns a new GraphExec of the graph. If `updates` is true, programs can
 * update it, and it keeps a reference to its present graph. A launch in a
 * stream that captures adds this graph to the capture as a child node. */
PyObject *core_graph_exec_new(struct core_graph *self, bool updates);
/* Launches the GraphExec in a stream that does not capture. Returns 0, or -1
 * with an exception. */
int core_graph_exec_launch(PyObject *exec,
                           const struct core_graph_launch *launch);
/* Registers the type GraphExec. */
int core_graph_exec_setup(PyObject *module);

#endif
