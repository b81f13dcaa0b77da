/* memory.c - allocation of device and managed memory.
 *
 * Called by users of the library. arena.c allocates the memory and takes the
 * memory lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>

#include "cpu/device/context.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/budget.h"
#include "cpu/memory/memory.h"
#include "cpu/stream/wait.h"

#define PITCH_UNIT 512

CUresult
cpu_memory_check(CUdeviceptr pointer, size_t bytes)
{
    struct cpu_allocation found;

    if (!bytes) {
        return CUDA_SUCCESS;
    }
    if (!cpu_arena_find((uintptr_t)pointer, &found)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return bytes <= found.bytes - ((uintptr_t)pointer - found.base)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* Allocates memory for the current context. Fails during a stream capture
 * whose mode (global or thread-local) forbids allocations. */
static CUresult
allocate(CUdeviceptr *pointer, size_t bytes, enum cpu_memory_kind kind,
         unsigned flags)
{
    struct cpu_context *ctx;
    uintptr_t base;
    CUresult code = cpu_context_current(&ctx);

    if (!code) {
        code = cpu_capture_unsafe();
    }
    if (code) {
        return code;
    }
    if (!pointer || !bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_allocation as = {.kind = kind,
                                .flags = flags,
                                .device = ctx->device,
                                .context_id = ctx->id};
    code = cpu_arena_allocate(bytes, &as, &base);
    if (!code) {
        *pointer = (CUdeviceptr)base;
    }
    return code;
}

CPU_API CUresult
cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
    return allocate(pointer, bytes, CPU_MEMORY_DEVICE, 0);
}

CPU_API CUresult
cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags)
{
    if (cpu_ready() == CUDA_SUCCESS && flags != CU_MEM_ATTACH_GLOBAL &&
        flags != CU_MEM_ATTACH_HOST) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return allocate(pointer, bytes, CPU_MEMORY_MANAGED, flags);
}

CPU_API CUresult
cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width,
                   size_t height, unsigned element)
{
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!pitch || !width || !height ||
        (element != 4 && element != 8 && element != 16)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    size_t row = (width + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
    if (row < width || row > SIZE_MAX / height) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    code = allocate(pointer, row * height, CPU_MEMORY_DEVICE, 0);
    if (!code) {
        *pitch = row;
    }
    return code;
}

CPU_API CUresult
cuMemFree_v2(CUdeviceptr pointer)
{
    struct cpu_graph_memory *graph_memory;
    struct cpu_allocation found;
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code || !pointer) {
        return code;
    }
    code = cpu_capture_unsafe();
    if (code) {
        return code;
    }
    cpu_context_enter(ctx);
    cpu_scheduler_drain(ctx);
    code = cpu_arena_free((uintptr_t)pointer, CPU_MEMORY_DEVICE);
    if (code) {
        code = cpu_arena_free((uintptr_t)pointer, CPU_MEMORY_MANAGED);
    }
    if (code && cpu_arena_find((uintptr_t)pointer, &found) && found.pool) {
        code = cpu_arena_free((uintptr_t)pointer, found.kind);
    }
    if (code && cpu_graph_memory_unallocate(pointer, &graph_memory)) {
        cpu_graph_memory_release(graph_memory);
        code = CUDA_SUCCESS;
    }
    code = code ? code : cpu_context_status(ctx);
    cpu_context_leave(ctx);
    return code;
}

CPU_API CUresult
cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!free_bytes || !total) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *total = cpu_state.memory_bytes;
    uint64_t own = cpu_state.memory_bytes - cpu_arena_used(ctx->device);
    uint64_t room = cpu_arena_free_bytes();
    *free_bytes = own < room ? own : room;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)
{
    struct cpu_allocation found;
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!cpu_arena_find((uintptr_t)pointer, &found)) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (base) {
        *base = (CUdeviceptr)found.base;
    }
    if (bytes) {
        *bytes = found.bytes;
    }
    return CUDA_SUCCESS;
}
