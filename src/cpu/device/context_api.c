/* context_api.c - the functions cuCtx* of the driver API.
 *
 * Called by users of the library. context_stack.h declares the stack of
 * contexts that each thread has.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/context_lifetime.h"
#include "cpu/device/context_stack.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/memory/budget.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/stream.h"

/* Common part of all versions of cuCtxCreate: creates a context and pushes it
 * onto the thread's stack. */
static CUresult
context_create(CUcontext *handle, unsigned flags, CUdevice device)
{
    struct cpu_context *ctx;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle || !cpu_context_flags_valid(flags)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_device_check(device);
    if (code) {
        return code;
    }
    code = context_stack_reserve();
    if (code) {
        return code;
    }
    code = cpu_context_new(device, flags, &ctx);
    if (code) {
        return code;
    }
    *handle = ctx->handle;
    return context_stack_push(ctx->handle);
}

CPU_API CUresult
cuCtxCreate_v2(CUcontext *handle, unsigned flags, CUdevice device)
{
    return context_create(handle, flags, device);
}

/* Returns NOT_SUPPORTED for a request of execution affinity. */
CPU_API CUresult
cuCtxCreate_v3(CUcontext *handle, CUexecAffinityParam *affinity, int count,
               unsigned flags, CUdevice device)
{
    if (affinity || count) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return context_create(handle, flags, device);
}

/* Returns NOT_SUPPORTED for requests of execution affinity or CUDA in
 * graphics. */
CPU_API CUresult
cuCtxCreate_v4(CUcontext *handle, CUctxCreateParams *params, unsigned flags,
               CUdevice device)
{
    if (params && (params->execAffinityParams || params->cigParams)) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return context_create(handle, flags, device);
}

CPU_API CUresult
cuCtxDestroy_v2(CUcontext handle)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_of(handle, &ctx);

    if (code) {
        return code;
    }
    if (ctx->primary) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (context_stack.depth && context_stack.current == handle) {
        context_stack_pop();
    }
    return cpu_context_destroy(ctx) ? CUDA_SUCCESS
                                    : CUDA_ERROR_INVALID_CONTEXT;
}

CPU_API CUresult
cuCtxAttach(CUcontext *handle, unsigned flags)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle || flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *handle = ctx->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxDetach(CUcontext handle)
{
    return cuCtxDestroy_v2(handle);
}

CPU_API CUresult
cuCtxPushCurrent_v2(CUcontext handle)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_of(handle, &ctx);

    return code ? code : context_stack_push(handle);
}

CPU_API CUresult
cuCtxPopCurrent_v2(CUcontext *handle)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!context_stack.depth) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    CUcontext top = context_stack_pop();
    if (handle) {
        *handle = top;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxSetCurrent(CUcontext handle)
{
    struct cpu_context *ctx;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle) {
        if (context_stack.depth) {
            context_stack_pop();
        }
        return CUDA_SUCCESS;
    }
    code = cpu_context_of(handle, &ctx);
    if (code) {
        return code;
    }
    if (!context_stack.depth) {
        return context_stack_push(handle);
    }
    context_stack.current = handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxGetCurrent(CUcontext *handle)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *handle = context_stack.current;
    return CUDA_SUCCESS;
}

/* Finds the context of a handle; NULL means the current context. */
static CUresult
context_or_current(CUcontext handle, struct cpu_context **ctx)
{
    return handle ? cpu_context_of(handle, ctx) : cpu_context_current_any(ctx);
}

/* Finds the context of a handle (NULL: the current one) for a query that
 * stores its answer in `*result`. Returns INVALID_VALUE if `result` is
 * NULL. */
static CUresult
context_for_query(CUcontext handle, const void *result,
                  struct cpu_context **ctx)
{
    CUresult code = context_or_current(handle, ctx);

    return code || result ? code : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuCtxGetDevice_v2(CUdevice *device, CUcontext handle)
{
    struct cpu_context *ctx;
    CUresult code = context_for_query(handle, device, &ctx);

    if (!code) {
        *device = ctx->device;
    }
    return code;
}

CPU_API CUresult
cuCtxGetDevice(CUdevice *device)
{
    return cuCtxGetDevice_v2(device, NULL);
}

CPU_API CUresult
cuCtxGetFlags(unsigned *flags)
{
    struct cpu_context *ctx;
    CUresult code = context_for_query(NULL, flags, &ctx);

    if (!code) {
        *flags = ctx->flags;
    }
    return code;
}

CPU_API CUresult
cuCtxSetFlags(unsigned flags)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current_any(&ctx);

    if (code) {
        return code;
    }
    if (!cpu_context_flags_valid(flags)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    ctx->flags = flags;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxGetId(CUcontext handle, unsigned long long *id)
{
    struct cpu_context *ctx;
    CUresult code = context_for_query(handle, id, &ctx);

    if (!code) {
        *id = ctx->id;
    }
    return code;
}

CPU_API CUresult
cuCtxGetApiVersion(CUcontext handle, unsigned *version)
{
    struct cpu_context *ctx;
    CUresult code = context_for_query(handle, version, &ctx);

    if (!code) {
        *version = 3020;
    }
    return code;
}

CPU_API CUresult
cuCtxSynchronize(void)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current_any(&ctx);

    if (!code) {
        code = cpu_capture_refuse_all(ctx, NULL);
    }
    return code ? code : cpu_context_synchronize(ctx);
}

CPU_API CUresult
cuCtxSynchronize_v2(CUcontext handle)
{
    struct cpu_context *ctx;
    CUresult code = context_or_current(handle, &ctx);

    code = code ? code : cpu_capture_refuse_all(ctx, NULL);
    return code ? code : cpu_context_synchronize(ctx);
}

CPU_API CUresult
cuCtxGetLimit(size_t *value, CUlimit limit)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!value || (int)limit < 0 || limit >= CU_LIMIT_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if ((size_t)limit >= CPU_LIMITS) {
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    *value = ctx->limits[limit];
    return CUDA_SUCCESS;
}

/* Returns how many bytes of memory a limit of 1 may need: the limit counts
 * bytes or, for pending launches, operations. */
static size_t
limit_unit(CUlimit limit)
{
    return limit == CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT
               ? sizeof(struct cpu_op)
               : 1;
}

CPU_API CUresult
cuCtxSetLimit(CUlimit limit, size_t value)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if ((int)limit < 0 || limit >= CU_LIMIT_MAX) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if ((size_t)limit >= CPU_LIMITS) {
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    if (limit == CU_LIMIT_STACK_SIZE && value > (512u << 10)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (value > cpu_memory_bytes() / limit_unit(limit)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (atomic_load(&ctx->used_limits) & (1u << limit)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    ctx->limits[limit] = value;
    return CUDA_SUCCESS;
}

/* Finds the current context for a query that stores its answer in `*result`.
 * Returns INVALID_VALUE if `result` is NULL. */
static CUresult
current_for_query(const void *result, struct cpu_context **ctx)
{
    CUresult code = cpu_context_current(ctx);

    return code || result ? code : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuCtxGetCacheConfig(CUfunc_cache *config)
{
    struct cpu_context *ctx;
    CUresult code = current_for_query(config, &ctx);

    if (!code) {
        *config = ctx->cache;
    }
    return code;
}

CPU_API CUresult
cuCtxSetCacheConfig(CUfunc_cache config)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    ctx->cache = config;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    struct cpu_context *ctx;
    CUresult code = current_for_query(config, &ctx);

    if (!code) {
        *config = ctx->shared_config
                      ? ctx->shared_config
                      : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    }
    return code;
}

/* Checks the argument, which has no effect: the banks of shared memory always
 * have four bytes. */
CPU_API CUresult
cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    ctx->shared_config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (least) {
        *least = 0;
    }
    if (greatest) {
        *greatest = CPU_PRIORITY_HIGHEST;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxEnablePeerAccess(CUcontext peer_handle, unsigned flags)
{
    struct cpu_context *ctx, *peer;
    CUresult code = cpu_context_current(&ctx);

    if (!code) {
        code = cpu_context_of(peer_handle, &peer);
    }
    if (code) {
        return code;
    }
    if (flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (peer->device == ctx->device) {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    pthread_mutex_lock(&ctx->lock);
    bool had = ctx->peers >> peer->device & 1;
    ctx->peers |= 1ull << peer->device;
    pthread_mutex_unlock(&ctx->lock);
    return had ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CPU_API CUresult
cuCtxDisablePeerAccess(CUcontext peer_handle)
{
    struct cpu_context *ctx, *peer;
    CUresult code = cpu_context_current(&ctx);

    if (!code) {
        code = cpu_context_of(peer_handle, &peer);
    }
    if (code) {
        return code;
    }
    pthread_mutex_lock(&ctx->lock);
    bool had = ctx->peers >> peer->device & 1;
    ctx->peers &= ~(1ull << peer->device);
    pthread_mutex_unlock(&ctx->lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
