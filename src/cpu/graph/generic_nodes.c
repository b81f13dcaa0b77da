/* generic_nodes.c - adds and changes nodes of any type (cuGraphAddNode and
 * others).
 *
 * Called by users of the library. CUgraphNodeParams describes a node of any
 * type. For kernel, memcpy, memset and host nodes, this structure is converted
 * to the parameter structure of the type-specific functions, such as
 * cuGraphAddMemcpyNode. The functions called here acquire the graph lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/exec.h"
#include "cpu/graph/graph.h"

/* The parameter structure of a type-specific function such as
 * cuGraphAddMemcpyNode, and the context that the node runs in. */
struct plain_params {
    union {
        CUDA_KERNEL_NODE_PARAMS kernel;
        CUDA_MEMCPY3D copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        CUDA_HOST_NODE_PARAMS host;
    } as;
    CUcontext ctx;
};

/* Converts the parameters of a kernel, memcpy, memset or host node to the
 * structure of the type-specific function. */
static void
params_convert(const CUgraphNodeParams *params, struct plain_params *plain)
{
    switch ((int)params->type) {
    /* the two structures of kernel parameters have the same layout, so one is
     * copied to the other */
    case CU_GRAPH_NODE_TYPE_KERNEL:
        memcpy(&plain->as.kernel, &params->kernel, sizeof plain->as.kernel);
        plain->ctx = params->kernel.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        plain->as.copy = params->memcpy.copyParams;
        plain->ctx = params->memcpy.copyCtx;
        break;
    /* CUDA_MEMSET_NODE_PARAMS is a prefix of the newer structure */
    case CU_GRAPH_NODE_TYPE_MEMSET:
        memcpy(&plain->as.fill, &params->memset, sizeof plain->as.fill);
        plain->ctx = params->memset.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        plain->as.host.fn = params->host.fn;
        plain->as.host.userData = params->host.userData;
        break;
    default:
        break;
    }
}

/* Creates a task (the work of a graph node) from the parameters. The task runs
 * in `ctx` if the parameters name no context. Also converts the parameters to
 * the type-specific structure `plain`, which later queries of the node
 * return. */
static CUresult
params_task(const CUgraphNodeParams *params, CUcontext ctx,
            struct plain_params *plain, struct cpu_node_task *task)
{
    *plain = (struct plain_params){0};
    switch ((int)params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_HOST:
        params_convert(params, plain);
        return cpu_node_task_make(params->type, &plain->as,
                                  plain->ctx ? plain->ctx : ctx, task);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return cpu_node_task_make(params->type, NULL, NULL, task);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cpu_event_task(params->type, params->eventWait.event, task);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cpu_event_task(params->type, params->eventRecord.event, task);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        /* params->memOp has the layout of CUDA_BATCH_MEM_OP_NODE_PARAMS */
        return cpu_batch_task((const CUDA_BATCH_MEM_OP_NODE_PARAMS
                                   *)(const void *)&params->memOp,
                              task);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult
task_add(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
         const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *params)
{
    struct plain_params plain;
    struct cpu_node_task task;
    CUresult code = params_task(params, NULL, &plain, &task);

    return code ? code
                : cpu_node_insert(made, graph, after, data, count, &task,
                                  &plain.as);
}

CPU_API CUresult
cuGraphAddNode_v2(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
                  const CUgraphEdgeData *data, size_t count,
                  CUgraphNodeParams *params)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!made || !params) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch ((int)params->type) {
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cpu_child_add(made, graph, after, data, count, &params->graph);
    /* params->alloc has the layout of CUDA_MEM_ALLOC_NODE_PARAMS */
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return cpu_allocation_add(
            made, graph, after, data, count,
            (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)&params->alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return cpu_free_add(made, graph, after, data, count,
                            params->free.dptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return cpu_conditional_add(made, graph, after, data, count,
                                   &params->conditional);
    default:
        return task_add(made, graph, after, data, count, params);
    }
}

CPU_API CUresult
cuGraphAddNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after,
               size_t count, CUgraphNodeParams *params)
{
    return cuGraphAddNode_v2(made, graph, after, NULL, count, params);
}

CPU_API CUresult
cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    struct plain_params plain;
    struct cpu_node_task task;
    CUresult code = cpu_ready();

    if (!code && !params) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        code = params_task(params, cpu_node_context(node), &plain, &task);
    }
    return code ? code : cpu_node_set_task(node, &task, &plain.as);
}

CPU_API CUresult
cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                         CUgraphNodeParams *params)
{
    struct plain_params plain;
    struct cpu_node_task task;
    CUresult code = cpu_ready();

    if (!code && !params) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code && params->type == CU_GRAPH_NODE_TYPE_GRAPH) {
        return cpu_exec_set_child(exec, node, params->graph.graph);
    }
    if (!code) {
        code =
            params_task(params, cpu_step_context(exec, node), &plain, &task);
    }
    return code ? code : cpu_exec_set_task(exec, node, &task);
}
