/* pool_usage.h - memory pools, and how much of their memory is used.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MEMORY_POOL_USAGE_H
#define PYCUDA_CPU_MEMORY_POOL_USAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/cuda_types.h"
#include "cpu/device/limits.h"

struct cpu_allocation;

/* Kind of memory that a pool allocates. */
enum cpu_pool_kind {
    CPU_POOL_DEVICE,
    CPU_POOL_MANAGED,
    CPU_POOL_HOST,
    CPU_POOL_KINDS
};

struct cpu_pool {
    CUmemoryPool handle;
    int device; /* device whose memory usage includes the memory of the pool */
    enum cpu_pool_kind kind;
    bool is_default;
    /* values of the pool's three reuse attributes, which a program can set and
     * read but which have no effect */
    int reuse[3];
    cuuint64_t threshold;
    size_t limit; /* maximum of `used` in bytes; 0: unlimited */
    size_t used, used_high;
    /* reserved size that the pool reports: bytes that a GPU's pool would hold,
     * at least `used` */
    size_t reserved, reserved_high;
    /* For each device: its access rights to the memory of the pool. */
    CUmemAccess_flags access[CPU_MAX_DEVICES];
};

/* Guards the fields of all pools. */
extern pthread_mutex_t cpu_pools_lock;

/* Adds `bytes` to the pool's usage, and stores the properties of its memory in
 * `as`. Returns OUT_OF_MEMORY if the pool's limit would be exceeded, or
 * INVALID_VALUE if the handle is not that of a pool. */
CUresult cpu_pool_take(CUmemoryPool handle, size_t bytes,
                       struct cpu_allocation *as);
/* Lowers the pool's member `reserved` to the larger of `keep` and `used`, in
 * bytes. Does nothing if `reserved` is at most `keep`. Returns the new value
 * of `reserved`. */
size_t cpu_pool_reserve(struct cpu_pool *pool, size_t keep);
/* Subtracts `bytes` from the usage of a pool, because memory
 * of this size is about to be freed. */
void cpu_pool_return(CUmemoryPool pool, size_t bytes);

#endif
