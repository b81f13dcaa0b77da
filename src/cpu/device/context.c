/* context.c - contexts, and the context stack of each thread.
 *
 * Called by users of the library, and by all files that need the current
 * context. Owns struct cpu_context. context_stack.h has the stacks.
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
#include "cpu/device/context_stack.h"
#include "cpu/device/device.h"
#include "cpu/device/green.h"
#include "cpu/device/handle.h"
#include "cpu/device/limits.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/ipc.h"
#include "cpu/module/module.h"
#include "cpu/run/device_heap.h"
#include "cpu/run/printf.h"
#include "cpu/stream/event.h"
#include "cpu/stream/operation.h"
#include "cpu/stream/scheduler.h"
#include "cpu/stream/stream.h"

static atomic_ullong context_ids;

/* Default values of cuCtxGetLimit; the unit depends on the limit. */
static const size_t limit_defaults[CPU_LIMITS] = {
    [CU_LIMIT_STACK_SIZE] = 1024,
    [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
    [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
    [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
};

CUresult
cpu_context_of(CUcontext handle, struct cpu_context **ctx)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    *ctx = cpu_handle_object(CPU_CONTEXT, handle);
    return *ctx ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult
cpu_context_current_any(struct cpu_context **ctx)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!context_stack.current) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    *ctx = cpu_handle_object(CPU_CONTEXT, context_stack.current);
    return *ctx ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult
cpu_context_status(struct cpu_context *ctx)
{
    return atomic_load_explicit(&ctx->error, memory_order_acquire);
}

CUresult
cpu_context_current(struct cpu_context **ctx)
{
    CUresult code = cpu_context_current_any(ctx);

    return code ? code : cpu_context_status(*ctx);
}

void
cpu_context_fail(struct cpu_context *ctx, CUresult code)
{
    int none = CUDA_SUCCESS;

    atomic_compare_exchange_strong(&ctx->error, &none, (int)code);
}

uint64_t
cpu_context_next_id(void)
{
    return atomic_fetch_add(&context_ids, 1) + 1;
}

/* Frees a partly created context. Always returns CUDA_ERROR_OUT_OF_MEMORY. */
static CUresult
context_discard(struct cpu_context *ctx)
{
    void *handles[] = {ctx->handle, ctx->legacy.handle,
                       ctx->per_thread.handle};

    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        if (handles[i]) {
            cpu_handle_delete(handles[i]);
        }
    }
    if (ctx->fifo) {
        cpu_fifo_delete(ctx->fifo);
    }
    free(ctx);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult
cpu_context_new(CUdevice device, unsigned flags, struct cpu_context **made)
{
    struct cpu_context *ctx = calloc(1, sizeof *ctx);

    if (!ctx) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    ctx->fifo = cpu_fifo_new();
    ctx->handle = cpu_handle_new(CPU_CONTEXT, ctx, 0);
    ctx->legacy.handle = cpu_handle_new(CPU_STREAM, &ctx->legacy, 0);
    ctx->per_thread.handle = cpu_handle_new(CPU_STREAM, &ctx->per_thread, 0);
    if (!ctx->fifo || !ctx->handle || !ctx->legacy.handle ||
        !ctx->per_thread.handle) {
        return context_discard(ctx);
    }
    ctx->device = device;
    ctx->flags = flags;
    ctx->id = cpu_context_next_id();
    memcpy(ctx->limits, limit_defaults, sizeof ctx->limits);
    pthread_mutex_init(&ctx->lock, NULL);
    pthread_mutex_init(&ctx->heap_lock, NULL);
    cpu_stream_attach(ctx, &ctx->per_thread);
    cpu_stream_attach(ctx, &ctx->legacy);
    *made = ctx;
    return CUDA_SUCCESS;
}

/* Waits for pending operations, then frees everything that the context
 * owns. */
void
cpu_context_destroy(struct cpu_context *ctx)
{
    cpu_handle_delete(ctx->handle);
    cpu_scheduler_drain(ctx);
    cpu_fifo_flush(ctx);
    cpu_modules_close(ctx);
    cpu_links_close(ctx);
    cpu_streams_close(ctx);
    cpu_greens_close(ctx);
    cpu_events_close(ctx);
    cpu_handles_delete_owned(CPU_BLAS, ctx->id, free);
    cpu_handles_delete_owned(CPU_TEXTURE, ctx->id, free);
    cpu_handles_delete_owned(CPU_SURFACE, ctx->id, free);
    /* Levels of mipmapped arrays are freed as arrays. */
    cpu_handles_delete_owned(CPU_MIPMAP, ctx->id, free);
    /* Freed without a destructor, since the arena frees the memory of
     * arrays. */
    cpu_handles_delete_owned(CPU_ARRAY, ctx->id, free);
    cpu_ipc_close(ctx);
    cpu_arena_free_context(ctx->id);
    cpu_heap_close(ctx);
    cpu_op_release(ctx->gate);
    cpu_fifo_delete(ctx->fifo);
    pthread_mutex_destroy(&ctx->lock);
    free(ctx);
}

bool
cpu_context_flags_valid(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;

    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) &&
           (schedule == CU_CTX_SCHED_AUTO || schedule == CU_CTX_SCHED_SPIN ||
            schedule == CU_CTX_SCHED_YIELD ||
            schedule == CU_CTX_SCHED_BLOCKING_SYNC);
}

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
    cpu_context_destroy(ctx);
    return CUDA_SUCCESS;
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
 * stores its answer in `*result`. `result` must not be NULL. */
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

CUresult
cpu_context_synchronize(struct cpu_context *ctx)
{
    cpu_scheduler_drain(ctx);
    cpu_fifo_flush(ctx);
    return cpu_context_status(ctx);
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
    ctx->limits[limit] = value;
    return CUDA_SUCCESS;
}

/* Finds the current context for a query that stores its answer in `*result`.
 * `result` must not be NULL. */
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

/* Checks the configuration and stores it without effect: banks always have
 * four bytes. */
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
