/* device_runtime.h - CUDA's runtime API for kernels: launches, streams,
 * events, copies, memory, queries.
 *
 * The compiler includes it for relocatable code (-rdc=true), as NVRTC declares
 * these functions. It rewrites a launch, k<<<config>>>(arguments), to
 * __pycuda_launch_end(__pycuda_launch(config), (k(arguments), 0)), and
 * pycuda-jit replaces that by a call of the runtime
 * (src/jit/retarget/launches.c).
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "error_texts.h"

#define cudaStreamTailLaunch    ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)

/* Members as in struct image_child_launch (src/image/abi.h). */
struct __pycuda_launch {
    unsigned int grid[3], block[3];
    unsigned long shared;
    cudaStream_t stream;
    unsigned long caller_block;
    unsigned int caller_thread;

    __device__ __forceinline__ __pycuda_launch(dim3 g, dim3 b, size_t bytes = 0,
                                               cudaStream_t s = 0);
};

/* The members are those of struct image_device_copy
 * (src/image/device_runtime.h). */
struct __pycuda_device_box {
    char *to;
    const char *from;
    unsigned long width, height, depth;
    unsigned long to_pitch, to_slice, from_pitch, from_slice;
    int value, is_fill;
};

extern "C" {
__device__ void __pycuda_launch_end(const __pycuda_launch &launch, int);
__device__ int __pycuda_device_error(unsigned long block, unsigned int thread,
                                     int action, int code);
__device__ int __pycuda_device_object(int action, void **object,
                                      unsigned int flags);
__device__ int __pycuda_device_event(void *event, void *stream,
                                     unsigned long block, int wait);
__device__ int __pycuda_device_copy(const __pycuda_device_box *box,
                                    void *stream, unsigned long block);
__device__ int __pycuda_device_limit(int limit, unsigned long *value);
__device__ int __pycuda_device_attribute(int attribute, int device,
                                         int *value);
__device__ int __pycuda_kernel_attribute(const void *kernel, int attribute,
                                         int *value);
__device__ int __pycuda_kernel_occupancy(const void *kernel, int threads,
                                         unsigned long shared, int *blocks);
}

/* Returns the index of the calling block in its grid. */
static __device__ __forceinline__ unsigned long
__pycuda_block_index()
{
    return __pycuda_ctaid(0) +
           (unsigned long)__pycuda_nctaid(0) *
               (__pycuda_ctaid(1) +
                (unsigned long)__pycuda_nctaid(1) * __pycuda_ctaid(2));
}

enum __pycuda_error_action {
    __PYCUDA_ERROR_PEEK,
    __PYCUDA_ERROR_TAKE,
    __PYCUDA_ERROR_SET,
};
enum __pycuda_object_action {
    __PYCUDA_STREAM_CREATE,
    __PYCUDA_STREAM_DESTROY,
    __PYCUDA_EVENT_CREATE,
    __PYCUDA_EVENT_DESTROY,
};

/* Returns the result of a function of the runtime API. An error becomes the
 * calling thread's last error. */
static __device__ __forceinline__ cudaError_t
__pycuda_result(int code)
{
    return (cudaError_t)(code ? __pycuda_device_error(
                                    __pycuda_block_index(), __pycuda_linear(),
                                    __PYCUDA_ERROR_SET, code)
                              : 0);
}

__device__ __forceinline__
__pycuda_launch::__pycuda_launch(dim3 g, dim3 b, size_t bytes, cudaStream_t s)
    : grid{g.x, g.y, g.z}, block{b.x, b.y, b.z}, shared(bytes), stream(s),
      caller_block(__pycuda_block_index()), caller_thread(__pycuda_linear())
{
}

/* Copies or fills a box of bytes in stream order. */
static __device__ __forceinline__ cudaError_t
__pycuda_copy(const __pycuda_device_box &box, cudaStream_t stream)
{
    return __pycuda_result(
        __pycuda_device_copy(&box, stream, __pycuda_block_index()));
}

extern "C" {

/* ---- errors ---- */

#define __PYCUDA_ERROR_NAME(name, text)                                       \
    case name:                                                                \
        return #name;
#define __PYCUDA_ERROR_TEXT(name, text)                                       \
    case name:                                                                \
        return text;

inline __device__ cudaError_t
cudaGetLastError(void)
{
    return (cudaError_t)__pycuda_device_error(
        __pycuda_block_index(), __pycuda_linear(), __PYCUDA_ERROR_TAKE, 0);
}

inline __device__ cudaError_t
cudaPeekAtLastError(void)
{
    return (cudaError_t)__pycuda_device_error(
        __pycuda_block_index(), __pycuda_linear(), __PYCUDA_ERROR_PEEK, 0);
}

inline __device__ const char *
cudaGetErrorName(cudaError_t error)
{
    switch (error) {
        __PYCUDA_ERRORS(__PYCUDA_ERROR_NAME)
    default:
        return "unrecognized error code";
    }
}

inline __device__ const char *
cudaGetErrorString(cudaError_t error)
{
    switch (error) {
        __PYCUDA_ERRORS(__PYCUDA_ERROR_TEXT)
    default:
        return "unrecognized error code";
    }
}

/* ---- streams and events ---- */

inline __device__ cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return __pycuda_result(__pycuda_device_object(__PYCUDA_STREAM_CREATE,
                                                  (void **)stream, flags));
}

inline __device__ cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    return __pycuda_result(__pycuda_device_object(__PYCUDA_STREAM_DESTROY,
                                                  (void **)&stream, 0));
}

inline __device__ cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int)
{
    return __pycuda_result(
        __pycuda_device_event(event, stream, __pycuda_block_index(), 1));
}

inline __device__ cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return __pycuda_result(__pycuda_device_object(__PYCUDA_EVENT_CREATE,
                                                  (void **)event, flags));
}

inline __device__ cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return __pycuda_result(
        __pycuda_device_event(event, stream, __pycuda_block_index(), 0));
}

inline __device__ cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int)
{
    return cudaEventRecord(event, stream);
}

inline __device__ cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    return __pycuda_result(
        __pycuda_device_object(__PYCUDA_EVENT_DESTROY, (void **)&event, 0));
}

/* ---- memory ---- */

inline __device__ cudaError_t
cudaMalloc(void **pointer, size_t bytes)
{
    *pointer = bytes ? __pycuda_malloc_aligned(bytes, 256) : nullptr;
    return __pycuda_result(
        bytes && !*pointer ? cudaErrorMemoryAllocation : cudaSuccess);
}

inline __device__ cudaError_t
cudaFree(void *pointer)
{
    __pycuda_free(pointer);
    return cudaSuccess;
}

inline __device__ cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind,
                cudaStream_t stream)
{
    return __pycuda_copy({(char *)to, (const char *)from, bytes, 1, 1, bytes,
                          bytes, bytes, bytes, 0, 0},
                         stream);
}

inline __device__ cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                  size_t from_pitch, size_t width, size_t height,
                  cudaMemcpyKind, cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch) {
        return __pycuda_result(cudaErrorInvalidPitchValue);
    }
    return __pycuda_copy({(char *)to, (const char *)from, width, height, 1,
                          to_pitch, to_pitch * height, from_pitch,
                          from_pitch * height, 0, 0},
                         stream);
}

inline __device__ cudaError_t
cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream)
{
    const cudaPitchedPtr &to = p->dstPtr, &from = p->srcPtr;
    const cudaPos &at = p->dstPos, &source = p->srcPos;

    if (p->srcArray || p->dstArray || p->extent.width > to.pitch ||
        p->extent.width > from.pitch) {
        return __pycuda_result(cudaErrorInvalidValue);
    }
    return __pycuda_copy(
        {(char *)to.ptr + at.x + to.pitch * (at.y + to.ysize * at.z),
         (const char *)from.ptr + source.x +
             from.pitch * (source.y + from.ysize * source.z),
         p->extent.width, p->extent.height, p->extent.depth, to.pitch,
         to.pitch * to.ysize, from.pitch, from.pitch * from.ysize, 0, 0},
        stream);
}

inline __device__ cudaError_t
cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return __pycuda_copy({(char *)to, nullptr, bytes, 1, 1, bytes, bytes, 0, 0,
                          value, 1},
                         stream);
}

inline __device__ cudaError_t
cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                  size_t height, cudaStream_t stream)
{
    return __pycuda_copy({(char *)to, nullptr, width, height, 1, pitch,
                          pitch * height, 0, 0, value, 1},
                         stream);
}

inline __device__ cudaError_t
cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                  cudaStream_t stream)
{
    return __pycuda_copy({(char *)to.ptr, nullptr, extent.width, extent.height,
                          extent.depth, to.pitch, to.pitch * to.ysize, 0, 0,
                          value, 1},
                         stream);
}

/* ---- queries ---- */

inline __device__ cudaError_t
cudaDeviceGetLimit(size_t *value, cudaLimit limit)
{
    return __pycuda_result(__pycuda_device_limit(limit, value));
}

inline __device__ cudaError_t
cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    return __pycuda_result(
        __pycuda_device_attribute(attribute, device, value));
}

inline __device__ cudaError_t
cudaDeviceGetCacheConfig(cudaFuncCache *config)
{
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

inline __device__ cudaError_t
cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config)
{
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

inline __device__ cudaError_t
cudaGetDevice(int *device)
{
    return __pycuda_result(__pycuda_device_attribute(-1, 0, device));
}

inline __device__ cudaError_t
cudaGetDeviceCount(int *count)
{
    return __pycuda_result(__pycuda_device_attribute(-2, 0, count));
}

inline __device__ cudaError_t
cudaRuntimeGetVersion(int *version)
{
    /* the value that the device runtime of CUDA 13.0 returns */
    *version = 6000;
    return cudaSuccess;
}

inline __device__ cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel)
{
    int values[10] = {0};
    int code = 0;

    /* The attributes of enum CUfunction_attribute have consecutive numbers. */
    for (int i = 0; i < 10 && !code; i++) {
        code = __pycuda_kernel_attribute(kernel, i, &values[i]);
    }
    *attributes = {};
    attributes->maxThreadsPerBlock = values[0];
    attributes->sharedSizeBytes = values[1];
    attributes->constSizeBytes = values[2];
    attributes->localSizeBytes = values[3];
    attributes->numRegs = values[4];
    attributes->ptxVersion = values[5];
    attributes->binaryVersion = values[6];
    attributes->cacheModeCA = values[7];
    attributes->maxDynamicSharedSizeBytes = values[8];
    attributes->preferredShmemCarveout = values[9];
    return __pycuda_result(code);
}

inline __device__ cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                              int threads, size_t shared)
{
    return __pycuda_result(
        __pycuda_kernel_occupancy(kernel, threads, shared, blocks));
}

inline __device__ cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                       const void *kernel,
                                                       int threads,
                                                       size_t shared,
                                                       unsigned int)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel,
                                                         threads, shared);
}
}
