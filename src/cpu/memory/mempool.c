/* mempool.c - stream-ordered allocation.
 *
 * Called by users of the library, and by arena.c when memory of a pool is
 * freed.  An allocation is made at once; a free waits in the stream.  Pools
 * count and limit; memory always comes from the arena, and goes back there at
 * once, so that what is reserved is what is used.
 *
 * `pools_lock` guards the pools; it comes after the memory lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cpu/cpu.h"

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);

struct pool {
    CUmemoryPool handle;
    int device;
    bool is_default;
    cuuint64_t threshold;
    size_t limit; /* bytes; 0: none */
    size_t used, used_high, reserved_high;
};

static struct pool default_pools[CPU_MAX_DEVICES];
static CUmemoryPool current_pools[CPU_MAX_DEVICES];
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

static CUmemoryPool
default_pool(int device)
{
    struct pool *pool = &default_pools[device];

    pthread_mutex_lock(&pools_lock);
    if (!pool->handle) {
        pool->device = device;
        pool->is_default = true;
        pool->handle = cpu_handle_new(CPU_POOL, pool, 0);
    }
    CUmemoryPool handle = pool->handle;
    pthread_mutex_unlock(&pools_lock);
    return handle;
}

static CUresult
pool_of(CUmemoryPool handle, struct pool **pool)
{
    CUresult code = cpu_ready();

    *pool = cpu_handle_object(CPU_POOL, handle);
    return code || *pool ? code : CUDA_ERROR_INVALID_VALUE;
}

static CUresult
pool_take(CUmemoryPool handle, size_t bytes, int *device)
{
    CUresult code = CUDA_SUCCESS;

    pthread_mutex_lock(&pools_lock);
    struct pool *pool = cpu_handle_object(CPU_POOL, handle);
    if (!pool) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (pool->limit &&
               (bytes > pool->limit || pool->used > pool->limit - bytes)) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    } else {
        *device = pool->device;
        pool->used += bytes;
        pool->used_high =
            pool->used > pool->used_high ? pool->used : pool->used_high;
        pool->reserved_high = pool->used > pool->reserved_high
                                  ? pool->used
                                  : pool->reserved_high;
    }
    pthread_mutex_unlock(&pools_lock);
    return code;
}

void
cpu_pool_return(CUmemoryPool handle, size_t bytes)
{
    pthread_mutex_lock(&pools_lock);
    struct pool *pool = cpu_handle_object(CPU_POOL, handle);
    if (pool) { /* else it was destroyed with memory in use */
        pool->used -= bytes;
    }
    pthread_mutex_unlock(&pools_lock);
}

static CUresult
pool_allocate(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
              CUstream handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    uintptr_t base;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);

    if (code) {
        return code;
    }
    if (!pointer || !bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (cpu_stream_records(stream)) {
        return cpu_capture_refuse(stream);
    }
    struct cpu_allocation as = {
        .kind = CPU_MEMORY_DEVICE, .context_id = ctx->id, .pool = pool};
    if (!pool && (code = cuDeviceGetMemPool(&as.pool, ctx->device))) {
        return code;
    }
    code = pool_take(as.pool, bytes, &as.device);
    if (code) {
        return code;
    }
    code = cpu_arena_allocate(bytes, &as, &base);
    if (code) {
        cpu_pool_return(as.pool, bytes);
        return code;
    }
    *pointer = (CUdeviceptr)base;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream)
{
    return pool_allocate(pointer, bytes, NULL, stream);
}

CPU_API CUresult
cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes,
                        CUmemoryPool handle, CUstream stream)
{
    struct pool *pool;
    CUresult code = pool_of(handle, &pool);

    return code ? code : pool_allocate(pointer, bytes, handle, stream);
}

static CUresult
free_run(void *argument)
{
    cpu_arena_free(*(uintptr_t *)argument, CPU_MEMORY_DEVICE);
    return CUDA_SUCCESS; /* freed twice in one stream: the first one counts */
}

CPU_API CUresult
cuMemFreeAsync(CUdeviceptr pointer, CUstream handle)
{
    struct cpu_allocation found;
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    uintptr_t base = (uintptr_t)pointer;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);

    if (code || !pointer) {
        return code;
    }
    if (!cpu_arena_find(base, &found) || found.base != base ||
        found.kind != CPU_MEMORY_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (cpu_stream_records(stream)) {
        return cpu_capture_refuse(stream);
    }
    return cpu_run_async(stream, CU_GRAPH_NODE_TYPE_MEM_FREE, free_run, &base,
                         sizeof base, true);
}

/* ---- pools ---- */

CPU_API CUresult
cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    CUresult code = cpu_device_check(device);

    if (code) {
        return code;
    }
    if (!pool) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pool = default_pool(device);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CPU_API CUresult
cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    CUresult code = cuDeviceGetDefaultMemPool(pool, device);

    if (code) {
        return code;
    }
    pthread_mutex_lock(&pools_lock);
    if (cpu_handle_object(CPU_POOL, current_pools[device])) {
        *pool = current_pools[device];
    }
    pthread_mutex_unlock(&pools_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle)
{
    struct pool *pool;
    CUresult code = cpu_device_check(device);

    if (code == CUDA_ERROR_INVALID_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE; /* as NVIDIA's driver has it */
    }
    if (!code) {
        code = pool_of(handle, &pool);
    }
    if (code) {
        return code;
    }
    pthread_mutex_lock(&pools_lock);
    current_pools[device] = handle;
    pthread_mutex_unlock(&pools_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemPoolCreate(CUmemoryPool *handle, const CUmemPoolProps *properties)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!handle || !properties || cpu_device_check(properties->location.id)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (properties->handleTypes) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pool->device = properties->location.id;
    pool->limit = properties->maxSize;
    pool->handle = cpu_handle_new(CPU_POOL, pool, 0);
    if (!pool->handle) {
        free(pool);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = pool->handle;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemPoolDestroy(CUmemoryPool handle)
{
    struct pool *pool;
    CUresult code = pool_of(handle, &pool);

    if (code) {
        return code;
    }
    if (pool->is_default) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&pools_lock);
    cpu_handle_delete(handle);
    free(pool);
    pthread_mutex_unlock(&pools_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemPoolTrimTo(CUmemoryPool handle, size_t keep)
{
    struct pool *pool;

    (void)keep; /* freed memory goes back at once */
    return pool_of(handle, &pool);
}

CPU_API CUresult
cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                      void *value)
{
    struct pool *pool;
    CUresult code = pool_of(handle, &pool);

    if (code) {
        return code;
    }
    if (!value) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch ((int)attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = 1;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = pool->threshold;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = pool->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        *(cuuint64_t *)value = pool->reserved_high;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = pool->used_high;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CPU_API CUresult
cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                      void *value)
{
    struct pool *pool;
    CUresult code = pool_of(handle, &pool);

    if (code) {
        return code;
    }
    if (!value || (int)attribute < 1 ||
        attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch ((int)attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->threshold = *(cuuint64_t *)value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        if (*(cuuint64_t *)value) {
            return CUDA_ERROR_INVALID_VALUE; /* only to start anew */
        }
        *(attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? &pool->used_high
                                                     : &pool->reserved_high) =
            pool->used;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return CUDA_SUCCESS;
    }
}
