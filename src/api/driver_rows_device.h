/* driver_rows_device.h - driver functions for devices, contexts and the
 * process as a whole.
 *
 * Part of driver_rows.h, which explains the rows.
 *
 * SPDX-License-Identifier: MIT */

/* clang-format off */

DRIVER_ROW(cuGetErrorString, cuGetErrorString, 6000, cuGetErrorString,
    (CUresult error, const char **text), (error, text))
DRIVER_ROW(cuGetErrorName, cuGetErrorName, 6000, cuGetErrorName,
    (CUresult error, const char **text), (error, text))
DRIVER_ROW(cuInit, cuInit, 2000, cuInit,
    (unsigned int flags), (flags))
DRIVER_ROW(cuDriverGetVersion, cuDriverGetVersion, 2020, cuDriverGetVersion,
    (int *version), (version))
DRIVER_ROW(cuDeviceGet, cuDeviceGet, 2000, cuDeviceGet,
    (CUdevice *device, int ordinal), (device, ordinal))
DRIVER_ROW(cuDeviceGetCount, cuDeviceGetCount, 2000, cuDeviceGetCount,
    (int *count), (count))
DRIVER_ROW(cuDeviceGetName, cuDeviceGetName, 2000, cuDeviceGetName,
    (char *name, int length, CUdevice device), (name, length, device))
DRIVER_ROW(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, cuDeviceGetUuid_v2,
    (CUuuid *uuid, CUdevice device), (uuid, device))
DRIVER_ROW(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, cuDeviceTotalMem_v2,
    (size_t *bytes, CUdevice device), (bytes, device))
DRIVER_ROW(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000,
    cuDeviceGetAttribute,
    (int *value, CUdevice_attribute attribute, CUdevice device),
    (value, attribute, device))
DRIVER_ROW(cuDeviceSetMemPool, cuDeviceSetMemPool, 11020, cuDeviceSetMemPool,
    (CUdevice device, CUmemoryPool pool), (device, pool))
DRIVER_ROW(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, cuDeviceGetMemPool,
    (CUmemoryPool *pool, CUdevice device), (pool, device))
DRIVER_ROW(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020,
    cuDeviceGetDefaultMemPool,
    (CUmemoryPool *pool, CUdevice device), (pool, device))
DRIVER_ROW(cuDeviceGetProperties, cuDeviceGetProperties, 2000,
    cuDeviceGetProperties,
    (CUdevprop *prop, CUdevice device), (prop, device))
DRIVER_ROW(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000,
    cuDeviceComputeCapability,
    (int *major, int *minor, CUdevice device), (major, minor, device))
DRIVER_ROW(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000,
    cuDevicePrimaryCtxRetain,
    (CUcontext *context, CUdevice device), (context, device))
DRIVER_ROW(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000,
    cuDevicePrimaryCtxRelease_v2,
    (CUdevice device), (device))
DRIVER_ROW(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000,
    cuDevicePrimaryCtxSetFlags_v2,
    (CUdevice device, unsigned int flags), (device, flags))
DRIVER_ROW(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000,
    cuDevicePrimaryCtxGetState,
    (CUdevice device, unsigned int *flags, int *active),
    (device, flags, active))
DRIVER_ROW(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000,
    cuDevicePrimaryCtxReset_v2,
    (CUdevice device), (device))
DRIVER_ROW(cuCtxCreate, cuCtxCreate_v2, 3020, cuCtxCreate_v2,
    (CUcontext *context, unsigned int flags, CUdevice device),
    (context, flags, device))
DRIVER_ROW(cuCtxGetId, cuCtxGetId, 12000, cuCtxGetId,
    (CUcontext context, unsigned long long *ctx_id), (context, ctx_id))
DRIVER_ROW(cuCtxDestroy, cuCtxDestroy_v2, 4000, cuCtxDestroy_v2,
    (CUcontext context), (context))
DRIVER_ROW(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, cuCtxPushCurrent_v2,
    (CUcontext context), (context))
DRIVER_ROW(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, cuCtxPopCurrent_v2,
    (CUcontext *context), (context))
DRIVER_ROW(cuCtxSetCurrent, cuCtxSetCurrent, 4000, cuCtxSetCurrent,
    (CUcontext context), (context))
DRIVER_ROW(cuCtxGetCurrent, cuCtxGetCurrent, 4000, cuCtxGetCurrent,
    (CUcontext *context), (context))
DRIVER_ROW(cuCtxGetDevice, cuCtxGetDevice, 2000, cuCtxGetDevice,
    (CUdevice *device), (device))
DRIVER_ROW(cuCtxGetFlags, cuCtxGetFlags, 7000, cuCtxGetFlags,
    (unsigned int *flags), (flags))
DRIVER_ROW(cuCtxSetFlags, cuCtxSetFlags, 12010, cuCtxSetFlags,
    (unsigned int flags), (flags))
DRIVER_ROW(cuCtxSynchronize, cuCtxSynchronize, 2000, cuCtxSynchronize,
    (void), ())
DRIVER_ROW(cuCtxSetLimit, cuCtxSetLimit, 3010, cuCtxSetLimit,
    (CUlimit limit, size_t value), (limit, value))
DRIVER_ROW(cuCtxGetLimit, cuCtxGetLimit, 3010, cuCtxGetLimit,
    (size_t *value, CUlimit limit), (value, limit))
DRIVER_ROW(cuCtxGetCacheConfig, cuCtxGetCacheConfig, 3020, cuCtxGetCacheConfig,
    (CUfunc_cache *pconfig), (pconfig))
DRIVER_ROW(cuCtxSetCacheConfig, cuCtxSetCacheConfig, 3020, cuCtxSetCacheConfig,
    (CUfunc_cache config), (config))
DRIVER_ROW(cuCtxGetSharedMemConfig, cuCtxGetSharedMemConfig, 4020,
    cuCtxGetSharedMemConfig,
    (CUsharedconfig *config), (config))
DRIVER_ROW(cuCtxSetSharedMemConfig, cuCtxSetSharedMemConfig, 4020,
    cuCtxSetSharedMemConfig,
    (CUsharedconfig config), (config))
DRIVER_ROW(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, cuCtxGetApiVersion,
    (CUcontext context, unsigned int *version), (context, version))
DRIVER_ROW(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050,
    cuCtxGetStreamPriorityRange,
    (int *least, int *greatest), (least, greatest))
DRIVER_ROW(cuCtxAttach, cuCtxAttach, 2000, cuCtxAttach,
    (CUcontext *context, unsigned int flags), (context, flags))
DRIVER_ROW(cuCtxDetach, cuCtxDetach, 2000, cuCtxDetach,
    (CUcontext context), (context))
DRIVER_ROW(cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010,
    cuDeviceGetByPCIBusId,
    (CUdevice *device, const char *bus_id), (device, bus_id))
DRIVER_ROW(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, cuDeviceGetPCIBusId,
    (char *bus_id, int length, CUdevice device), (bus_id, length, device))
DRIVER_ROW(cuIpcGetEventHandle, cuIpcGetEventHandle, 4010, cuIpcGetEventHandle,
    (CUipcEventHandle *handle, CUevent event), (handle, event))
DRIVER_ROW(cuIpcOpenEventHandle, cuIpcOpenEventHandle, 4010,
    cuIpcOpenEventHandle,
    (CUevent *event, CUipcEventHandle handle), (event, handle))
DRIVER_ROW(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010, cuIpcGetMemHandle,
    (CUipcMemHandle *handle, CUdeviceptr pointer), (handle, pointer))
DRIVER_ROW(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 11000,
    cuIpcOpenMemHandle_v2,
    (CUdeviceptr *pointer, CUipcMemHandle handle, unsigned int flags),
    (pointer, handle, flags))
DRIVER_ROW(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010, cuIpcCloseMemHandle,
    (CUdeviceptr pointer), (pointer))
DRIVER_ROW(cuDeviceGraphMemTrim, cuDeviceGraphMemTrim, 11040,
    cuDeviceGraphMemTrim,
    (CUdevice device), (device))
DRIVER_ROW(cuDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute, 11040,
    cuDeviceGetGraphMemAttribute,
    (CUdevice device, CUgraphMem_attribute attribute, void *value),
    (device, attribute, value))
DRIVER_ROW(cuDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute, 11040,
    cuDeviceSetGraphMemAttribute,
    (CUdevice device, CUgraphMem_attribute attribute, void *value),
    (device, attribute, value))
DRIVER_ROW(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000,
    cuDeviceCanAccessPeer,
    (int *can_access_peer, CUdevice device, CUdevice peer_dev),
    (can_access_peer, device, peer_dev))
DRIVER_ROW(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000,
    cuCtxEnablePeerAccess,
    (CUcontext peer_context, unsigned int flags), (peer_context, flags))
DRIVER_ROW(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000,
    cuCtxDisablePeerAccess,
    (CUcontext peer_context), (peer_context))
DRIVER_ROW(cuDeviceGetP2PAttribute, cuDeviceGetP2PAttribute, 8000,
    cuDeviceGetP2PAttribute,
    (int *value, CUdevice_P2PAttribute attribute, CUdevice source,
     CUdevice destination),
    (value, attribute, source, destination))
DRIVER_ROW(cuGetProcAddress, cuGetProcAddress_v2, 12000, cuGetProcAddress_v2,
    (const char *symbol, void **address, int version, cuuint64_t flags,
     CUdriverProcAddressQueryResult *symbol_found),
    (symbol, address, version, flags, symbol_found))
DRIVER_ROW(cuProfilerStart, cuProfilerStart, 4000, cuProfilerStart,
    (void), ())
DRIVER_ROW(cuProfilerStop, cuProfilerStop, 4000, cuProfilerStop,
    (void), ())
DRIVER_ROW(cuProfilerInitialize, cuProfilerInitialize, 4000,
    cuProfilerInitialize,
    (const char *config_file, const char *output_file,
     CUoutput_mode output_mode),
    (config_file, output_file, output_mode))
DRIVER_ROW(cuDeviceGetTexture1DLinearMaxWidth,
    cuDeviceGetTexture1DLinearMaxWidth, 11010,
    cuDeviceGetTexture1DLinearMaxWidth,
    (size_t *max_width, CUarray_format format, unsigned int channels,
     CUdevice device),
    (max_width, format, channels, device))
DRIVER_ROW(cuDeviceGetExecAffinitySupport,
    cuDeviceGetExecAffinitySupport, 11040,
    cuDeviceGetExecAffinitySupport,
    (int *supported, CUexecAffinityType type, CUdevice device),
    (supported, type, device))
DRIVER_ROW(cuCtxGetExecAffinity, cuCtxGetExecAffinity, 11040,
    cuCtxGetExecAffinity,
    (CUexecAffinityParam *affinity, CUexecAffinityType type),
    (affinity, type))
DRIVER_ROW(cuCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, 11000,
    cuCtxResetPersistingL2Cache, (void), ())
DRIVER_ROW(cuCoredumpGetAttribute, cuCoredumpGetAttribute, 12010,
    cuCoredumpGetAttribute,
    (CUcoredumpSettings setting, void *value, size_t *size),
    (setting, value, size))
DRIVER_ROW(cuCoredumpSetAttribute, cuCoredumpSetAttribute, 12010,
    cuCoredumpSetAttribute,
    (CUcoredumpSettings setting, void *value, size_t *size),
    (setting, value, size))
DRIVER_ROW(cuCoredumpGetAttributeGlobal, cuCoredumpGetAttributeGlobal, 12010,
    cuCoredumpGetAttributeGlobal,
    (CUcoredumpSettings setting, void *value, size_t *size),
    (setting, value, size))
DRIVER_ROW(cuCoredumpSetAttributeGlobal, cuCoredumpSetAttributeGlobal, 12010,
    cuCoredumpSetAttributeGlobal,
    (CUcoredumpSettings setting, void *value, size_t *size),
    (setting, value, size))
DRIVER_ROW(cuDeviceGetDevResource, cuDeviceGetDevResource, 12040,
    cuDeviceGetDevResource,
    (CUdevice device, CUdevResource *resource,
     CUdevResourceType type),
    (device, resource, type))
DRIVER_ROW(cuCtxGetDevResource, cuCtxGetDevResource, 12040,
    cuCtxGetDevResource,
    (CUcontext context, CUdevResource *resource,
     CUdevResourceType type),
    (context, resource, type))
DRIVER_ROW(cuGreenCtxGetDevResource, cuGreenCtxGetDevResource, 12040,
    cuGreenCtxGetDevResource,
    (CUgreenCtx green_ctx, CUdevResource *resource,
     CUdevResourceType type),
    (green_ctx, resource, type))
DRIVER_ROW(cuDevSmResourceSplitByCount, cuDevSmResourceSplitByCount, 12040,
    cuDevSmResourceSplitByCount,
    (CUdevResource *result, unsigned int *groups,
     const CUdevResource *input, CUdevResource *remaining,
     unsigned int flags, unsigned int least),
    (result, groups, input, remaining, flags, least))
DRIVER_ROW(cuDevResourceGenerateDesc, cuDevResourceGenerateDesc, 12040,
    cuDevResourceGenerateDesc,
    (CUdevResourceDesc *desc, CUdevResource *resources,
     unsigned int count),
    (desc, resources, count))
DRIVER_ROW(cuGreenCtxCreate, cuGreenCtxCreate, 12040, cuGreenCtxCreate,
    (CUgreenCtx *green_ctx, CUdevResourceDesc desc, CUdevice device,
     unsigned int flags),
    (green_ctx, desc, device, flags))
DRIVER_ROW(cuGreenCtxDestroy, cuGreenCtxDestroy, 12040, cuGreenCtxDestroy,
    (CUgreenCtx green_ctx),
    (green_ctx))
DRIVER_ROW(cuCtxFromGreenCtx, cuCtxFromGreenCtx, 12040, cuCtxFromGreenCtx,
    (CUcontext *context, CUgreenCtx green_ctx),
    (context, green_ctx))
DRIVER_ROW(cuGreenCtxRecordEvent, cuGreenCtxRecordEvent, 12040,
    cuGreenCtxRecordEvent,
    (CUgreenCtx green_ctx, CUevent event),
    (green_ctx, event))
DRIVER_ROW(cuGreenCtxWaitEvent, cuGreenCtxWaitEvent, 12040,
    cuGreenCtxWaitEvent,
    (CUgreenCtx green_ctx, CUevent event),
    (green_ctx, event))
DRIVER_ROW(cuGreenCtxStreamCreate, cuGreenCtxStreamCreate, 12050,
    cuGreenCtxStreamCreate,
    (CUstream *stream, CUgreenCtx green_ctx, unsigned int flags,
     int priority),
    (stream, green_ctx, flags, priority))
DRIVER_ROW(cuCtxRecordEvent, cuCtxRecordEvent, 12050, cuCtxRecordEvent,
    (CUcontext context, CUevent event),
    (context, event))
DRIVER_ROW(cuCtxWaitEvent, cuCtxWaitEvent, 12050, cuCtxWaitEvent,
    (CUcontext context, CUevent event),
    (context, event))
DRIVER_ROW(cuStreamGetGreenCtx, cuStreamGetGreenCtx, 12040,
    cuStreamGetGreenCtx,
    (CUstream stream, CUgreenCtx *green_ctx),
    (stream, green_ctx))
DRIVER_ROW(cuGreenCtxGetId, cuGreenCtxGetId, 12090, cuGreenCtxGetId,
    (CUgreenCtx green_ctx, unsigned long long *green_ctx_id),
    (green_ctx, green_ctx_id))
