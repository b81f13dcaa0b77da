/* api_flags.h - flags and other macros of CUDA's runtime API; api_codes.h
 * explains why kernels need them.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define CUDART_CB

#define cudaHostAllocDefault               0
#define cudaHostAllocPortable              1
#define cudaHostAllocMapped                2
#define cudaHostAllocWriteCombined         4
#define cudaHostRegisterDefault            0
#define cudaHostRegisterPortable           1
#define cudaHostRegisterMapped             2
#define cudaHostRegisterIoMemory           4
#define cudaHostRegisterReadOnly           8
#define cudaMemAttachGlobal                1
#define cudaMemAttachHost                  2
#define cudaMemAttachSingle                4
#define cudaMemPoolCreateUsageHwDecompress 2
#define cudaPeerAccessDefault              0
#define cudaIpcMemLazyEnablePeerAccess     1
#define CUDA_IPC_HANDLE_SIZE               64

#define cudaStreamDefault       0
#define cudaStreamNonBlocking   1
#define cudaStreamLegacy        ((cudaStream_t)1)
#define cudaStreamPerThread     ((cudaStream_t)2)
#define cudaEventDefault        0
#define cudaEventBlockingSync   1
#define cudaEventDisableTiming  2
#define cudaEventInterprocess   4
#define cudaEventRecordDefault  0
#define cudaEventRecordExternal 1
#define cudaEventWaitDefault    0
#define cudaEventWaitExternal   1

#define cudaDeviceScheduleAuto              0
#define cudaDeviceScheduleSpin              1
#define cudaDeviceScheduleYield             2
#define cudaDeviceScheduleBlockingSync      4
#define cudaDeviceBlockingSync              4
#define cudaDeviceScheduleMask              7
#define cudaDeviceMapHost                   8
#define cudaDeviceLmemResizeToMax           0x10
#define cudaDeviceSyncMemops                0x80
#define cudaDeviceMask                      0xff
#define cudaInitDeviceFlagsAreValid         1
#define cudaCpuDeviceId                     (-1)
#define cudaInvalidDeviceId                 (-2)
#define cudaOccupancyDefault                0
#define cudaOccupancyDisableCachingOverride 1

#define cudaArrayDefault                       0
#define cudaArrayLayered                       1
#define cudaArraySurfaceLoadStore              2
#define cudaArrayCubemap                       4
#define cudaArrayTextureGather                 8
#define cudaArrayColorAttachment               0x20
#define cudaArraySparse                        0x40
#define cudaArrayDeferredMapping               0x80
#define cudaArraySparsePropertiesSingleMipTail 1

#define cudaExternalMemoryDedicated                    1
#define cudaExternalSemaphoreSignalSkipNvSciBufMemSync 1
#define cudaExternalSemaphoreWaitSkipNvSciBufMemSync   2
#define cudaNvSciSyncAttrSignal                        1
#define cudaNvSciSyncAttrWait                          2
#define cudaGraphKernelNodePortDefault                 0
#define cudaGraphKernelNodePortProgrammatic            1
#define cudaGraphKernelNodePortLaunchCompletion        2

#define cudaStreamAttrID                          cudaLaunchAttributeID
#define cudaStreamAttrValue                       cudaLaunchAttributeValue
#define cudaKernelNodeAttrID                      cudaLaunchAttributeID
#define cudaKernelNodeAttrValue                   cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow \
    cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy \
    cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributeMemSyncDomainMap \
    cudaLaunchAttributeMemSyncDomainMap
#define cudaStreamAttributeMemSyncDomain \
    cudaLaunchAttributeMemSyncDomain
#define cudaStreamAttributePriority               cudaLaunchAttributePriority
#define cudaKernelNodeAttributeAccessPolicyWindow \
    cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative \
    cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority           cudaLaunchAttributePriority
#define cudaKernelNodeAttributeClusterDimension \
    cudaLaunchAttributeClusterDimension
#define cudaKernelNodeAttributeClusterSchedulingPolicyPreference \
    cudaLaunchAttributeClusterSchedulingPolicyPreference
#define cudaKernelNodeAttributeMemSyncDomainMap \
    cudaLaunchAttributeMemSyncDomainMap
#define cudaKernelNodeAttributeMemSyncDomain \
    cudaLaunchAttributeMemSyncDomain
#define cudaKernelNodeAttributePreferredSharedMemoryCarveout \
    cudaLaunchAttributePreferredSharedMemoryCarveout
#define cudaKernelNodeAttributeDeviceUpdatableKernelNode \
    cudaLaunchAttributeDeviceUpdatableKernelNode
#define cudaKernelNodeAttributeNvlinkUtilCentricScheduling \
    cudaLaunchAttributeNvlinkUtilCentricScheduling
