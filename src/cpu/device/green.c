/* green.c - green contexts, and the contexts that they are converted to.
 *
 * Called by users of the library, by stream.c for streams created while a
 * green context is current, and by context.c when a primary context is
 * destroyed. cuCtxFromGreenCtx returns a handle that names the primary
 * context, so that every function accepts it. A list maps such a handle to its
 * green context.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/device.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/exports/visibility.h"
#include "cpu/stream/operation.h"

CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuCtxGetCurrent(CUcontext *handle);

static pthread_mutex_t green_lock = PTHREAD_MUTEX_INITIALIZER;
/* List of all green contexts; guarded by green_lock. */
static struct cpu_green *greens;
static atomic_uint green_count;

struct cpu_green *
cpu_green_of_context(CUcontext handle)
{
    if (!handle || !atomic_load(&green_count)) {
        return NULL;
    }
    pthread_mutex_lock(&green_lock);
    struct cpu_green *green = greens;
    while (green && green->context != handle) {
        green = green->next;
    }
    pthread_mutex_unlock(&green_lock);
    return green;
}

struct cpu_green *
cpu_green_current(void)
{
    CUcontext handle = NULL;

    return atomic_load(&green_count) && !cuCtxGetCurrent(&handle)
               ? cpu_green_of_context(handle)
               : NULL;
}

static void
green_unlink(struct cpu_green *green)
{
    struct cpu_green **link = &greens;

    while (*link != green) {
        link = &(*link)->next;
    }
    *link = green->next;
    atomic_fetch_sub(&green_count, 1);
}

static void
green_free(struct cpu_green *green)
{
    if (green->handle) {
        cpu_handle_delete(green->handle);
    }
    if (green->context) {
        cpu_handle_delete(green->context);
    }
    cpu_op_release(green->gate);
    free(green);
}

void
cpu_greens_close(struct cpu_context *ctx)
{
    struct cpu_green *green, *next, *ended = NULL;

    pthread_mutex_lock(&green_lock);
    for (green = greens; green; green = next) {
        next = green->next;
        if (green->ctx == ctx) {
            green_unlink(green);
            green->next = ended;
            ended = green;
        }
    }
    pthread_mutex_unlock(&green_lock);
    for (; ended; ended = next) {
        next = ended->next;
        green_free(ended);
    }
}

/* Allocates a green context of the primary context. Returns NULL if there is
 * not enough memory. */
static struct cpu_green *
green_new(struct cpu_context *ctx, unsigned sm_count)
{
    struct cpu_green *green = calloc(1, sizeof *green);

    if (!green) {
        return NULL;
    }
    green->ctx = ctx;
    green->sm_count = sm_count;
    green->id = cpu_context_next_id();
    green->handle = cpu_handle_new(CPU_GREEN, green, 0);
    green->context = cpu_handle_new(CPU_CONTEXT, ctx, 0);
    if (!green->handle || !green->context) {
        green_free(green);
        return NULL;
    }
    pthread_mutex_lock(&green_lock);
    green->next = greens;
    greens = green;
    atomic_fetch_add(&green_count, 1);
    pthread_mutex_unlock(&green_lock);
    return green;
}

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
    struct cpu_green *green = code ? NULL : green_new(ctx, sm_count);
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
    pthread_mutex_lock(&green_lock);
    green_unlink(green);
    pthread_mutex_unlock(&green_lock);
    green_free(green);
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
