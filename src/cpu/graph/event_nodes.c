/* event_nodes.c - nodes that record an event or wait for one.
 *
 * Called by users of the library, by params.c, and by event.c for captured
 * streams. A task holds a reference to its event, since the program may
 * destroy the event before the graph. Recording and waiting are implemented in
 * exec_launch.c, because an event refers to the operation of the launch that
 * records it.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/stream/event.h"
#include "cpu/stream/stream_state.h"

struct event_call {
    /* the event of the node, which holds a counted reference to it */
    struct cpu_event *event;
    CUevent handle;
};

static void
call_retain(void *payload)
{
    cpu_event_retain(((struct event_call *)payload)->event);
}

static void
call_release(void *payload)
{
    cpu_event_release(((struct event_call *)payload)->event);
}

static const struct cpu_node_task_hold event_hold = {call_retain,
                                                     call_release};

struct cpu_event *
cpu_node_task_event(const struct cpu_node_task *task)
{
    return ((const struct event_call *)task->payload)->event;
}

CUresult
cpu_event_task(CUgraphNodeType type, CUevent handle,
               struct cpu_node_task *task)
{
    CUresult code = cpu_ready();
    struct cpu_event *event = code ? NULL : cpu_event_take(handle);

    if (!event) {
        return code ? code : CUDA_ERROR_INVALID_VALUE;
    }
    struct event_call *call = malloc(sizeof *call);
    if (cpu_event_shared(event)) {
        code = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (code || !call) {
        cpu_event_release(event);
        free(call);
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    *call = (struct event_call){event, handle};
    *task = (struct cpu_node_task){.type = type,
                                   .payload = call,
                                   .bytes = sizeof *call,
                                   .hold = &event_hold};
    return CUDA_SUCCESS;
}

CUresult
cpu_event_record_task(CUgraphNodeType type, CUevent event,
                      struct cpu_stream *stream)
{
    struct cpu_node_task task;
    CUresult code = cpu_event_task(type, event, &task);

    return code ? code : cpu_node_task_record(stream, &task);
}

/* ---- the API ---- */

static CUresult
event_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
          size_t count, CUgraphNodeType type, CUevent event)
{
    struct cpu_node_task task;
    CUresult code = cpu_event_task(type, event, &task);

    return code
               ? code
               : cpu_node_insert(made, graph, after, NULL, count, &task, NULL);
}

/* Stores the event of the node in *event. Returns an error if the node does
 * not have this type. Acquires the graph lock. */
static CUresult
event_get(CUgraphNode handle, CUgraphNodeType type, CUevent *event)
{
    CUresult code = cpu_ready();

    pthread_mutex_lock(&cpu_graph_lock);
    struct cpu_node *node = cpu_node_of(handle);
    if (!code && (!node || !event || node->task.type != type)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *event = ((struct event_call *)node->task.payload)->handle;
    }
    pthread_mutex_unlock(&cpu_graph_lock);
    return code;
}

static CUresult
event_set(CUgraphNode node, CUgraphNodeType type, CUevent event)
{
    struct cpu_node_task task;
    CUresult code = cpu_event_task(type, event, &task);

    return code ? code : cpu_node_set_task(node, &task, NULL);
}

CPU_API CUresult
cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                          const CUgraphNode *after, size_t count,
                          CUevent event)
{
    return event_add(node, graph, after, count,
                     CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CPU_API CUresult
cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                        const CUgraphNode *after, size_t count, CUevent event)
{
    return event_add(node, graph, after, count, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                     event);
}

CPU_API CUresult
cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
    return event_get(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CPU_API CUresult
cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
    return event_get(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CPU_API CUresult
cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    return event_set(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CPU_API CUresult
cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    return event_set(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}
