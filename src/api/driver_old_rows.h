/* driver_old_rows.h - driver functions whose signature differs between CUDA
 * versions: the signatures that are not in driver_rows.h.
 *
 * Define DRIVER_OLD_ROW, which takes the arguments of DRIVER_ROW, and include
 * this file, which undefines it. Only the CPU device's cuGetProcAddress uses
 * these rows; the loader does not. cuGetProcAddress searches the rows of a
 * function here and in driver_rows.h, and chooses the newest one whose CUDA
 * version is not above the requested version.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

DRIVER_OLD_ROW(cuDeviceGetUuid, cuDeviceGetUuid, 9020, cuDeviceGetUuid,
    (CUuuid *uuid, CUdevice device), (uuid, device))
DRIVER_OLD_ROW(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000,
    cuDevicePrimaryCtxRelease,
    (CUdevice device), (device))
DRIVER_OLD_ROW(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags, 7000,
    cuDevicePrimaryCtxSetFlags,
    (CUdevice device, unsigned int flags), (device, flags))
DRIVER_OLD_ROW(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000,
    cuDevicePrimaryCtxReset,
    (CUdevice device), (device))
DRIVER_OLD_ROW(cuCtxCreate, cuCtxCreate_v3, 11040, cuCtxCreate_v3,
    (CUcontext *context, CUexecAffinityParam *params_array, int param_count,
     unsigned int flags, CUdevice device),
    (context, params_array, param_count, flags, device))
DRIVER_OLD_ROW(cuCtxCreate, cuCtxCreate_v4, 12050, cuCtxCreate_v4,
    (CUcontext *context, CUctxCreateParams *ctx_create_params,
     unsigned int flags, CUdevice device),
    (context, ctx_create_params, flags, device))
DRIVER_OLD_ROW(cuCtxGetDevice, cuCtxGetDevice_v2, 13000, cuCtxGetDevice_v2,
    (CUdevice *device, CUcontext context), (device, context))
DRIVER_OLD_ROW(cuCtxSynchronize, cuCtxSynchronize_v2, 13000,
    cuCtxSynchronize_v2,
    (CUcontext context), (context))
DRIVER_OLD_ROW(cuLinkCreate, cuLinkCreate, 5050, cuLinkCreate,
    (unsigned int option_count, CUjit_option *options, void **option_values,
     CUlinkState *state),
    (option_count, options, option_values, state))
DRIVER_OLD_ROW(cuLinkAddData, cuLinkAddData, 5050, cuLinkAddData,
    (CUlinkState state, CUjitInputType type, void *data, size_t size,
     const char *name, unsigned int option_count, CUjit_option *options,
     void **option_values),
    (state, type, data, size, name, option_count, options, option_values))
DRIVER_OLD_ROW(cuLinkAddFile, cuLinkAddFile, 5050, cuLinkAddFile,
    (CUlinkState state, CUjitInputType type, const char *path,
     unsigned int option_count, CUjit_option *options, void **option_values),
    (state, type, path, option_count, options, option_values))
DRIVER_OLD_ROW(cuIpcOpenMemHandle, cuIpcOpenMemHandle, 4010,
    cuIpcOpenMemHandle,
    (CUdeviceptr *pointer, CUipcMemHandle handle, unsigned int flags),
    (pointer, handle, flags))
DRIVER_OLD_ROW(cuMemHostRegister, cuMemHostRegister, 4000, cuMemHostRegister,
    (void *pointer, size_t bytes, unsigned int flags), (pointer, bytes, flags))
DRIVER_OLD_ROW(cuMemPrefetchAsync, cuMemPrefetchAsync_v2, 12020,
    cuMemPrefetchAsync_v2_ptsz,
    (CUdeviceptr pointer, size_t count, CUmemLocation location,
     unsigned int flags, CUstream stream),
    (pointer, count, location, flags, stream))
DRIVER_OLD_ROW(cuMemAdvise, cuMemAdvise_v2, 12020, cuMemAdvise_v2,
    (CUdeviceptr pointer, size_t count, CUmem_advise advice,
     CUmemLocation location),
    (pointer, count, advice, location))
DRIVER_OLD_ROW(cuStreamGetCtx, cuStreamGetCtx_v2, 12050,
    cuStreamGetCtx_v2_ptsz,
    (CUstream stream, CUcontext *context, CUgreenCtx *green_ctx),
    (stream, context, green_ctx))
DRIVER_OLD_ROW(cuStreamBeginCapture, cuStreamBeginCapture, 10000,
    cuStreamBeginCapture_ptsz,
    (CUstream stream), (stream))
DRIVER_OLD_ROW(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010,
    cuStreamGetCaptureInfo_ptsz,
    (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id),
    (stream, status, id))
DRIVER_OLD_ROW(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030,
    cuStreamGetCaptureInfo_v3_ptsz,
    (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
     CUgraph *graph, const CUgraphNode **dependencies,
     const CUgraphEdgeData **edges, size_t *dependency_count),
    (stream, status, id, graph, dependencies, edges, dependency_count))
DRIVER_OLD_ROW(cuStreamUpdateCaptureDependencies,
    cuStreamUpdateCaptureDependencies_v2, 12030,
    cuStreamUpdateCaptureDependencies_v2_ptsz,
    (CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges,
     size_t dependency_count, unsigned int flags),
    (stream, dependencies, edges, dependency_count, flags))
DRIVER_OLD_ROW(cuEventElapsedTime, cuEventElapsedTime_v2, 12080,
    cuEventElapsedTime_v2,
    (float *milliseconds, CUevent start, CUevent end),
    (milliseconds, start, end))
DRIVER_OLD_ROW(cuStreamWaitValue32, cuStreamWaitValue32, 8000,
    cuStreamWaitValue32_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_OLD_ROW(cuStreamWaitValue64, cuStreamWaitValue64, 9000,
    cuStreamWaitValue64_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_OLD_ROW(cuStreamWriteValue32, cuStreamWriteValue32, 8000,
    cuStreamWriteValue32_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_OLD_ROW(cuStreamWriteValue64, cuStreamWriteValue64, 9000,
    cuStreamWriteValue64_ptsz,
    (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags),
    (stream, addr, value, flags))
DRIVER_OLD_ROW(cuGraphAddKernelNode, cuGraphAddKernelNode, 10000,
    cuGraphAddKernelNode,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     size_t dependency_count, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
    (node, graph, dependencies, dependency_count, parameters))
DRIVER_OLD_ROW(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams, 10000,
    cuGraphKernelNodeGetParams,
    (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
    (node, parameters))
DRIVER_OLD_ROW(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams, 10000,
    cuGraphKernelNodeSetParams,
    (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
    (node, parameters))
DRIVER_OLD_ROW(cuGraphGetEdges, cuGraphGetEdges_v2, 12030, cuGraphGetEdges_v2,
    (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
     size_t *count),
    (graph, from, to, edges, count))
DRIVER_OLD_ROW(cuGraphNodeGetDependencies,
    cuGraphNodeGetDependencies_v2, 12030,
    cuGraphNodeGetDependencies_v2,
    (CUgraphNode node, CUgraphNode *dependencies, CUgraphEdgeData *edges,
     size_t *dependency_count),
    (node, dependencies, edges, dependency_count))
DRIVER_OLD_ROW(cuGraphNodeGetDependentNodes,
    cuGraphNodeGetDependentNodes_v2, 12030,
    cuGraphNodeGetDependentNodes_v2,
    (CUgraphNode node, CUgraphNode *dependent_nodes, CUgraphEdgeData *edges,
     size_t *count),
    (node, dependent_nodes, edges, count))
DRIVER_OLD_ROW(cuGraphAddDependencies, cuGraphAddDependencies_v2, 12030,
    cuGraphAddDependencies_v2,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
     const CUgraphEdgeData *edges, size_t dependency_count),
    (graph, from, to, edges, dependency_count))
DRIVER_OLD_ROW(cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2, 12030,
    cuGraphRemoveDependencies_v2,
    (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
     const CUgraphEdgeData *edges, size_t dependency_count),
    (graph, from, to, edges, dependency_count))
DRIVER_OLD_ROW(cuGraphExecKernelNodeSetParams,
    cuGraphExecKernelNodeSetParams, 10010,
    cuGraphExecKernelNodeSetParams,
    (CUgraphExec exec, CUgraphNode node,
     const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
    (exec, node, parameters))
DRIVER_OLD_ROW(cuGraphExecUpdate, cuGraphExecUpdate, 10020, cuGraphExecUpdate,
    (CUgraphExec exec, CUgraph graph, CUgraphNode *error_node,
     CUgraphExecUpdateResult *result),
    (exec, graph, error_node, result))
DRIVER_OLD_ROW(cuGraphAddNode, cuGraphAddNode_v2, 12030, cuGraphAddNode_v2,
    (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
     const CUgraphEdgeData *edges, size_t dependency_count,
     CUgraphNodeParams *parameters),
    (node, graph, dependencies, edges, dependency_count, parameters))
DRIVER_OLD_ROW(cuGetProcAddress, cuGetProcAddress, 11030, cuGetProcAddress,
    (const char *symbol, void **address, int version, cuuint64_t flags),
    (symbol, address, version, flags))
DRIVER_OLD_ROW(cuGraphInstantiate, cuGraphInstantiate, 10000,
    cuGraphInstantiate,
    (CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node,
     char *log_buffer, size_t buffer_size),
    (exec, graph, error_node, log_buffer, buffer_size))
DRIVER_OLD_ROW(cuGraphInstantiate, cuGraphInstantiateWithFlags, 12000,
    cuGraphInstantiateWithFlags,
    (CUgraphExec *exec, CUgraph graph, unsigned long long flags),
    (exec, graph, flags))

DRIVER_OLD_ROW(cuStreamBatchMemOp, cuStreamBatchMemOp, 8000,
    cuStreamBatchMemOp_ptsz,
    (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *operations,
     unsigned int flags),
    (stream, count, operations, flags))
DRIVER_OLD_ROW(cuMemcpyBatchAsync, cuMemcpyBatchAsync, 12080,
    cuMemcpyBatchAsync_ptsz,
    (CUdeviceptr *destinations, CUdeviceptr *sources, size_t *sizes,
     size_t count, CUmemcpyAttributes *attributes, size_t *attribute_indices,
     size_t attribute_count, size_t *failed, CUstream stream),
    (destinations, sources, sizes, count, attributes, attribute_indices,
     attribute_count, failed, stream))
DRIVER_OLD_ROW(cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync, 12080,
    cuMemcpy3DBatchAsync_ptsz,
    (size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
     unsigned long long flags, CUstream stream),
    (count, operations, failed, flags, stream))

#undef DRIVER_OLD_ROW
