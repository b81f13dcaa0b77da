/* graph_links.c - the native graphs that a context's objects own.
 *
 * The driver's graphs outlive their context, so they are destroyed before it
 * ends. Called by graph.c and capture.c for each object, and by context.c. The
 * entries of a context form a list, protected by the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"
#include "core/stream/graph.h"

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

/* Removes the entry and destroys its graphs. */
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
    PyThreadState *thread = core_unlock();
    driver.cuCtxSynchronize(); /* a launch may still run */
    core_lock(thread);
    while (context->graphs != NULL) {
        link_end(context->graphs);
    }
    core_leave(&scope);
}
