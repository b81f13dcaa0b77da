/* dot.c - writes a graph as Graphviz text (cuGraphDebugDotPrint).
 *
 * Called by users of the library; acquires the graph lock. Each graph becomes
 * a Graphviz cluster, which is named by its index in the file. A node shows
 * its type, and those parameters that the flags request.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cpu/device/state.h"
#include "cpu/exports/system_errors.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"

static const char *const type_names[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = "KERNEL",
    [CU_GRAPH_NODE_TYPE_MEMCPY] = "MEMCPY",
    [CU_GRAPH_NODE_TYPE_MEMSET] = "MEMSET",
    [CU_GRAPH_NODE_TYPE_HOST] = "HOST",
    [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
    [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "WAIT_EVENT",
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "MEM_ALLOC",
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE",
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "BATCH_MEM_OP",
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "CONDITIONAL",
};

struct dot {
    FILE *file;
    unsigned flags;
    unsigned graphs; /* number of graphs written to the file so far */
};

/* Returns true if the flags contain `flag` or VERBOSE. */
static bool
has_flag(const struct dot *dot, unsigned flag)
{
    return dot->flags & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
}

static void
kernel_print(const struct dot *dot, const struct cpu_node_task *task)
{
    struct cpu_function *function = cpu_function_of(task->function);

    if (has_flag(dot, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)) {
        fprintf(dot->file, "|{%s|grid %u,%u,%u|block %u,%u,%u|shared %u}",
                function ? function->name : "(unloaded)", task->grid[0],
                task->grid[1], task->grid[2], task->block[0], task->block[1],
                task->block[2], task->shared);
    }
    if (has_flag(dot, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES)) {
        fprintf(dot->file, "|{cooperative %d|priority %d}", task->cooperative,
                task->priority);
    }
}

static void
memory_print(const struct dot *dot, const struct cpu_node_task *task)
{
    bool frees = task->type == CU_GRAPH_NODE_TYPE_MEM_FREE;

    if (has_flag(dot, frees
                          ? CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS
                          : CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) {
        fprintf(dot->file, "|{dptr 0x%llx}",
                (unsigned long long)cpu_graph_memory_base(
                    cpu_node_task_memory(task)));
    }
}

static void
fill_print(const struct dot *dot, const struct cpu_node *node)
{
    CUDA_MEMSET_NODE_PARAMS fill = {0};

    if (has_flag(dot, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS) &&
        !cpu_node_read_params(node, &fill)) {
        fprintf(dot->file, "|{dptr 0x%llx|value %u|element %u|%zu x %zu}",
                (unsigned long long)fill.dst, fill.value, fill.elementSize,
                fill.width, fill.height);
    }
}

static void
copy_print(const struct dot *dot, const struct cpu_node *node)
{
    CUDA_MEMCPY3D copy = {0};

    if (has_flag(dot, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS) &&
        !cpu_node_read_params(node, &copy)) {
        fprintf(dot->file, "|{%zu x %zu x %zu}", copy.WidthInBytes,
                copy.Height, copy.Depth);
    }
}

static void
host_print(const struct dot *dot, const struct cpu_node *node)
{
    CUDA_HOST_NODE_PARAMS host = {0};

    if (has_flag(dot, CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS) &&
        !cpu_node_read_params(node, &host)) {
        fprintf(dot->file, "|{fn %p|userData %p}", (void *)host.fn,
                host.userData);
    }
}

/* Prints the node's handle and its parameters, each only if the flags request
 * it. */
static void
details_print(const struct dot *dot, const struct cpu_node *node)
{
    if (has_flag(dot, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)) {
        fprintf(dot->file, "|%p", (void *)node->handle);
    }
    switch ((int)node->task.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        kernel_print(dot, &node->task);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        memory_print(dot, &node->task);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        fill_print(dot, node);
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        copy_print(dot, node);
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        host_print(dot, node);
        break;
    default:
        break;
    }
}

/* Prints the graph as a cluster, followed by the clusters of its child graphs
 * and conditional bodies. */
static void
graph_print(struct dot *dot, struct cpu_graph *graph)
{
    unsigned number = dot->graphs++, index = 0;

    fprintf(dot->file, "subgraph cluster_%u {\nlabel=\"graph_%u\"\n", number,
            number);
    for (struct cpu_node *n = graph->first; n; n = n->next) {
        n->index = index++;
        fprintf(dot->file, "\"graph_%u_node_%u\"[shape=record,label=\"{%u|%s",
                number, n->index, n->index, type_names[n->task.type]);
        details_print(dot, n);
        fputs("}\"];\n", dot->file);
    }
    for (struct cpu_node *n = graph->first; n; n = n->next) {
        for (size_t i = 0; i < n->after_count; i++) {
            fprintf(dot->file,
                    "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\";\n", number,
                    n->after[i]->index, number, n->index);
        }
    }
    fputs("}\n", dot->file);
    for (struct cpu_node *n = graph->first; n; n = n->next) {
        if (n->child) {
            graph_print(dot, n->child);
        }
        for (unsigned i = 0; n->conditional && i < n->conditional->count;
             i++) {
            graph_print(dot, n->conditional->bodies[i]);
        }
    }
}

#define DOT_FLAGS 0xFFFFu

CPU_API CUresult
cuGraphDebugDotPrint(CUgraph handle, const char *path, unsigned flags)
{
    struct cpu_graph *graph;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!path || flags & ~DOT_FLAGS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    FILE *file = fopen(path, "w");
    if (!file) {
        return cpu_system_error_set(errno, "to open %.200s for a graph's text",
                                    path);
    }
    struct dot dot = {.file = file, .flags = flags};
    pthread_mutex_lock(&cpu_graph_lock);
    code = cpu_graph_of(handle, &graph);
    if (!code) {
        fputs("digraph dot {\n", file);
        graph_print(&dot, graph);
        fputs("}\n", file);
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    int error = ferror(file) ? EIO : 0;
    if (fclose(file)) {
        error = errno;
    }
    return !code && error
               ? cpu_system_error_set(
                     error, "to write a graph's text to %.200s", path)
               : code;
}
