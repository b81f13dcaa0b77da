/* refused.h - driver functions that the CPU device does not have, and why.
 *
 * REFUSED_ROW(name, symbol, since, why): cuGetProcAddress finds them and they
 * answer CUDA_ERROR_NOT_SUPPORTED, so that a program which asks for all
 * functions gets an error that it can act on.
 *
 * SPDX-License-Identifier: MIT */

#define NO_GRAPHICS   "no graphics API has memory here"
#define NO_EXTERNAL   "memory and semaphores of other APIs are a GPU's"
#define NO_TENSORMAP  "TMA belongs to compute capability 9.0"
#define NO_MULTICAST  "several devices have no common fabric"
#define NO_CHECKPOINT "the state of a process is not saved"
#define NO_REFERENCE  "texture references went with CUDA 12; objects stay"
#define NO_OLD_LAUNCH "the calls of CUDA 3 went with CUDA 13"
#define NO_POOL_IPC   "pools are not shared; allocations are, and cuMemCreate"

/* clang-format off */

REFUSED_ROW(cuArrayGetPlane, cuArrayGetPlane, 11020,
    "there are no planar formats")
REFUSED_ROW(cuArrayGetSparseProperties, cuArrayGetSparseProperties, 11010,
    "there are no sparse arrays")
REFUSED_ROW(cuMipmappedArrayGetSparseProperties,
    cuMipmappedArrayGetSparseProperties, 11010, "there are no sparse arrays")
REFUSED_ROW(cuCheckpointProcessCheckpoint, cuCheckpointProcessCheckpoint,
    12080, NO_CHECKPOINT)
REFUSED_ROW(cuCheckpointProcessGetRestoreThreadId,
    cuCheckpointProcessGetRestoreThreadId, 12080, NO_CHECKPOINT)
REFUSED_ROW(cuCheckpointProcessGetState, cuCheckpointProcessGetState, 12080,
    NO_CHECKPOINT)
REFUSED_ROW(cuCheckpointProcessLock, cuCheckpointProcessLock, 12080,
    NO_CHECKPOINT)
REFUSED_ROW(cuCheckpointProcessRestore, cuCheckpointProcessRestore, 12080,
    NO_CHECKPOINT)
REFUSED_ROW(cuCheckpointProcessUnlock, cuCheckpointProcessUnlock, 12080,
    NO_CHECKPOINT)
REFUSED_ROW(cuDestroyExternalMemory, cuDestroyExternalMemory, 10000,
    NO_EXTERNAL)
REFUSED_ROW(cuDestroyExternalSemaphore, cuDestroyExternalSemaphore, 10000,
    NO_EXTERNAL)
REFUSED_ROW(cuDeviceGetHostAtomicCapabilities,
    cuDeviceGetHostAtomicCapabilities, 13000,
    "all atomics are the processor's; the attributes say so")
REFUSED_ROW(cuDeviceGetLuid, cuDeviceGetLuid, 10000, "a LUID is Windows's")
REFUSED_ROW(cuDeviceGetNvSciSyncAttributes, cuDeviceGetNvSciSyncAttributes,
    10020, NO_EXTERNAL)
REFUSED_ROW(cuDeviceGetP2PAtomicCapabilities,
    cuDeviceGetP2PAtomicCapabilities, 13000,
    "all atomics are the processor's; the attributes say so")
REFUSED_ROW(cuDeviceRegisterAsyncNotification,
    cuDeviceRegisterAsyncNotification, 12040, "no budget is watched")
REFUSED_ROW(cuDeviceUnregisterAsyncNotification,
    cuDeviceUnregisterAsyncNotification, 12040, "no budget is watched")
REFUSED_ROW(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer,
    10000, NO_EXTERNAL)
REFUSED_ROW(cuExternalMemoryGetMappedMipmappedArray,
    cuExternalMemoryGetMappedMipmappedArray, 10000, NO_EXTERNAL)
REFUSED_ROW(cuFlushGPUDirectRDMAWrites, cuFlushGPUDirectRDMAWrites, 11030,
    "no other device writes to the memory")
REFUSED_ROW(cuFuncSetBlockShape, cuFuncSetBlockShape, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuFuncSetSharedSize, cuFuncSetSharedSize, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuGraphAddExternalSemaphoresSignalNode,
    cuGraphAddExternalSemaphoresSignalNode, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphAddExternalSemaphoresWaitNode,
    cuGraphAddExternalSemaphoresWaitNode, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphExecExternalSemaphoresSignalNodeSetParams,
    cuGraphExecExternalSemaphoresSignalNodeSetParams, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphExecExternalSemaphoresWaitNodeSetParams,
    cuGraphExecExternalSemaphoresWaitNodeSetParams, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphExternalSemaphoresSignalNodeGetParams,
    cuGraphExternalSemaphoresSignalNodeGetParams, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphExternalSemaphoresSignalNodeSetParams,
    cuGraphExternalSemaphoresSignalNodeSetParams, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphExternalSemaphoresWaitNodeGetParams,
    cuGraphExternalSemaphoresWaitNodeGetParams, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphExternalSemaphoresWaitNodeSetParams,
    cuGraphExternalSemaphoresWaitNodeSetParams, 11020, NO_EXTERNAL)
REFUSED_ROW(cuGraphicsMapResources, cuGraphicsMapResources, 3000, NO_GRAPHICS)
REFUSED_ROW(cuGraphicsResourceGetMappedMipmappedArray,
    cuGraphicsResourceGetMappedMipmappedArray, 5000, NO_GRAPHICS)
REFUSED_ROW(cuGraphicsResourceGetMappedPointer,
    cuGraphicsResourceGetMappedPointer_v2, 3020, NO_GRAPHICS)
REFUSED_ROW(cuGraphicsResourceSetMapFlags, cuGraphicsResourceSetMapFlags_v2,
    6050, NO_GRAPHICS)
REFUSED_ROW(cuGraphicsSubResourceGetMappedArray,
    cuGraphicsSubResourceGetMappedArray, 3000, NO_GRAPHICS)
REFUSED_ROW(cuGraphicsUnmapResources, cuGraphicsUnmapResources, 3000,
    NO_GRAPHICS)
REFUSED_ROW(cuGraphicsUnregisterResource, cuGraphicsUnregisterResource, 3000,
    NO_GRAPHICS)
REFUSED_ROW(cuImportExternalMemory, cuImportExternalMemory, 10000, NO_EXTERNAL)
REFUSED_ROW(cuImportExternalSemaphore, cuImportExternalSemaphore, 10000,
    NO_EXTERNAL)
REFUSED_ROW(cuLaunch, cuLaunch, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuLaunchCooperativeKernelMultiDevice,
    cuLaunchCooperativeKernelMultiDevice, 9000,
    "deprecated: grids of several devices have no common barrier here")
REFUSED_ROW(cuLaunchGrid, cuLaunchGrid, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuLaunchGridAsync, cuLaunchGridAsync, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuLogsCurrent, cuLogsCurrent, 12090, "no log is kept")
REFUSED_ROW(cuLogsDumpToFile, cuLogsDumpToFile, 12090, "no log is kept")
REFUSED_ROW(cuLogsDumpToMemory, cuLogsDumpToMemory, 12090, "no log is kept")
REFUSED_ROW(cuLogsRegisterCallback, cuLogsRegisterCallback, 12090,
    "no log is kept")
REFUSED_ROW(cuLogsUnregisterCallback, cuLogsUnregisterCallback, 12090,
    "no log is kept")
REFUSED_ROW(cuMemBatchDecompressAsync, cuMemBatchDecompressAsync, 12060,
    "there is no decompression engine")
REFUSED_ROW(cuMemGetHandleForAddressRange, cuMemGetHandleForAddressRange,
    11070, "dma-buf belongs to devices")
REFUSED_ROW(cuMemMapArrayAsync, cuMemMapArrayAsync, 11010,
    "there are no sparse arrays")
REFUSED_ROW(cuMemPoolExportPointer, cuMemPoolExportPointer, 11020, NO_POOL_IPC)
REFUSED_ROW(cuMemPoolExportToShareableHandle,
    cuMemPoolExportToShareableHandle, 11020, NO_POOL_IPC)
REFUSED_ROW(cuMemPoolImportFromShareableHandle,
    cuMemPoolImportFromShareableHandle, 11020, NO_POOL_IPC)
REFUSED_ROW(cuMemPoolImportPointer, cuMemPoolImportPointer, 11020, NO_POOL_IPC)
REFUSED_ROW(cuMulticastAddDevice, cuMulticastAddDevice, 12010, NO_MULTICAST)
REFUSED_ROW(cuMulticastBindAddr, cuMulticastBindAddr, 12010, NO_MULTICAST)
REFUSED_ROW(cuMulticastBindMem, cuMulticastBindMem, 12010, NO_MULTICAST)
REFUSED_ROW(cuMulticastCreate, cuMulticastCreate, 12010, NO_MULTICAST)
REFUSED_ROW(cuMulticastGetGranularity, cuMulticastGetGranularity, 12010,
    NO_MULTICAST)
REFUSED_ROW(cuMulticastUnbind, cuMulticastUnbind, 12010, NO_MULTICAST)
REFUSED_ROW(cuModuleGetSurfRef, cuModuleGetSurfRef, 3000, NO_REFERENCE)
REFUSED_ROW(cuModuleGetTexRef, cuModuleGetTexRef, 2000, NO_REFERENCE)
REFUSED_ROW(cuParamSetSize, cuParamSetSize, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuParamSetTexRef, cuParamSetTexRef, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuParamSetf, cuParamSetf, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuParamSeti, cuParamSeti, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuParamSetv, cuParamSetv, 2000, NO_OLD_LAUNCH)
REFUSED_ROW(cuSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync,
    10000, NO_EXTERNAL)
REFUSED_ROW(cuSurfRefGetArray, cuSurfRefGetArray, 3000, NO_REFERENCE)
REFUSED_ROW(cuSurfRefSetArray, cuSurfRefSetArray, 3000, NO_REFERENCE)
REFUSED_ROW(cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2col, 12000,
    NO_TENSORMAP)
REFUSED_ROW(cuTensorMapEncodeIm2colWide, cuTensorMapEncodeIm2colWide, 12080,
    NO_TENSORMAP)
REFUSED_ROW(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled, 12000,
    NO_TENSORMAP)
REFUSED_ROW(cuTensorMapReplaceAddress, cuTensorMapReplaceAddress, 12000,
    NO_TENSORMAP)
REFUSED_ROW(cuTexRefCreate, cuTexRefCreate, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefDestroy, cuTexRefDestroy, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetAddress, cuTexRefGetAddress_v2, 3020, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetAddressMode, cuTexRefGetAddressMode, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetArray, cuTexRefGetArray, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetBorderColor, cuTexRefGetBorderColor, 8000, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetFilterMode, cuTexRefGetFilterMode, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetFlags, cuTexRefGetFlags, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetFormat, cuTexRefGetFormat, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefGetMaxAnisotropy, cuTexRefGetMaxAnisotropy, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefGetMipmapFilterMode, cuTexRefGetMipmapFilterMode, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefGetMipmapLevelBias, cuTexRefGetMipmapLevelBias, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefGetMipmapLevelClamp, cuTexRefGetMipmapLevelClamp, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefGetMipmappedArray, cuTexRefGetMipmappedArray, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefSetAddress, cuTexRefSetAddress_v2, 3020, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v3, 4010, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetAddressMode, cuTexRefSetAddressMode, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetArray, cuTexRefSetArray, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetBorderColor, cuTexRefSetBorderColor, 8000, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetFilterMode, cuTexRefSetFilterMode, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetFlags, cuTexRefSetFlags, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetFormat, cuTexRefSetFormat, 2000, NO_REFERENCE)
REFUSED_ROW(cuTexRefSetMaxAnisotropy, cuTexRefSetMaxAnisotropy, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefSetMipmapFilterMode, cuTexRefSetMipmapFilterMode, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefSetMipmapLevelBias, cuTexRefSetMipmapLevelBias, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefSetMipmapLevelClamp, cuTexRefSetMipmapLevelClamp, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuTexRefSetMipmappedArray, cuTexRefSetMipmappedArray, 5000,
    NO_REFERENCE)
REFUSED_ROW(cuWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync,
    10000, NO_EXTERNAL)

#undef REFUSED_ROW
