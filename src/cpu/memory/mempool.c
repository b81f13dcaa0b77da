/* mempool.c - memory pools and stream-ordered allocation.
 *
 * Called by users of the library, and by arena.c when memory of a pool is
 * freed. An allocation takes effect immediately; a free is executed in stream
 * order. A pool only counts and limits memory. The arena allocates the memory,
 * and a free returns it to the arena at once, not to the pool. The reserved
 * size that a pool reports is the size that a GPU reports when its streams are
 * idle: it includes freed memory up to the release threshold.
 *
 * `cpu_pools_lock` guards the pools; it is acquired after the memory lock.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/pool_usage.h"
#include "cpu/stream/host_function.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);

static struct cpu_pool default_pools[CPU_POOL_KINDS][CPU_MAX_DEVICES];
static CUmemoryPool current_pools[CPU_POOL_KINDS][CPU_MAX_DEVICES];

static void
pool_begin(struct cpu_pool *pool, enum cpu_pool_kind kind, int device)
{
    pool->device = device;
    pool->kind = kind;
    pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
}

/* Returns the device's default pool for this kind of memory, and creates it on
 * first use. Returns NULL if the table of handles is full. */
static CUmemoryPool
default_pool(enum cpu_pool_kind kind, int device)
{
    struct cpu_pool *pool = &default_pools[kind][device];

    pthread_mutex_lock(&cpu_pools_lock);
    if (!pool->handle) {
        pool_begin(pool, kind, device);
        pool->is_default = true;
        pool->handle = cpu_handle_new(CPU_POOL, pool, 0);
    }
    CUmemoryPool handle = pool->handle;
    pthread_mutex_unlock(&cpu_pools_lock);
    return handle;
}

/* Finds the kind of memory at a location, and the device whose usage includes
 * it (device 0 for host memory). Returns INVALID_VALUE if the location does
 * not exist or has no memory of this type. */
static CUresult
location_read(CUmemLocation location, CUmemAllocationType type,
              enum cpu_pool_kind *kind, int *device)
{
    bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;

    if (type != CU_MEM_ALLOCATION_TYPE_PINNED && !managed) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *device = 0;
    switch ((int)location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        *kind = managed ? CPU_POOL_MANAGED : CPU_POOL_DEVICE;
        *device = location.id;
        return cpu_device_check(location.id) ? CUDA_ERROR_INVALID_VALUE
                                             : CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_NONE:
        *kind = CPU_POOL_MANAGED;
        return managed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        *kind = managed ? CPU_POOL_MANAGED : CPU_POOL_HOST;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult
pool_of(CUmemoryPool handle, struct cpu_pool **pool)
{
    CUresult code = cpu_ready();

    *pool = cpu_handle_object(CPU_POOL, handle);
    return code || *pool ? code : CUDA_ERROR_INVALID_VALUE;
}

/* Allocates from `pool`, or from the device's current pool if `pool` is NULL.
 * If the stream is being captured, adds an allocation node to the graph
 * instead. */
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
    if (!pointer) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!bytes) {
        *pointer = 0;
        return CUDA_SUCCESS;
    }
    if (cpu_stream_records(stream)) {
        return cpu_capture_allocate(stream, bytes, pointer);
    }
    struct cpu_allocation as = {.context_id = ctx->id, .pool = pool};
    if (!pool && (code = cuDeviceGetMemPool(&as.pool, ctx->device))) {
        return code;
    }
    code = cpu_pool_take(as.pool, bytes, &as);
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
    struct cpu_pool *pool;
    CUresult code = pool_of(handle, &pool);

    return code ? code : pool_allocate(pointer, bytes, handle, stream);
}

struct freeing {
    uintptr_t base;
    enum cpu_memory_kind kind;
};

static CUresult
free_run(void *argument)
{
    const struct freeing *freeing = argument;

    cpu_arena_free(freeing->base, freeing->kind);
    /* If the memory was freed before, this free fails; the error is
     * ignored. */
    return CUDA_SUCCESS;
}

static CUresult
graph_memory_run(void *argument)
{
    cpu_graph_memory_release(*(struct cpu_graph_memory **)argument);
    return CUDA_SUCCESS;
}

/* Frees, in stream order, memory that a graph launch allocated and did not
 * free. */
static CUresult
graph_memory_free(CUdeviceptr pointer, struct cpu_stream *stream)
{
    struct cpu_graph_memory *memory;

    return cpu_graph_memory_unallocate(pointer, &memory)
               ? cpu_run_async(stream, CU_GRAPH_NODE_TYPE_MEM_FREE,
                               graph_memory_run, &memory, sizeof memory, true)
               : CUDA_ERROR_INVALID_VALUE;
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
    if (cpu_stream_records(stream)) {
        return cpu_capture_free(stream, pointer);
    }
    if (!cpu_arena_find(base, &found) || found.base != base) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (found.kind == CPU_MEMORY_GRAPH) {
        return graph_memory_free(pointer, stream);
    }
    if (found.kind != CPU_MEMORY_DEVICE && !found.pool) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct freeing freeing = {base, found.kind};
    return cpu_run_async(stream, CU_GRAPH_NODE_TYPE_MEM_FREE, free_run,
                         &freeing, sizeof freeing, true);
}

/* ---- pools ---- */

CPU_API CUresult
cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                       CUmemAllocationType type)
{
    enum cpu_pool_kind kind;
    CUresult code = cpu_ready();
    int device;

    if (!code && (!pool || !location)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : location_read(*location, type, &kind, &device);
    if (code) {
        return code;
    }
    *pool = default_pool(kind, device);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CPU_API CUresult
cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location,
                CUmemAllocationType type)
{
    enum cpu_pool_kind kind;
    CUresult code = cuMemGetDefaultMemPool(pool, location, type);
    int device;

    code = code ? code : location_read(*location, type, &kind, &device);
    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_pools_lock);
    if (cpu_handle_object(CPU_POOL, current_pools[kind][device])) {
        *pool = current_pools[kind][device];
    }
    pthread_mutex_unlock(&cpu_pools_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
                CUmemoryPool handle)
{
    enum cpu_pool_kind kind;
    struct cpu_pool *pool;
    CUresult code = pool_of(handle, &pool);
    int device;

    if (!code && !location) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    code = code ? code : location_read(*location, type, &kind, &device);
    if (!code && (pool->kind != kind || pool->device != device)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_pools_lock);
    current_pools[kind][device] = handle;
    pthread_mutex_unlock(&cpu_pools_lock);
    return CUDA_SUCCESS;
}

static CUmemLocation
device_location(CUdevice device)
{
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CPU_API CUresult
cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    CUmemLocation location = device_location(device);
    CUresult code = cpu_device_check(device);

    return code ? code
                : cuMemGetDefaultMemPool(pool, &location,
                                         CU_MEM_ALLOCATION_TYPE_PINNED);
}

CPU_API CUresult
cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    CUmemLocation location = device_location(device);
    CUresult code = cpu_device_check(device);

    return code ? code
                : cuMemGetMemPool(pool, &location,
                                  CU_MEM_ALLOCATION_TYPE_PINNED);
}

/* NVIDIA's driver, too, returns INVALID_VALUE for a device that does not
 * exist. */
CPU_API CUresult
cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle)
{
    CUmemLocation location = device_location(device);

    return cuMemSetMemPool(&location, CU_MEM_ALLOCATION_TYPE_PINNED, handle);
}

CPU_API CUresult
cuMemPoolCreate(CUmemoryPool *handle, const CUmemPoolProps *properties)
{
    enum cpu_pool_kind kind;
    CUresult code = cpu_ready();
    int device;

    if (!code && (!handle || !properties)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        code = location_read(properties->location, properties->allocType,
                             &kind, &device);
    }
    if (!code && properties->handleTypes) {
        code = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (code) {
        return code;
    }
    struct cpu_pool *pool = calloc(1, sizeof *pool);
    if (!pool) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pool_begin(pool, kind, device);
    pool->limit = properties->maxSize;
    pool->handle = cpu_handle_new(CPU_POOL, pool, 0);
    if (!pool->handle) {
        free(pool);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = pool->handle;
    return CUDA_SUCCESS;
}

/* ---- access rights: only stored, since all devices share one memory ---- */

/* Returns INVALID_VALUE if a location is not a device, or if the device of the
 * pool itself would lose access. */
static CUresult
access_check(const struct cpu_pool *pool, const CUmemAccessDesc *access)
{
    bool device = access->location.type == CU_MEM_LOCATION_TYPE_DEVICE;

    if (access->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
        access->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
        access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!device || cpu_device_check(access->location.id) ||
        (pool->kind == CPU_POOL_DEVICE &&
         access->location.id == pool->device &&
         access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *accesses,
                   size_t count)
{
    struct cpu_pool *pool;
    CUresult code = pool_of(handle, &pool);

    if (!code && count && !accesses) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count && !code; i++) {
        code = access_check(pool, &accesses[i]);
    }
    if (code) {
        return code;
    }
    pthread_mutex_lock(&cpu_pools_lock);
    for (size_t i = 0; i < count; i++) {
        pool->access[accesses[i].location.id] = accesses[i].flags;
    }
    pthread_mutex_unlock(&cpu_pools_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool handle,
                   CUmemLocation *location)
{
    struct cpu_pool *pool;
    CUresult code = pool_of(handle, &pool);

    if (code) {
        return code;
    }
    if (!flags || !location) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
        *flags = pool->kind == CPU_POOL_DEVICE
                     ? CU_MEM_ACCESS_FLAGS_PROT_NONE
                     : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        return CUDA_SUCCESS;
    }
    if (cpu_device_check(location->id)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_pools_lock);
    *flags = pool->kind == CPU_POOL_DEVICE && location->id == pool->device
                 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                 : pool->access[location->id];
    pthread_mutex_unlock(&cpu_pools_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemPoolDestroy(CUmemoryPool handle)
{
    struct cpu_pool *pool;
    CUresult code = pool_of(handle, &pool);

    if (code) {
        return code;
    }
    if (pool->is_default || !cpu_handle_delete(handle)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&cpu_pools_lock);
    free(pool);
    pthread_mutex_unlock(&cpu_pools_lock);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemPoolTrimTo(CUmemoryPool handle, size_t keep)
{
    struct cpu_pool *pool;
    CUresult code = pool_of(handle, &pool);

    if (code == CUDA_SUCCESS) {
        cpu_pool_reserve(pool, keep);
    }
    return code;
}

CPU_API CUresult
cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                      void *value)
{
    struct cpu_pool *pool;
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
        *(int *)value =
            pool->reuse[attribute -
                        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = pool->threshold;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *)value = cpu_pool_reserve(pool, pool->threshold);
        return CUDA_SUCCESS;
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
    struct cpu_pool *pool;
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
            /* A program can only reset a high-water mark: 0 is the only
             * permitted value. */
            return CUDA_ERROR_INVALID_VALUE;
        }
        if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
            pool->used_high = pool->used;
        } else {
            pool->reserved_high = cpu_pool_reserve(pool, pool->threshold);
        }
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        pool->reuse[attribute -
                    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] =
            *(int *)value != 0;
        return CUDA_SUCCESS;
    }
}
