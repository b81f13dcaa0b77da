/* error_texts.h - descriptions of the runtime API's error codes, one row each:
 * ROW(name, text).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_ERRORS(ROW)                                                  \
    ROW(cudaSuccess, "no error")                                              \
    ROW(cudaErrorInvalidValue, "invalid argument")                            \
    ROW(cudaErrorMemoryAllocation, "out of memory")                           \
    ROW(cudaErrorInitializationError, "initialization error")                 \
    ROW(cudaErrorCudartUnloading, "driver shutting down")                     \
    ROW(cudaErrorProfilerDisabled,                                            \
        "profiler disabled while using external profiling tool")              \
    ROW(cudaErrorProfilerNotInitialized,                                      \
        "profiler not initialized: call cudaProfilerInitialize()")            \
    ROW(cudaErrorProfilerAlreadyStarted, "profiler already started")          \
    ROW(cudaErrorProfilerAlreadyStopped, "profiler already stopped")          \
    ROW(cudaErrorInvalidConfiguration, "invalid configuration argument")      \
    ROW(cudaErrorInvalidPitchValue, "invalid pitch argument")                 \
    ROW(cudaErrorInvalidSymbol, "invalid device symbol")                      \
    ROW(cudaErrorInvalidHostPointer, "invalid host pointer")                  \
    ROW(cudaErrorInvalidDevicePointer, "invalid device pointer")              \
    ROW(cudaErrorInvalidTexture, "invalid texture reference")                 \
    ROW(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer")  \
    ROW(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor")      \
    ROW(cudaErrorInvalidMemcpyDirection,                                      \
        "invalid copy direction for memcpy")                                  \
    ROW(cudaErrorAddressOfConstant, "invalid address of constant")            \
    ROW(cudaErrorTextureFetchFailed, "fetch from texture failed")             \
    ROW(cudaErrorTextureNotBound,                                             \
        "cannot fetch from a texture that is not bound")                      \
    ROW(cudaErrorSynchronizationError, "incorrect use of __syncthreads()")    \
    ROW(cudaErrorInvalidFilterSetting,                                        \
        "linear filtering not supported for non-float type")                  \
    ROW(cudaErrorInvalidNormSetting,                                          \
        "read as normalized float not supported for data type")               \
    ROW(cudaErrorMixedDeviceExecution,                                        \
        "device emulation mode and device execution mode cannot be "          \
        "mixed")                                                              \
    ROW(cudaErrorNotYetImplemented, "feature not yet implemented")            \
    ROW(cudaErrorMemoryValueTooLarge,                                         \
        "memory size or pointer value too large to fit in 32 bit")            \
    ROW(cudaErrorStubLibrary, "CUDA driver is a stub library")                \
    ROW(cudaErrorInsufficientDriver,                                          \
        "CUDA driver version is insufficient for CUDA runtime version")       \
    ROW(cudaErrorCallRequiresNewerDriver,                                     \
        "API call is not supported in the installed CUDA driver")             \
    ROW(cudaErrorInvalidSurface, "invalid surface reference")                 \
    ROW(cudaErrorDuplicateVariableName,                                       \
        "duplicate global variable looked up by string name")                 \
    ROW(cudaErrorDuplicateTextureName,                                        \
        "duplicate texture looked up by string name")                         \
    ROW(cudaErrorDuplicateSurfaceName,                                        \
        "duplicate surface looked up by string name")                         \
    ROW(cudaErrorDevicesUnavailable,                                          \
        "CUDA-capable device(s) is/are busy or unavailable")                  \
    ROW(cudaErrorIncompatibleDriverContext, "incompatible driver context")    \
    ROW(cudaErrorMissingConfiguration,                                        \
        "__global__ function call is not configured")                         \
    ROW(cudaErrorPriorLaunchFailure,                                          \
        "unspecified launch failure in prior launch")                         \
    ROW(cudaErrorLaunchMaxDepthExceeded,                                      \
        "launch would exceed maximum depth of nested launches")               \
    ROW(cudaErrorLaunchFileScopedTex,                                         \
        "launch failed because kernel uses unsupported, file-scoped "         \
        "textures (texture objects are supported)")                           \
    ROW(cudaErrorLaunchFileScopedSurf,                                        \
        "launch failed because kernel uses unsupported, file-scoped "         \
        "surfaces (surface objects are supported)")                           \
    ROW(cudaErrorSyncDepthExceeded,                                           \
        "cudaDeviceSynchronize failed because caller's grid depth "           \
        "exceeds cudaLimitDevRuntimeSyncDepth")                               \
    ROW(cudaErrorLaunchPendingCountExceeded,                                  \
        "launch failed because launch would exceed "                          \
        "cudaLimitDevRuntimePendingLaunchCount")                              \
    ROW(cudaErrorInvalidDeviceFunction, "invalid device function")            \
    ROW(cudaErrorNoDevice, "no CUDA-capable device is detected")              \
    ROW(cudaErrorInvalidDevice, "invalid device ordinal")                     \
    ROW(cudaErrorDeviceNotLicensed,                                           \
        "device doesn't have valid Grid license")                             \
    ROW(cudaErrorSoftwareValidityNotEstablished, "integrity checks failed")   \
    ROW(cudaErrorStartupFailure, "startup failure in cuda runtime")           \
    ROW(cudaErrorInvalidKernelImage, "device kernel image is invalid")        \
    ROW(cudaErrorDeviceUninitialized, "invalid device context")               \
    ROW(cudaErrorMapBufferObjectFailed, "mapping of buffer object failed")    \
    ROW(cudaErrorUnmapBufferObjectFailed,                                     \
        "unmapping of buffer object failed")                                  \
    ROW(cudaErrorArrayIsMapped, "array is mapped")                            \
    ROW(cudaErrorAlreadyMapped, "resource already mapped")                    \
    ROW(cudaErrorNoKernelImageForDevice,                                      \
        "no kernel image is available for execution on the device")           \
    ROW(cudaErrorAlreadyAcquired, "resource already acquired")                \
    ROW(cudaErrorNotMapped, "resource not mapped")                            \
    ROW(cudaErrorNotMappedAsArray, "resource not mapped as array")            \
    ROW(cudaErrorNotMappedAsPointer, "resource not mapped as pointer")        \
    ROW(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered")     \
    ROW(cudaErrorUnsupportedLimit,                                            \
        "limit is not supported on this architecture")                        \
    ROW(cudaErrorDeviceAlreadyInUse,                                          \
        "exclusive-thread device already in use by a different thread")       \
    ROW(cudaErrorPeerAccessUnsupported,                                       \
        "peer access is not supported between these two devices")             \
    ROW(cudaErrorInvalidPtx, "a PTX JIT compilation failed")                  \
    ROW(cudaErrorInvalidGraphicsContext,                                      \
        "invalid OpenGL or DirectX context")                                  \
    ROW(cudaErrorNvlinkUncorrectable,                                         \
        "uncorrectable NVLink error detected during the execution")           \
    ROW(cudaErrorJitCompilerNotFound, "PTX JIT compiler library not found")   \
    ROW(cudaErrorUnsupportedPtxVersion,                                       \
        "the provided PTX was compiled with an unsupported toolchain.")       \
    ROW(cudaErrorJitCompilationDisabled, "PTX JIT compilation was disabled")  \
    ROW(cudaErrorUnsupportedExecAffinity,                                     \
        "the provided execution affinity is not supported")                   \
    ROW(cudaErrorUnsupportedDevSideSync,                                      \
        "the provided PTX contains unsupported call to "                      \
        "cudaDeviceSynchronize")                                              \
    ROW(cudaErrorContained,                                                   \
        "Invalid access of peer GPU memory over nvlink or a hardware "        \
        "error")                                                              \
    ROW(cudaErrorInvalidSource, "device kernel image is invalid")             \
    ROW(cudaErrorFileNotFound, "file not found")                              \
    ROW(cudaErrorSharedObjectSymbolNotFound,                                  \
        "shared object symbol not found")                                     \
    ROW(cudaErrorSharedObjectInitFailed,                                      \
        "shared object initialization failed")                                \
    ROW(cudaErrorOperatingSystem,                                             \
        "OS call failed or operation not supported on this OS")               \
    ROW(cudaErrorInvalidResourceHandle, "invalid resource handle")            \
    ROW(cudaErrorIllegalState,                                                \
        "the operation cannot be performed in the present state")             \
    ROW(cudaErrorLossyQuery,                                                  \
        "attempted introspection would be semantically lossy")                \
    ROW(cudaErrorSymbolNotFound, "named symbol not found")                    \
    ROW(cudaErrorNotReady, "device not ready")                                \
    ROW(cudaErrorIllegalAddress, "an illegal memory access was encountered")  \
    ROW(cudaErrorLaunchOutOfResources,                                        \
        "too many resources requested for launch")                            \
    ROW(cudaErrorLaunchTimeout, "the launch timed out and was terminated")    \
    ROW(cudaErrorLaunchIncompatibleTexturing,                                 \
        "launch uses incompatible texturing mode")                            \
    ROW(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled")  \
    ROW(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled")    \
    ROW(cudaErrorSetOnActiveProcess,                                          \
        "cannot set while device is active in this process")                  \
    ROW(cudaErrorContextIsDestroyed, "context is destroyed")                  \
    ROW(cudaErrorAssert, "device-side assert triggered")                      \
    ROW(cudaErrorTooManyPeers, "peer mapping resources exhausted")            \
    ROW(cudaErrorHostMemoryAlreadyRegistered,                                 \
        "part or all of the requested memory range is already mapped")        \
    ROW(cudaErrorHostMemoryNotRegistered,                                     \
        "pointer does not correspond to a registered memory region")          \
    ROW(cudaErrorHardwareStackError, "hardware stack error")                  \
    ROW(cudaErrorIllegalInstruction,                                          \
        "an illegal instruction was encountered")                             \
    ROW(cudaErrorMisalignedAddress, "misaligned address")                     \
    ROW(cudaErrorInvalidAddressSpace,                                         \
        "operation not supported on global/shared address space")             \
    ROW(cudaErrorInvalidPc, "invalid program counter")                        \
    ROW(cudaErrorLaunchFailure, "unspecified launch failure")                 \
    ROW(cudaErrorCooperativeLaunchTooLarge,                                   \
        "too many blocks in cooperative launch")                              \
    ROW(cudaErrorTensorMemoryLeak, "tensor memory not completely freed")      \
    ROW(cudaErrorNotPermitted, "operation not permitted")                     \
    ROW(cudaErrorNotSupported, "operation not supported")                     \
    ROW(cudaErrorSystemNotReady, "system not yet initialized")                \
    ROW(cudaErrorSystemDriverMismatch,                                        \
        "system has unsupported display driver / cuda driver "                \
        "combination")                                                        \
    ROW(cudaErrorCompatNotSupportedOnDevice,                                  \
        "forward compatibility was attempted on non supported HW")            \
    ROW(cudaErrorMpsConnectionFailed,                                         \
        "MPS client failed to connect to the MPS control daemon or the "      \
        "MPS server")                                                         \
    ROW(cudaErrorMpsRpcFailure,                                               \
        "the remote procedural call between the MPS server and the MPS "      \
        "client failed")                                                      \
    ROW(cudaErrorMpsServerNotReady,                                           \
        "MPS server is not ready to accept new MPS client requests")          \
    ROW(cudaErrorMpsMaxClientsReached,                                        \
        "the hardware resources required to create MPS client have been"      \
        " exhausted")                                                         \
    ROW(cudaErrorMpsMaxConnectionsReached,                                    \
        "the hardware resources required to support device connections "      \
        "have been exhausted")                                                \
    ROW(cudaErrorMpsClientTerminated,                                         \
        "the MPS client has been terminated by the server")                   \
    ROW(cudaErrorCdpNotSupported,                                             \
        "is using CUDA Dynamic Parallelism, but the current "                 \
        "configuration, like MPS, does not support it")                       \
    ROW(cudaErrorCdpVersionMismatch,                                          \
        "unsupported interaction between different versions of CUDA "         \
        "Dynamic Parallelism")                                                \
    ROW(cudaErrorStreamCaptureUnsupported,                                    \
        "operation not permitted when stream is capturing")                   \
    ROW(cudaErrorStreamCaptureInvalidated,                                    \
        "operation failed due to a previous error during capture")            \
    ROW(cudaErrorStreamCaptureMerge,                                          \
        "operation would result in a merge of separate capture "              \
        "sequences")                                                          \
    ROW(cudaErrorStreamCaptureUnmatched,                                      \
        "capture was not ended in the same stream as it began")               \
    ROW(cudaErrorStreamCaptureUnjoined,                                       \
        "capturing stream has unjoined work")                                 \
    ROW(cudaErrorStreamCaptureIsolation,                                      \
        "dependency created on uncaptured work in another stream")            \
    ROW(cudaErrorStreamCaptureImplicit,                                       \
        "operation would make the legacy stream depend on a capturing "       \
        "blocking stream")                                                    \
    ROW(cudaErrorCapturedEvent,                                               \
        "operation not permitted on an event last recorded in a "             \
        "capturing stream")                                                   \
    ROW(cudaErrorStreamCaptureWrongThread,                                    \
        "attempt to terminate a thread-local capture sequence from "          \
        "another thread")                                                     \
    ROW(cudaErrorTimeout, "wait operation timed out")                         \
    ROW(cudaErrorGraphExecUpdateFailure,                                      \
        "the graph update was not performed because it included changes"      \
        " which violated constraints specific to instantiated graph "         \
        "update")                                                             \
    ROW(cudaErrorExternalDevice,                                              \
        "an async error has occured in external entity outside of CUDA")      \
    ROW(cudaErrorInvalidClusterSize,                                          \
        "a kernel launch error has occurred due to cluster "                  \
        "misconfiguration")                                                   \
    ROW(cudaErrorFunctionNotLoaded,                                           \
        "the function handle is not loaded when calling an API that "         \
        "requires a loaded function")                                         \
    ROW(cudaErrorInvalidResourceType,                                         \
        "one or more resources passed in are not valid resource types "       \
        "for the operation")                                                  \
    ROW(cudaErrorInvalidResourceConfiguration,                                \
        "one or more resources are insufficient or non-applicable for "       \
        "the operation")                                                      \
    ROW(cudaErrorUnknown, "unknown error")
