/* properties.c - device queries other than cuDeviceGetAttribute.
 *
 * Called by users of the library.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "cpu/device/context.h"
#include "cpu/device/device.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/texture/texture.h"

/* Returns the value of a device attribute. */
static int
attribute_value(CUdevice_attribute which)
{
    int value = 0;

    cpu_device_attribute(which, &value);
    return value;
}

CPU_API CUresult
cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!properties) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *properties = (CUdevprop){
        .maxThreadsPerBlock =
            attribute_value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .maxThreadsDim = {attribute_value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                          attribute_value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                          attribute_value(
                              CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
        .maxGridSize = {attribute_value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                        attribute_value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                        attribute_value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
        .sharedMemPerBlock =
            attribute_value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .totalConstantMemory =
            attribute_value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        .SIMDWidth = attribute_value(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .memPitch = attribute_value(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        .regsPerBlock =
            attribute_value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        .clockRate = attribute_value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .textureAlign = attribute_value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    };
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, CUarray_format format,
                                   unsigned channels, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!elements || !cuda_format_bytes(format) ||
        (channels != 1 && channels != 2 && channels != 4)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *elements = (size_t)attribute_value(
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type,
                               CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!supported || (unsigned)type >= CU_EXEC_AFFINITY_TYPE_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *supported = 0;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current_any(&ctx);

    if (code) {
        return code;
    }
    return affinity && (unsigned)type < CU_EXEC_AFFINITY_TYPE_MAX
               ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
               : CUDA_ERROR_INVALID_VALUE;
}

/* Does nothing: no part of a cache is reserved for persisting accesses. */
CPU_API CUresult
cuCtxResetPersistingL2Cache(void)
{
    struct cpu_context *ctx;

    return cpu_context_current(&ctx);
}
