/* limited_memory.c - the CPU device's driver with a limit on memory.
 *
 * While more than scarce_limit bytes allocated by cuMemAlloc are not freed,
 * every call that allocates device memory reports that there is none.
 *
 * test_limited_memory.py builds it, linked to the CPU device's driver, which
 * has all other functions, and sets PYCUDA_CPU_LIBRARY to it.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api/cuda_types.h"
#include "real.h"

enum { MOST = 256 };

/* The test reads and writes these variables. */
size_t scarce_limit = SIZE_MAX, scarce_used, scarce_refused;

static struct {
    CUdeviceptr pointer;
    size_t bytes;
} taken[MOST];

static bool
is_scarce(size_t more)
{
    bool scarce = more > scarce_limit || scarce_used > scarce_limit - more;
    scarce_refused += scarce;
    return scarce;
}

CUresult
cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
    CUresult (*call)(CUdeviceptr *, size_t) = real(__func__);
    CUresult code =
        is_scarce(bytes) ? CUDA_ERROR_OUT_OF_MEMORY : call(pointer, bytes);
    for (int i = 0; code == CUDA_SUCCESS; i++) {
        if (i == MOST) {
            abort();
        }
        if (taken[i].pointer == 0) {
            taken[i].pointer = *pointer;
            taken[i].bytes = bytes;
            scarce_used += bytes;
            break;
        }
    }
    return code;
}

CUresult
cuMemFree_v2(CUdeviceptr pointer)
{
    CUresult (*call)(CUdeviceptr) = real(__func__);
    for (int i = 0; i < MOST; i++) {
        if (taken[i].pointer == pointer) {
            taken[i].pointer = 0;
            scarce_used -= taken[i].bytes;
        }
    }
    return call(pointer);
}

#define SCARCE(name, parameters, ...)                                         \
    CUresult name parameters                                                  \
    {                                                                         \
        CUresult(*call) parameters = real(#name);                             \
        return is_scarce(0) ? CUDA_ERROR_OUT_OF_MEMORY : call(__VA_ARGS__);   \
    }

SCARCE(cuMemAllocPitch_v2,
       (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height,
        unsigned element),
       pointer, pitch, width, height, element)
SCARCE(cuMemAllocAsync, (CUdeviceptr * pointer, size_t bytes, CUstream stream),
       pointer, bytes, stream)
SCARCE(cuMemAllocManaged,
       (CUdeviceptr * pointer, size_t bytes, unsigned flags), pointer, bytes,
       flags)
SCARCE(cuArrayCreate_v2,
       (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *descriptor), array,
       descriptor)
SCARCE(cuArray3DCreate_v2,
       (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor), array,
       descriptor)
SCARCE(cuMipmappedArrayCreate,
       (CUmipmappedArray * array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
        unsigned levels),
       array, descriptor, levels)
SCARCE(cuModuleLoadDataEx,
       (CUmodule * module, const void *image, unsigned count,
        CUjit_option *options, void **values),
       module, image, count, options, values)
SCARCE(cuLaunchKernelEx,
       (const CUlaunchConfig *config, CUfunction function, void **arguments,
        void **extra),
       config, function, arguments, extra)
SCARCE(cuLaunchKernel,
       (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
        CUstream stream, void **arguments, void **extra),
       function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
       stream, arguments, extra)
