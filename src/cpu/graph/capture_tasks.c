/* capture_tasks.c - turns the work of captured streams into graph nodes.
 *
 * Called by all files that submit work, if cpu_stream_records returns true. A
 * task stores the context of its stream, so that its node runs in this context
 * even if the graph is launched in a stream of another context. Acquires the
 * graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/graph/capture.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/stream_state.h"

_Thread_local struct cpu_node_task *cpu_node_task_sink;

/* Returns the graph of the stream's capture, or NULL if the stream is not
 * captured or the capture is invalid. */
static struct cpu_graph *
capture_graph(struct cpu_stream *stream)
{
    struct cpu_capture *capture = atomic_load(&stream->capture);

    return capture && capture->status == CU_STREAM_CAPTURE_STATUS_ACTIVE
               ? capture->graph
               : NULL;
}

/* Stores the dependencies of the stream's next node in `nodes`, which has a
 * capacity of stream->tip_count. */
static CUresult
capture_tips(struct cpu_stream *stream, struct cpu_node **nodes)
{
    struct cpu_graph *graph = capture_graph(stream);

    for (size_t i = 0; i < stream->tip_count; i++) {
        nodes[i] = cpu_node_of(stream->tips[i]);
        /* the program may have destroyed the node */
        if (!nodes[i] || nodes[i]->graph != graph) {
            return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        }
    }
    return CUDA_SUCCESS;
}

/* Adds a node for the task; the node depends on the stream's tips (its latest
 * nodes). The node becomes the stream's only tip, and owns the task on
 * success. The caller holds the graph lock. */
static CUresult
capture_add(struct cpu_stream *stream, struct cpu_node_task *task)
{
    struct cpu_graph *graph = capture_graph(stream);
    struct cpu_node *after[64] = {NULL}, **list = after, *node;

    if (!graph) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (stream->tip_count > 64) {
        list = malloc(stream->tip_count * sizeof(struct cpu_node *));
    }
    if (!list) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult code = capture_tips(stream, list);
    if (!code) {
        code = cpu_node_add(graph, list, NULL, stream->tip_count, task, &node);
    }
    if (list != after) {
        free(list);
    }
    if (code) {
        return code;
    }
    /* the node owns the task's memory now */
    *task = (struct cpu_node_task){0};
    return cpu_capture_set_tips(stream, &node->handle, 1);
}

CUresult
cpu_node_task_record(struct cpu_stream *stream, struct cpu_node_task *task)
{
    if (cpu_node_task_sink) {
        cpu_node_task_free(cpu_node_task_sink);
        *cpu_node_task_sink = *task;
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&cpu_graph_lock);
    CUresult code = capture_add(stream, task);
    pthread_mutex_unlock(&cpu_graph_lock);
    if (code) {
        cpu_node_task_free(task);
    }
    return code;
}
