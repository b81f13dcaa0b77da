/* unsupported_functions.h - driver functions that the CPU device lacks, and
 * why.
 *
 * Each row is MISSING_ROW(name, symbol, since, why), a macro that the
 * including file defines; `since` is the CUDA version. cuGetProcAddress finds
 * these functions, and they return CUDA_ERROR_NOT_SUPPORTED, so that a program
 * that looks up all functions gets an error that it can handle. Functions that
 * a program may call before cuInit, since they concern another process, have
 * rows of the macro MISSING_PROCESS_ROW. If the including file does not define
 * MISSING_PROCESS_ROW, it is defined as MISSING_ROW.
 *
 * SPDX-License-Identifier: MIT */

#define NO_GRAPHICS   "no graphics API shares memory with the device"
#define NO_EXTERNAL   "only GPUs import memory and semaphores of other APIs"
#define NO_TENSORMAP  "TMA needs compute capability 9.0"
#define NO_MULTICAST  "the devices share no multicast fabric"
#define NO_CHECKPOINT "the state of a process cannot be saved"
#define NO_REFERENCE  "CUDA 12 removed texture references; objects work"
#define NO_OLD_LAUNCH "CUDA 13 removed the calls of CUDA 3"
#define NO_POOL_IPC   "pools are not shared; allocations and cuMemCreate are"

/* clang-format off */

#ifndef MISSING_PROCESS_ROW
#define MISSING_PROCESS_ROW MISSING_ROW
#endif

MISSING_ROW(cuArrayGetPlane, cuArrayGetPlane, 11020,
    "there are no planar formats")
MISSING_ROW(cuArrayGetSparseProperties, cuArrayGetSparseProperties, 11010,
    "there are no sparse arrays")
MISSING_ROW(cuMipmappedArrayGetSparseProperties,
    cuMipmappedArrayGetSparseProperties, 11010, "there are no sparse arrays")
MISSING_PROCESS_ROW(cuCheckpointProcessCheckpoint,
    cuCheckpointProcessCheckpoint, 12080, NO_CHECKPOINT)
MISSING_PROCESS_ROW(cuCheckpointProcessGetRestoreThreadId,
    cuCheckpointProcessGetRestoreThreadId, 12080, NO_CHECKPOINT)
MISSING_PROCESS_ROW(cuCheckpointProcessGetState, cuCheckpointProcessGetState,
    12080, NO_CHECKPOINT)
MISSING_PROCESS_ROW(cuCheckpointProcessLock, cuCheckpointProcessLock,
    12080, NO_CHECKPOINT)
MISSING_PROCESS_ROW(cuCheckpointProcessRestore, cuCheckpointProcessRestore,
    12080, NO_CHECKPOINT)
MISSING_PROCESS_ROW(cuCheckpointProcessUnlock, cuCheckpointProcessUnlock,
    12080, NO_CHECKPOINT)
MISSING_ROW(cuDestroyExternalMemory, cuDestroyExternalMemory, 10000,
    NO_EXTERNAL)
MISSING_ROW(cuDestroyExternalSemaphore, cuDestroyExternalSemaphore, 10000,
    NO_EXTERNAL)
MISSING_ROW(cuDeviceGetHostAtomicCapabilities,
    cuDeviceGetHostAtomicCapabilities, 13000,
    "all atomics are the processor's; the attributes say so")
MISSING_ROW(cuDeviceGetLuid, cuDeviceGetLuid, 10000, "only Windows has LUIDs")
MISSING_ROW(cuDeviceGetNvSciSyncAttributes, cuDeviceGetNvSciSyncAttributes,
    10020, NO_EXTERNAL)
MISSING_ROW(cuDeviceGetP2PAtomicCapabilities,
    cuDeviceGetP2PAtomicCapabilities, 13000,
    "all atomics are the processor's; the attributes say so")
MISSING_ROW(cuDeviceRegisterAsyncNotification,
    cuDeviceRegisterAsyncNotification, 12040, "budgets are not monitored")
MISSING_ROW(cuDeviceUnregisterAsyncNotification,
    cuDeviceUnregisterAsyncNotification, 12040, "budgets are not monitored")
MISSING_ROW(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer,
    10000, NO_EXTERNAL)
MISSING_ROW(cuExternalMemoryGetMappedMipmappedArray,
    cuExternalMemoryGetMappedMipmappedArray, 10000, NO_EXTERNAL)
MISSING_ROW(cuFlushGPUDirectRDMAWrites, cuFlushGPUDirectRDMAWrites, 11030,
    "no other device writes to the memory")
MISSING_ROW(cuFuncSetBlockShape, cuFuncSetBlockShape, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuFuncSetSharedSize, cuFuncSetSharedSize, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuGraphAddExternalSemaphoresSignalNode,
    cuGraphAddExternalSemaphoresSignalNode, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphAddExternalSemaphoresWaitNode,
    cuGraphAddExternalSemaphoresWaitNode, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphExecExternalSemaphoresSignalNodeSetParams,
    cuGraphExecExternalSemaphoresSignalNodeSetParams, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphExecExternalSemaphoresWaitNodeSetParams,
    cuGraphExecExternalSemaphoresWaitNodeSetParams, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphExternalSemaphoresSignalNodeGetParams,
    cuGraphExternalSemaphoresSignalNodeGetParams, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphExternalSemaphoresSignalNodeSetParams,
    cuGraphExternalSemaphoresSignalNodeSetParams, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphExternalSemaphoresWaitNodeGetParams,
    cuGraphExternalSemaphoresWaitNodeGetParams, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphExternalSemaphoresWaitNodeSetParams,
    cuGraphExternalSemaphoresWaitNodeSetParams, 11020, NO_EXTERNAL)
MISSING_ROW(cuGraphicsMapResources, cuGraphicsMapResources, 3000, NO_GRAPHICS)
MISSING_ROW(cuGraphicsResourceGetMappedMipmappedArray,
    cuGraphicsResourceGetMappedMipmappedArray, 5000, NO_GRAPHICS)
MISSING_ROW(cuGraphicsResourceGetMappedPointer,
    cuGraphicsResourceGetMappedPointer_v2, 3020, NO_GRAPHICS)
MISSING_ROW(cuGraphicsResourceSetMapFlags, cuGraphicsResourceSetMapFlags_v2,
    6050, NO_GRAPHICS)
MISSING_ROW(cuGraphicsSubResourceGetMappedArray,
    cuGraphicsSubResourceGetMappedArray, 3000, NO_GRAPHICS)
MISSING_ROW(cuGraphicsUnmapResources, cuGraphicsUnmapResources, 3000,
    NO_GRAPHICS)
MISSING_ROW(cuGraphicsUnregisterResource, cuGraphicsUnregisterResource, 3000,
    NO_GRAPHICS)
MISSING_ROW(cuImportExternalMemory, cuImportExternalMemory, 10000, NO_EXTERNAL)
MISSING_ROW(cuImportExternalSemaphore, cuImportExternalSemaphore, 10000,
    NO_EXTERNAL)
MISSING_ROW(cuLaunch, cuLaunch, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuLaunchCooperativeKernelMultiDevice,
    cuLaunchCooperativeKernelMultiDevice, 9000,
    "deprecated: grids of several devices have no common barrier here")
MISSING_ROW(cuLaunchGrid, cuLaunchGrid, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuLaunchGridAsync, cuLaunchGridAsync, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuLogsCurrent, cuLogsCurrent, 12090, "no log is kept")
MISSING_ROW(cuLogsDumpToFile, cuLogsDumpToFile, 12090, "no log is kept")
MISSING_ROW(cuLogsDumpToMemory, cuLogsDumpToMemory, 12090, "no log is kept")
MISSING_ROW(cuLogsRegisterCallback, cuLogsRegisterCallback, 12090,
    "no log is kept")
MISSING_ROW(cuLogsUnregisterCallback, cuLogsUnregisterCallback, 12090,
    "no log is kept")
MISSING_ROW(cuMemBatchDecompressAsync, cuMemBatchDecompressAsync, 12060,
    "there is no decompression engine")
MISSING_ROW(cuMemGetHandleForAddressRange, cuMemGetHandleForAddressRange,
    11070, "dma-buf belongs to devices")
MISSING_ROW(cuMemMapArrayAsync, cuMemMapArrayAsync, 11010,
    "there are no sparse arrays")
MISSING_ROW(cuMemPoolExportPointer, cuMemPoolExportPointer, 11020, NO_POOL_IPC)
MISSING_ROW(cuMemPoolExportToShareableHandle,
    cuMemPoolExportToShareableHandle, 11020, NO_POOL_IPC)
MISSING_ROW(cuMemPoolImportFromShareableHandle,
    cuMemPoolImportFromShareableHandle, 11020, NO_POOL_IPC)
MISSING_ROW(cuMemPoolImportPointer, cuMemPoolImportPointer, 11020, NO_POOL_IPC)
MISSING_ROW(cuMulticastAddDevice, cuMulticastAddDevice, 12010, NO_MULTICAST)
MISSING_ROW(cuMulticastBindAddr, cuMulticastBindAddr, 12010, NO_MULTICAST)
MISSING_ROW(cuMulticastBindMem, cuMulticastBindMem, 12010, NO_MULTICAST)
MISSING_ROW(cuMulticastCreate, cuMulticastCreate, 12010, NO_MULTICAST)
MISSING_ROW(cuMulticastGetGranularity, cuMulticastGetGranularity, 12010,
    NO_MULTICAST)
MISSING_ROW(cuMulticastUnbind, cuMulticastUnbind, 12010, NO_MULTICAST)
MISSING_ROW(cuModuleGetSurfRef, cuModuleGetSurfRef, 3000, NO_REFERENCE)
MISSING_ROW(cuModuleGetTexRef, cuModuleGetTexRef, 2000, NO_REFERENCE)
MISSING_ROW(cuParamSetSize, cuParamSetSize, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuParamSetTexRef, cuParamSetTexRef, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuParamSetf, cuParamSetf, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuParamSeti, cuParamSeti, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuParamSetv, cuParamSetv, 2000, NO_OLD_LAUNCH)
MISSING_ROW(cuSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync,
    10000, NO_EXTERNAL)
MISSING_ROW(cuSurfRefGetArray, cuSurfRefGetArray, 3000, NO_REFERENCE)
MISSING_ROW(cuSurfRefSetArray, cuSurfRefSetArray, 3000, NO_REFERENCE)
MISSING_ROW(cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2col, 12000,
    NO_TENSORMAP)
MISSING_ROW(cuTensorMapEncodeIm2colWide, cuTensorMapEncodeIm2colWide, 12080,
    NO_TENSORMAP)
MISSING_ROW(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled, 12000,
    NO_TENSORMAP)
MISSING_ROW(cuTensorMapReplaceAddress, cuTensorMapReplaceAddress, 12000,
    NO_TENSORMAP)
MISSING_ROW(cuTexRefCreate, cuTexRefCreate, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefDestroy, cuTexRefDestroy, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefGetAddress, cuTexRefGetAddress_v2, 3020, NO_REFERENCE)
MISSING_ROW(cuTexRefGetAddressMode, cuTexRefGetAddressMode, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefGetArray, cuTexRefGetArray, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefGetBorderColor, cuTexRefGetBorderColor, 8000, NO_REFERENCE)
MISSING_ROW(cuTexRefGetFilterMode, cuTexRefGetFilterMode, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefGetFlags, cuTexRefGetFlags, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefGetFormat, cuTexRefGetFormat, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefGetMaxAnisotropy, cuTexRefGetMaxAnisotropy, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefGetMipmapFilterMode, cuTexRefGetMipmapFilterMode, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefGetMipmapLevelBias, cuTexRefGetMipmapLevelBias, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefGetMipmapLevelClamp, cuTexRefGetMipmapLevelClamp, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefGetMipmappedArray, cuTexRefGetMipmappedArray, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefSetAddress, cuTexRefSetAddress_v2, 3020, NO_REFERENCE)
MISSING_ROW(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v3, 4010, NO_REFERENCE)
MISSING_ROW(cuTexRefSetAddressMode, cuTexRefSetAddressMode, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefSetArray, cuTexRefSetArray, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefSetBorderColor, cuTexRefSetBorderColor, 8000, NO_REFERENCE)
MISSING_ROW(cuTexRefSetFilterMode, cuTexRefSetFilterMode, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefSetFlags, cuTexRefSetFlags, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefSetFormat, cuTexRefSetFormat, 2000, NO_REFERENCE)
MISSING_ROW(cuTexRefSetMaxAnisotropy, cuTexRefSetMaxAnisotropy, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefSetMipmapFilterMode, cuTexRefSetMipmapFilterMode, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefSetMipmapLevelBias, cuTexRefSetMipmapLevelBias, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefSetMipmapLevelClamp, cuTexRefSetMipmapLevelClamp, 5000,
    NO_REFERENCE)
MISSING_ROW(cuTexRefSetMipmappedArray, cuTexRefSetMipmappedArray, 5000,
    NO_REFERENCE)
MISSING_ROW(cuWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync,
    10000, NO_EXTERNAL)

#undef MISSING_PROCESS_ROW
#undef MISSING_ROW
