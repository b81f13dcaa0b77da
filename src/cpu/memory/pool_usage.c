/* pool_usage.c - how much of the memory of pools is used.
 *
 * Called by mempool.c when it allocates from a pool, and by arena.c when
 * memory of a pool is freed.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "cpu/device/handle.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/pool_usage.h"

pthread_mutex_t cpu_pools_lock = PTHREAD_MUTEX_INITIALIZER;

static const enum cpu_memory_kind memory_kinds[CPU_POOL_KINDS] = {
    [CPU_POOL_DEVICE] = CPU_MEMORY_DEVICE,
    [CPU_POOL_MANAGED] = CPU_MEMORY_MANAGED,
    [CPU_POOL_HOST] = CPU_MEMORY_HOST,
};

/* Adds `bytes` to the pool's usage, and stores the properties of its memory in
 * `as`. Returns OUT_OF_MEMORY if the pool's limit would be exceeded. */
CUresult
cpu_pool_take(CUmemoryPool handle, size_t bytes, struct cpu_allocation *as)
{
    CUresult code = CUDA_SUCCESS;

    pthread_mutex_lock(&cpu_pools_lock);
    struct cpu_pool *pool = cpu_handle_object(CPU_POOL, handle);
    if (!pool) {
        code = CUDA_ERROR_INVALID_VALUE;
    } else if (pool->limit &&
               (bytes > pool->limit || pool->used > pool->limit - bytes)) {
        code = CUDA_ERROR_OUT_OF_MEMORY;
    } else {
        as->device = pool->device;
        as->kind = memory_kinds[pool->kind];
        pool->used += bytes;
        pool->used_high =
            pool->used > pool->used_high ? pool->used : pool->used_high;
        pool->reserved =
            pool->used > pool->reserved ? pool->used : pool->reserved;
        pool->reserved_high = pool->reserved > pool->reserved_high
                                  ? pool->reserved
                                  : pool->reserved_high;
    }
    pthread_mutex_unlock(&cpu_pools_lock);
    return code;
}

size_t
cpu_pool_reserve(struct cpu_pool *pool, size_t keep)
{
    pthread_mutex_lock(&cpu_pools_lock);
    if (pool->reserved > keep) {
        pool->reserved = pool->used > keep ? pool->used : keep;
    }
    size_t reserved = pool->reserved;
    pthread_mutex_unlock(&cpu_pools_lock);
    return reserved;
}

void
cpu_pool_return(CUmemoryPool handle, size_t bytes)
{
    pthread_mutex_lock(&cpu_pools_lock);
    struct cpu_pool *pool = cpu_handle_object(CPU_POOL, handle);
    /* `pool` is NULL if the pool was destroyed before its memory was freed */
    if (pool) {
        pool->used -= bytes;
    }
    pthread_mutex_unlock(&cpu_pools_lock);
}
