/* primary.c - primary contexts: the shared context of each device.
 *
 * Called by users of the library. One lock per device guards the reference
 * count of the primary context.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/device/context.h"
#include "cpu/device/context_lifetime.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"

/* The primary context of a device. `lock` guards all members. */
struct primary {
    pthread_mutex_t lock;
    /* the device's primary context; NULL while it is not active */
    struct cpu_context *ctx;
    unsigned references;
    unsigned flags;
};

static struct primary primaries[CPU_MAX_DEVICES] = {
    [0 ... CPU_MAX_DEVICES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER},
};

CPU_API CUresult
cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!handle) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct primary *primary = &primaries[device];
    pthread_mutex_lock(&primary->lock);
    if (!primary->ctx) {
        code = cpu_context_new(device, primary->flags, &primary->ctx);
        if (!code) {
            primary->ctx->primary = true;
        }
    }
    if (!code) {
        primary->references++;
        *handle = primary->ctx->handle;
    }
    pthread_mutex_unlock(&primary->lock);
    return code;
}

/* Destroys the primary context if it is active. The caller holds its lock. */
static void
primary_destroy(struct primary *primary)
{
    if (primary->ctx) {
        cpu_context_destroy(primary->ctx);
        primary->ctx = NULL;
    }
}

CPU_API CUresult
cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    struct primary *primary = &primaries[device];
    pthread_mutex_lock(&primary->lock);
    if (!primary->references) {
        code = CUDA_ERROR_INVALID_CONTEXT;
    } else if (!--primary->references) {
        primary_destroy(primary);
    }
    pthread_mutex_unlock(&primary->lock);
    return code;
}

CPU_API CUresult
cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    struct primary *primary = &primaries[device];
    pthread_mutex_lock(&primary->lock);
    primary_destroy(primary);
    primary->references = 0;
    pthread_mutex_unlock(&primary->lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!cpu_context_flags_valid(flags)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct primary *primary = &primaries[device];
    pthread_mutex_lock(&primary->lock);
    primary->flags = flags;
    if (primary->ctx) {
        primary->ctx->flags = flags;
    }
    pthread_mutex_unlock(&primary->lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!flags || !active) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct primary *primary = &primaries[device];
    pthread_mutex_lock(&primary->lock);
    *flags = primary->flags;
    *active = primary->ctx != NULL;
    pthread_mutex_unlock(&primary->lock);
    return CUDA_SUCCESS;
}
