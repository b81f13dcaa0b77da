/* graph_links.c - a context's list of the native graphs that Python objects
 * own.
 *
 * A native graph survives its context, so a context destroys the graphs of its
 * list before it ends. graph.c, graph_exec.c and capture.c call this file for
 * each object, context_type.c at the end of a context. The GIL protects the
 * list.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/python/gil.h"
#include "core/stream/graph_links.h"

void
core_graph_link_add(struct core_context *context, struct core_graph_link *link)
{
    link->next = context->graphs;
    link->at = &context->graphs;
    if (link->next != NULL) {
        link->next->at = &link->next;
    }
    context->graphs = link;
}

void
core_graph_link_remove(struct core_graph_link *link)
{
    if (link->at == NULL) {
        return;
    }
    *link->at = link->next;
    if (link->next != NULL) {
        link->next->at = link->at;
    }
    link->at = NULL;
}

/* Removes the entry from its context's list of graphs, and destroys the native
 * graphs of the entry. */
static void
link_end(struct core_graph_link *link)
{
    core_graph_link_remove(link);
    if (link->exec != NULL && *link->exec != NULL) {
        driver.cuGraphExecDestroy(*link->exec);
        *link->exec = NULL;
    }
    if (link->graph != NULL && *link->graph != NULL) {
        driver.cuGraphDestroy(*link->graph);
        *link->graph = NULL;
    }
}

void
core_graph_links_end(struct core_context *context)
{
    struct core_scope scope;
    if (context->graphs == NULL || !core_enter(context, &scope)) {
        return;
    }
    PyThreadState *thread = core_gil_release();
    /* a launch of one of the graphs may still run */
    driver.cuCtxSynchronize();
    core_gil_acquire(thread);
    while (context->graphs != NULL) {
        link_end(context->graphs);
    }
    core_leave(&scope);
}
