/* cuda_codes.h - the result codes of the driver API as rows of an X-macro,
 * with their texts.
 *
 * Each row is ROW(name, value, text). The enumeration in cuda_types.h, the
 * names and texts of the CPU device, and the exception classes in core are
 * built from these rows. Texts are lower case without a full stop, for
 * messages of the form "<routine> failed: <text>".
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_CUDA_CODES_H
#define PYCUDA_API_CUDA_CODES_H

/* The columns are aligned by hand, so clang-format is switched off. */
/* clang-format off */

#define CUDA_RESULT_ROWS(ROW)                                                 \
    ROW(CUDA_SUCCESS, 0, "no error")                                          \
    ROW(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                      \
    ROW(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                         \
    ROW(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                \
    ROW(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                  \
    ROW(CUDA_ERROR_PROFILER_DISABLED, 5,                                      \
        "profiler disabled while using external profiling tool")              \
    ROW(CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6, "profiler not initialized")   \
    ROW(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7, "profiler already started")   \
    ROW(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8, "profiler already stopped")   \
    ROW(CUDA_ERROR_STUB_LIBRARY, 34, "CUDA driver is a stub library")         \
    ROW(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36,                            \
        "the call needs a newer driver")                                      \
    ROW(CUDA_ERROR_DEVICE_UNAVAILABLE, 46,                                    \
        "CUDA-capable device(s) is/are busy or unavailable")                  \
    ROW(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")      \
    ROW(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")             \
    ROW(CUDA_ERROR_DEVICE_NOT_LICENSED, 102,                                  \
        "device doesn't have a valid license")                                \
    ROW(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")      \
    ROW(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")            \
    ROW(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202, "context already current")   \
    ROW(CUDA_ERROR_MAP_FAILED, 205, "mapping of buffer object failed")        \
    ROW(CUDA_ERROR_UNMAP_FAILED, 206, "unmapping of buffer object failed")    \
    ROW(CUDA_ERROR_ARRAY_IS_MAPPED, 207, "array is mapped")                   \
    ROW(CUDA_ERROR_ALREADY_MAPPED, 208, "resource already mapped")            \
    ROW(CUDA_ERROR_NO_BINARY_FOR_GPU, 209,                                    \
        "no kernel image is available for execution on the device")           \
    ROW(CUDA_ERROR_ALREADY_ACQUIRED, 210, "resource already acquired")        \
    ROW(CUDA_ERROR_NOT_MAPPED, 211, "resource not mapped")                    \
    ROW(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212, "resource not mapped as array")  \
    ROW(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213,                                \
        "resource not mapped as pointer")                                     \
    ROW(CUDA_ERROR_ECC_UNCORRECTABLE, 214,                                    \
        "uncorrectable ECC error encountered")                                \
    ROW(CUDA_ERROR_UNSUPPORTED_LIMIT, 215,                                    \
        "limit is not supported on this architecture")                        \
    ROW(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216,                               \
        "exclusive-thread device already in use by a different thread")       \
    ROW(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217,                              \
        "peer access is not supported between these two devices")             \
    ROW(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")          \
    ROW(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219, "invalid graphics context") \
    ROW(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220,                                 \
        "uncorrectable NVLink error detected")                                \
    ROW(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221,                               \
        "PTX JIT compiler library not found")                                 \
    ROW(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222,                              \
        "the provided PTX was compiled with an unsupported toolchain.")       \
    ROW(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223,                             \
        "PTX JIT compilation was disabled")                                   \
    ROW(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224,                            \
        "the execution affinity is not supported by the device")              \
    ROW(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225,                             \
        "the code calls a device-side synchronise that is not "               \
        "supported")                                                          \
    ROW(CUDA_ERROR_CONTAINED, 226, "an error was contained on the device")    \
    ROW(CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid")     \
    ROW(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                     \
    ROW(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302,                       \
        "shared object symbol not found")                                     \
    ROW(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303,                            \
        "shared object initialization failed")                                \
    ROW(CUDA_ERROR_OPERATING_SYSTEM, 304,                                     \
        "OS call failed or operation not supported on this OS")               \
    ROW(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")            \
    ROW(CUDA_ERROR_ILLEGAL_STATE, 401,                                        \
        "the operation cannot be performed in the present state")             \
    ROW(CUDA_ERROR_LOSSY_QUERY, 402, "the query would lose information")      \
    ROW(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                  \
    ROW(CUDA_ERROR_NOT_READY, 600, "device not ready")                        \
    ROW(CUDA_ERROR_ILLEGAL_ADDRESS, 700,                                      \
        "an illegal memory access was encountered")                           \
    ROW(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701,                              \
        "too many resources requested for launch")                            \
    ROW(CUDA_ERROR_LAUNCH_TIMEOUT, 702,                                       \
        "the launch timed out and was terminated")                            \
    ROW(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703,                        \
        "launch uses incompatible texturing mode")                            \
    ROW(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704,                          \
        "peer access is already enabled")                                     \
    ROW(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705,                              \
        "peer access has not been enabled")                                   \
    ROW(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708,                               \
        "cannot set while device is active in this process")                  \
    ROW(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")         \
    ROW(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")               \
    ROW(CUDA_ERROR_TOO_MANY_PEERS, 711, "peer mapping resources exhausted")   \
    ROW(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                       \
        "part or all of the requested memory range is already mapped")        \
    ROW(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                           \
        "pointer does not correspond to a registered memory region")          \
    ROW(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")         \
    ROW(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715,                                  \
        "an illegal instruction was encountered")                             \
    ROW(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")             \
    ROW(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717,                                \
        "operation not supported on global/shared address space")             \
    ROW(CUDA_ERROR_INVALID_PC, 718, "invalid program counter")                \
    ROW(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")          \
    ROW(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720,                         \
        "too many blocks in cooperative launch")                              \
    ROW(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721,                                   \
        "tensor memory was not freed by the kernel")                          \
    ROW(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")             \
    ROW(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")             \
    ROW(CUDA_ERROR_SYSTEM_NOT_READY, 802, "system not yet initialized")       \
    ROW(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803,                               \
        "system has unsupported display driver / cuda driver "                \
        "combination")                                                        \
    ROW(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804,                       \
        "forward compatibility was attempted on non supported HW")            \
    ROW(CUDA_ERROR_MPS_CONNECTION_FAILED, 805,                                \
        "MPS client failed to connect to the MPS control daemon or "          \
        "server")                                                             \
    ROW(CUDA_ERROR_MPS_RPC_FAILURE, 806,                                      \
        "a call between MPS client and server failed")                        \
    ROW(CUDA_ERROR_MPS_SERVER_NOT_READY, 807,                                 \
        "the MPS server is not ready for clients")                            \
    ROW(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808,                              \
        "the MPS server has no room for another client")                      \
    ROW(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809,                          \
        "the MPS server has no room for another connection")                  \
    ROW(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810,                                \
        "the MPS client was ended by the server")                             \
    ROW(CUDA_ERROR_CDP_NOT_SUPPORTED, 811,                                    \
        "CUDA dynamic parallelism is not supported here")                     \
    ROW(CUDA_ERROR_CDP_VERSION_MISMATCH, 812,                                 \
        "CUDA dynamic parallelism versions do not match")                     \
    ROW(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,                           \
        "operation not permitted when stream is capturing")                   \
    ROW(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901,                           \
        "operation failed due to a previous error during capture")            \
    ROW(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902,                                 \
        "operation would result in a merge of separate capture "              \
        "sequences")                                                          \
    ROW(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903,                             \
        "capture was not ended in the same stream as it began")               \
    ROW(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904,                              \
        "capturing stream has unjoined work")                                 \
    ROW(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905,                             \
        "dependency created on uncaptured work in another stream")            \
    ROW(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906,                              \
        "operation would make the legacy stream depend on a capturing "       \
        "blocking stream")                                                    \
    ROW(CUDA_ERROR_CAPTURED_EVENT, 907,                                       \
        "operation not permitted on an event last recorded in a "             \
        "capturing stream")                                                   \
    ROW(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,                          \
        "attempt to terminate a thread-local capture sequence from "          \
        "another thread")                                                     \
    ROW(CUDA_ERROR_TIMEOUT, 909, "wait operation timed out")                  \
    ROW(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910,                            \
        "the graph update was not performed because it included "             \
        "changes which violated constraints specific to instantiated "        \
        "graph update")                                                       \
    ROW(CUDA_ERROR_EXTERNAL_DEVICE, 911,                                      \
        "an error occurred in a device outside of the GPU")                   \
    ROW(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912,                                 \
        "a kernel launch error has occurred due to cluster "                  \
        "misconfiguration")                                                   \
    ROW(CUDA_ERROR_FUNCTION_NOT_LOADED, 913, "the function is not loaded")    \
    ROW(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914,                                \
        "invalid resource type")                                              \
    ROW(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915,                       \
        "invalid resource configuration")                                     \
    ROW(CUDA_ERROR_KEY_ROTATION, 916, "a key rotation is needed first")       \
    ROW(CUDA_ERROR_UNKNOWN, 999, "unknown error")

#endif
