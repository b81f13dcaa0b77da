/* green_api.c - the functions of the driver API for green contexts.
 *
 * Called by users of the library.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/device/resources.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/stream/stream.h"

CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);

CPU_API CUresult
cuGreenCtxCreate(CUgreenCtx *handle, CUdevResourceDesc desc, CUdevice device,
                 unsigned flags)
{
    struct cpu_context *ctx;
    CUcontext primary;
    unsigned sm_count;
    CUresult code = cpu_device_check(device);

    if (!code && (!handle || flags != CU_GREEN_CTX_DEFAULT_STREAM)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : cpu_resources_of(desc, device, &sm_count);
    code = code ? code : cuDevicePrimaryCtxRetain(&primary, device);
    if (code) {
        return code;
    }
    code = cpu_context_of(primary, &ctx);
    struct cpu_green *green = code ? NULL : cpu_green_new(ctx, sm_count);
    if (!green) {
        cuDevicePrimaryCtxRelease_v2(device);
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = green->handle;
    return CUDA_SUCCESS;
}

static CUresult
green_of(CUgreenCtx handle, struct cpu_green **green)
{
    CUresult code = cpu_ready();

    *green = cpu_handle_object(CPU_GREEN, handle);
    return code || *green ? code : CUDA_ERROR_INVALID_CONTEXT;
}

CPU_API CUresult
cuGreenCtxDestroy(CUgreenCtx handle)
{
    struct cpu_green *green;
    CUresult code = green_of(handle, &green);

    if (code) {
        return code;
    }
    CUdevice device = green->ctx->device;
    cpu_streams_strand(green);
    cpu_green_destroy(green);
    return cuDevicePrimaryCtxRelease_v2(device);
}

CPU_API CUresult
cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx handle)
{
    struct cpu_green *green;
    CUresult code = green_of(handle, &green);

    if (code || !context) {
        return code ? code : CUDA_ERROR_INVALID_VALUE;
    }
    *context = green->context;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGreenCtxGetId(CUgreenCtx handle, unsigned long long *id)
{
    struct cpu_green *green = NULL;
    CUresult code = handle ? green_of(handle, &green) : cpu_ready();

    if (code) {
        return code;
    }
    if (!handle) {
        green = cpu_green_current();
    }
    if (!green || !id) {
        return green ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
    }
    *id = green->id;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx handle, unsigned flags,
                       int priority)
{
    struct cpu_green *green;
    CUresult code = green_of(handle, &green);

    if (code) {
        return code;
    }
    return flags == CU_STREAM_NON_BLOCKING
               ? cpu_stream_new(green->ctx, green, flags, priority, stream)
               : CUDA_ERROR_INVALID_VALUE;
}
