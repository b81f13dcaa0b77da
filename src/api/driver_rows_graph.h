/* driver_rows_graph.h - driver functions for graphs and user objects.
 *
 * Part of driver_rows.h, which explains the rows.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

DRIVER_ROW(cuGraphCreate, cuGraphCreate, 10000, cuGraphCreate,
    (CUgraph *graph, unsigned int flags), (graph, flags))
DRIVER_ROW(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, 12000,
    cuGraphAddKernelNode_v2,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, const CUDA_KERNEL_NODE_PARAMS *parameters),
    (node, graph, dependencies, dependency_count, parameters))
DRIVER_ROW(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, 12000,
    cuGraphKernelNodeGetParams_v2,
    (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *parameters),
    (node, parameters))
DRIVER_ROW(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, 12000,
    cuGraphKernelNodeSetParams_v2,
    (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *parameters),
    (node, parameters))
DRIVER_ROW(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000,
    cuGraphAddMemcpyNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, const CUDA_MEMCPY3D *copy_params,
     CUcontext context),
    (node, graph, dependencies, dependency_count, copy_params, context))
DRIVER_ROW(cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, 10000,
    cuGraphMemcpyNodeGetParams,
    (CUgraphNode node, CUDA_MEMCPY3D *parameters), (node, parameters))
DRIVER_ROW(cuGraphMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams, 10000,
    cuGraphMemcpyNodeSetParams,
    (CUgraphNode node, const CUDA_MEMCPY3D *parameters), (node, parameters))
DRIVER_ROW(cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000,
    cuGraphAddMemsetNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, const CUDA_MEMSET_NODE_PARAMS *memset_params,
     CUcontext context),
    (node, graph, dependencies, dependency_count, memset_params, context))
DRIVER_ROW(cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, 10000,
    cuGraphMemsetNodeGetParams,
    (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *parameters),
    (node, parameters))
DRIVER_ROW(cuGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams, 10000,
    cuGraphMemsetNodeSetParams,
    (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *parameters),
    (node, parameters))
DRIVER_ROW(cuGraphAddHostNode, cuGraphAddHostNode, 10000, cuGraphAddHostNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, const CUDA_HOST_NODE_PARAMS *parameters),
    (node, graph, dependencies, dependency_count, parameters))
DRIVER_ROW(cuGraphHostNodeGetParams, cuGraphHostNodeGetParams, 10000,
    cuGraphHostNodeGetParams,
    (CUgraphNode node, CUDA_HOST_NODE_PARAMS *parameters), (node, parameters))
DRIVER_ROW(cuGraphHostNodeSetParams, cuGraphHostNodeSetParams, 10000,
    cuGraphHostNodeSetParams,
    (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *parameters),
    (node, parameters))
DRIVER_ROW(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000,
    cuGraphAddChildGraphNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, CUgraph child_graph),
    (node, graph, dependencies, dependency_count, child_graph))
DRIVER_ROW(cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, 10000,
    cuGraphChildGraphNodeGetGraph,
    (CUgraphNode node, CUgraph *graph), (node, graph))
DRIVER_ROW(cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000,
    cuGraphAddEmptyNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count),
    (node, graph, dependencies, dependency_count))
DRIVER_ROW(cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010,
    cuGraphAddEventRecordNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, CUevent event),
    (node, graph, dependencies, dependency_count, event))
DRIVER_ROW(cuGraphEventRecordNodeGetEvent,
    cuGraphEventRecordNodeGetEvent, 11010,
    cuGraphEventRecordNodeGetEvent,
    (CUgraphNode node, CUevent *event), (node, event))
DRIVER_ROW(cuGraphEventRecordNodeSetEvent,
    cuGraphEventRecordNodeSetEvent, 11010,
    cuGraphEventRecordNodeSetEvent,
    (CUgraphNode node, CUevent event), (node, event))
DRIVER_ROW(cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010,
    cuGraphAddEventWaitNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, CUevent event),
    (node, graph, dependencies, dependency_count, event))
DRIVER_ROW(cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, 11010,
    cuGraphEventWaitNodeGetEvent,
    (CUgraphNode node, CUevent *event), (node, event))
DRIVER_ROW(cuGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, 11010,
    cuGraphEventWaitNodeSetEvent,
    (CUgraphNode node, CUevent event), (node, event))
DRIVER_ROW(cuGraphClone, cuGraphClone, 10000, cuGraphClone,
    (CUgraph *graph_clone, CUgraph original_graph),
    (graph_clone, original_graph))
DRIVER_ROW(cuGraphNodeFindInClone, cuGraphNodeFindInClone, 10000,
    cuGraphNodeFindInClone,
    (CUgraphNode *node, CUgraphNode original_node, CUgraph cloned_graph),
    (node, original_node, cloned_graph))
DRIVER_ROW(cuGraphNodeGetType, cuGraphNodeGetType, 10000, cuGraphNodeGetType,
    (CUgraphNode node, CUgraphNodeType *type), (node, type))
DRIVER_ROW(cuGraphGetNodes, cuGraphGetNodes, 10000, cuGraphGetNodes,
    (CUgraph graph, CUgraphNode *nodes, size_t *count), (graph, nodes, count))
DRIVER_ROW(cuGraphGetRootNodes, cuGraphGetRootNodes, 10000,
    cuGraphGetRootNodes,
    (CUgraph graph, CUgraphNode *root_nodes, size_t *count),
    (graph, root_nodes, count))
DRIVER_ROW(cuGraphGetEdges, cuGraphGetEdges, 10000, cuGraphGetEdges,
    (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count),
    (graph, from, to, count))
DRIVER_ROW(cuGraphNodeGetDependencies, cuGraphNodeGetDependencies, 10000,
    cuGraphNodeGetDependencies,
    (CUgraphNode node, CUgraphNode *dependencies, size_t *dependency_count),
    (node, dependencies, dependency_count))
DRIVER_ROW(cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes, 10000,
    cuGraphNodeGetDependentNodes,
    (CUgraphNode node, CUgraphNode *dependent_nodes, size_t *count),
    (node, dependent_nodes, count))
DRIVER_ROW(cuGraphAddDependencies, cuGraphAddDependencies, 10000,
    cuGraphAddDependencies,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
     size_t dependency_count),
    (graph, from, to, dependency_count))
DRIVER_ROW(cuGraphRemoveDependencies, cuGraphRemoveDependencies, 10000,
    cuGraphRemoveDependencies,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
     size_t dependency_count),
    (graph, from, to, dependency_count))
DRIVER_ROW(cuGraphDestroyNode, cuGraphDestroyNode, 10000, cuGraphDestroyNode,
    (CUgraphNode node), (node))
DRIVER_ROW(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040,
    cuGraphInstantiateWithFlags,
    (CUgraphExec *exec, CUgraph graph, unsigned long long flags),
    (exec, graph, flags))
DRIVER_ROW(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000,
    cuGraphInstantiateWithParams_ptsz,
    (CUgraphExec *exec, CUgraph graph,
     CUDA_GRAPH_INSTANTIATE_PARAMS *instantiate_params),
    (exec, graph, instantiate_params))
DRIVER_ROW(cuGraphExecGetFlags, cuGraphExecGetFlags, 12000,
    cuGraphExecGetFlags,
    (CUgraphExec exec, cuuint64_t *flags), (exec, flags))
DRIVER_ROW(cuGraphExecKernelNodeSetParams,
    cuGraphExecKernelNodeSetParams_v2, 12000,
    cuGraphExecKernelNodeSetParams_v2,
    (CUgraphExec exec, CUgraphNode node,
     const CUDA_KERNEL_NODE_PARAMS *parameters),
    (exec, node, parameters))
DRIVER_ROW(cuGraphExecMemcpyNodeSetParams,
    cuGraphExecMemcpyNodeSetParams, 10020,
    cuGraphExecMemcpyNodeSetParams,
    (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy_params,
     CUcontext context),
    (exec, node, copy_params, context))
DRIVER_ROW(cuGraphExecMemsetNodeSetParams,
    cuGraphExecMemsetNodeSetParams, 10020,
    cuGraphExecMemsetNodeSetParams,
    (CUgraphExec exec, CUgraphNode node,
     const CUDA_MEMSET_NODE_PARAMS *memset_params, CUcontext context),
    (exec, node, memset_params, context))
DRIVER_ROW(cuGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams, 10020,
    cuGraphExecHostNodeSetParams,
    (CUgraphExec exec, CUgraphNode node,
     const CUDA_HOST_NODE_PARAMS *parameters),
    (exec, node, parameters))
DRIVER_ROW(cuGraphExecChildGraphNodeSetParams,
    cuGraphExecChildGraphNodeSetParams, 11010,
    cuGraphExecChildGraphNodeSetParams,
    (CUgraphExec exec, CUgraphNode node, CUgraph child_graph),
    (exec, node, child_graph))
DRIVER_ROW(cuGraphExecEventRecordNodeSetEvent,
    cuGraphExecEventRecordNodeSetEvent, 11010,
    cuGraphExecEventRecordNodeSetEvent,
    (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
DRIVER_ROW(cuGraphExecEventWaitNodeSetEvent,
    cuGraphExecEventWaitNodeSetEvent, 11010,
    cuGraphExecEventWaitNodeSetEvent,
    (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
DRIVER_ROW(cuGraphUpload, cuGraphUpload, 11010, cuGraphUpload_ptsz,
    (CUgraphExec graph, CUstream stream), (graph, stream))
DRIVER_ROW(cuGraphLaunch, cuGraphLaunch, 10000, cuGraphLaunch_ptsz,
    (CUgraphExec graph, CUstream stream), (graph, stream))
DRIVER_ROW(cuGraphExecDestroy, cuGraphExecDestroy, 10000, cuGraphExecDestroy,
    (CUgraphExec exec), (exec))
DRIVER_ROW(cuGraphDestroy, cuGraphDestroy, 10000, cuGraphDestroy,
    (CUgraph graph), (graph))
DRIVER_ROW(cuGraphExecUpdate, cuGraphExecUpdate_v2, 12000,
    cuGraphExecUpdate_v2,
    (CUgraphExec exec, CUgraph graph,
     CUgraphExecUpdateResultInfo *result_info),
    (exec, graph, result_info))
DRIVER_ROW(cuGraphKernelNodeCopyAttributes,
    cuGraphKernelNodeCopyAttributes, 11000,
    cuGraphKernelNodeCopyAttributes,
    (CUgraphNode destination, CUgraphNode source), (destination, source))
DRIVER_ROW(cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, 11000,
    cuGraphKernelNodeGetAttribute,
    (CUgraphNode node, CUkernelNodeAttrID attribute,
     CUkernelNodeAttrValue *value),
    (node, attribute, value))
DRIVER_ROW(cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, 11000,
    cuGraphKernelNodeSetAttribute,
    (CUgraphNode node, CUkernelNodeAttrID attribute,
     const CUkernelNodeAttrValue *value),
    (node, attribute, value))
DRIVER_ROW(cuGraphDebugDotPrint, cuGraphDebugDotPrint, 11030,
    cuGraphDebugDotPrint,
    (CUgraph graph, const char *path, unsigned int flags),
    (graph, path, flags))
DRIVER_ROW(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040,
    cuGraphAddMemAllocNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, CUDA_MEM_ALLOC_NODE_PARAMS *parameters),
    (node, graph, dependencies, dependency_count, parameters))
DRIVER_ROW(cuGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, 11040,
    cuGraphMemAllocNodeGetParams,
    (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params), (node, params))
DRIVER_ROW(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040,
    cuGraphAddMemFreeNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, CUdeviceptr pointer),
    (node, graph, dependencies, dependency_count, pointer))
DRIVER_ROW(cuGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams, 11040,
    cuGraphMemFreeNodeGetParams,
    (CUgraphNode node, CUdeviceptr *dptr), (node, dptr))
DRIVER_ROW(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060,
    cuGraphNodeSetEnabled,
    (CUgraphExec exec, CUgraphNode node, unsigned int is_enabled),
    (exec, node, is_enabled))
DRIVER_ROW(cuGraphNodeGetEnabled, cuGraphNodeGetEnabled, 11060,
    cuGraphNodeGetEnabled,
    (CUgraphExec exec, CUgraphNode node, unsigned int *is_enabled),
    (exec, node, is_enabled))
DRIVER_ROW(cuGraphAddNode, cuGraphAddNode, 12020, cuGraphAddNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, CUgraphNodeParams *parameters),
    (node, graph, dependencies, dependency_count, parameters))
DRIVER_ROW(cuGraphNodeSetParams, cuGraphNodeSetParams, 12020,
    cuGraphNodeSetParams,
    (CUgraphNode node, CUgraphNodeParams *parameters), (node, parameters))
DRIVER_ROW(cuGraphExecNodeSetParams, cuGraphExecNodeSetParams, 12020,
    cuGraphExecNodeSetParams,
    (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *parameters),
    (exec, node, parameters))
DRIVER_ROW(cuGraphConditionalHandleCreate,
    cuGraphConditionalHandleCreate, 12030,
    cuGraphConditionalHandleCreate,
    (CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
     unsigned int default_launch_value, unsigned int flags),
    (handle, graph, context, default_launch_value, flags))
DRIVER_ROW(cuUserObjectCreate, cuUserObjectCreate, 11030, cuUserObjectCreate,
    (CUuserObject *object, void *pointer, CUhostFn destroy,
     unsigned int initial_refcount, unsigned int flags),
    (object, pointer, destroy, initial_refcount, flags))
DRIVER_ROW(cuUserObjectRetain, cuUserObjectRetain, 11030, cuUserObjectRetain,
    (CUuserObject object, unsigned int count), (object, count))
DRIVER_ROW(cuUserObjectRelease, cuUserObjectRelease, 11030,
    cuUserObjectRelease,
    (CUuserObject object, unsigned int count), (object, count))
DRIVER_ROW(cuGraphRetainUserObject, cuGraphRetainUserObject, 11030,
    cuGraphRetainUserObject,
    (CUgraph graph, CUuserObject object, unsigned int count,
     unsigned int flags),
    (graph, object, count, flags))
DRIVER_ROW(cuGraphReleaseUserObject, cuGraphReleaseUserObject, 11030,
    cuGraphReleaseUserObject,
    (CUgraph graph, CUuserObject object, unsigned int count),
    (graph, object, count))
DRIVER_ROW(cuGraphInstantiate, cuGraphInstantiate_v2, 11000,
    cuGraphInstantiate_v2,
    (CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node,
     char *log_buffer, size_t buffer_size),
    (exec, graph, error_node, log_buffer, buffer_size))
DRIVER_ROW(cuGraphAddBatchMemOpNode, cuGraphAddBatchMemOpNode, 11070,
    cuGraphAddBatchMemOpNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count,
     const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters),
    (node, graph, dependencies, dependency_count, parameters))
DRIVER_ROW(cuGraphBatchMemOpNodeGetParams,
    cuGraphBatchMemOpNodeGetParams, 11070,
    cuGraphBatchMemOpNodeGetParams,
    (CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters),
    (node, parameters))
DRIVER_ROW(cuGraphBatchMemOpNodeSetParams,
    cuGraphBatchMemOpNodeSetParams, 11070,
    cuGraphBatchMemOpNodeSetParams,
    (CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters),
    (node, parameters))
DRIVER_ROW(cuGraphExecBatchMemOpNodeSetParams,
    cuGraphExecBatchMemOpNodeSetParams, 11070,
    cuGraphExecBatchMemOpNodeSetParams,
    (CUgraphExec exec, CUgraphNode node,
     const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters),
    (exec, node, parameters))
