/* occupancy.c - the occupancy API; a "multiprocessor" is a thread of the
 * device.
 *
 * Called by users of the library. The results follow the limits in
 * attributes.c, so that programs can derive their grid size from the results.
 * As on a GPU, the number of blocks that fit ignores the kernel's
 * __launch_bounds__, whereas the suggested block size respects it. The file
 * has no state.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>

#include "cpu/device/architecture.h"
#include "cpu/device/context.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "cpu/run/occupancy.h"

/* Shared memory is allocated in units of this number of bytes. */
enum { SHARED_UNIT = 128 };

int
cpu_occupancy_blocks(const struct cpu_function *function, int threads,
                     size_t shared)
{
    const struct cpu_architecture *own = cpu_architecture();
    size_t all = shared + function->kernel->static_shared;
    int rounded = (threads + CPU_WARP - 1) / CPU_WARP * CPU_WARP;
    int blocks = own->threads / rounded;

    if (threads > CPU_MAX_THREADS ||
        shared > (size_t)function->max_dynamic_shared) {
        return 0;
    }
    all = (all + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT +
          (size_t)own->reserved;
    if (all && blocks > (int)((size_t)own->shared / all)) {
        blocks = (int)((size_t)own->shared / all);
    }
    return blocks > own->blocks ? own->blocks : blocks;
}

static CUresult
function_checked(CUfunction handle, struct cpu_function **function)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    *function = cpu_function_of(handle);
    return code || *function ? code : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle,
                                            int threads, size_t shared)
{
    struct cpu_function *function;
    CUresult code = function_checked(handle, &function);

    if (code) {
        return code;
    }
    if (!blocks || threads < 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *blocks = cpu_occupancy_blocks(function, threads, shared);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction handle, int threads, size_t shared, unsigned flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE
                     : cuOccupancyMaxActiveBlocksPerMultiprocessor(
                           blocks, handle, threads, shared);
}

CPU_API CUresult
cuOccupancyMaxPotentialBlockSize(int *grid, int *threads, CUfunction handle,
                                 CUoccupancyB2DSize shared_of, size_t shared,
                                 int limit)
{
    struct cpu_function *function;
    CUresult code = function_checked(handle, &function);
    int best = 0, best_threads = 0, best_blocks = 0;

    if (code) {
        return code;
    }
    if (!grid || !threads || limit < 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    int most = (int)function->kernel->max_threads;
    most = most ? most : CPU_MAX_THREADS;
    most = limit && limit < most ? limit : most;
    for (int size = most; size > 0; size -= size % 32 ? size % 32 : 32) {
        int blocks = cpu_occupancy_blocks(
            function, size, shared_of ? shared_of(size) : shared);

        if (blocks * size > best) {
            best = blocks * size;
            best_threads = size;
            best_blocks = blocks;
        }
    }
    *threads = best_threads;
    *grid = best_blocks * cpu_state.threads;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *threads,
                                          CUfunction handle,
                                          CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit,
                                          unsigned flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE
                     : cuOccupancyMaxPotentialBlockSize(
                           grid, threads, handle, shared_of, shared, limit);
}

CPU_API CUresult
cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction handle,
                                        int blocks, int threads)
{
    struct cpu_function *function;
    CUresult code = function_checked(handle, &function);

    if (code) {
        return code;
    }
    if (!bytes || blocks < 1 || threads < 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const struct cpu_architecture *own = cpu_architecture();
    size_t each = (size_t)(own->shared / blocks) / SHARED_UNIT * SHARED_UNIT;
    size_t fixed = function->kernel->static_shared + (size_t)own->reserved;
    size_t most = (size_t)function->max_dynamic_shared;
    *bytes = each > fixed ? each - fixed : 0;
    *bytes = *bytes > most ? most : *bytes;
    return CUDA_SUCCESS;
}

/* ---- clusters, which have at most one block each ---- */

/* Returns the number of blocks per cluster that the launch requests. */
static uint64_t
cluster_blocks(const CUlaunchConfig *config)
{
    for (unsigned i = 0; config->attrs && i < config->numAttrs; i++) {
        const CUlaunchAttribute *a = &config->attrs[i];

        if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            return (uint64_t)a->value.clusterDim.x * a->value.clusterDim.y *
                   a->value.clusterDim.z;
        }
    }
    return 1;
}

CPU_API CUresult
cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction handle,
                                   const CUlaunchConfig *config)
{
    struct cpu_function *function;
    CUresult code = function_checked(handle, &function);

    if (!code && (!blocks || !config)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code) {
        *blocks = 1;
    }
    return code;
}

CPU_API CUresult
cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle,
                             const CUlaunchConfig *config)
{
    struct cpu_function *function;
    CUresult code = function_checked(handle, &function);

    if (!code && (!clusters || !config)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (!code && cluster_blocks(config) != 1) {
        code = CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    if (code) {
        return code;
    }
    uint64_t threads =
        (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
    if (!threads || threads > CPU_MAX_THREADS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *clusters =
        cpu_state.threads *
        cpu_occupancy_blocks(function, (int)threads, config->sharedMemBytes);
    return CUDA_SUCCESS;
}
