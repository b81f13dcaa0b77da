/* host.c - pinned and registered host memory.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/stream/wait.h"

#define HOST_FLAGS                                                            \
    (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |                   \
     CU_MEMHOSTALLOC_WRITECOMBINED)
#define REGISTER_FLAGS                                                        \
    (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |             \
     CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY)

CPU_API CUresult
cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    struct cpu_context *ctx;
    uintptr_t base;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!pointer || !bytes || flags & ~(unsigned)HOST_FLAGS) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_allocation as = {.kind = CPU_MEMORY_HOST,
                                .flags = flags | CU_MEMHOSTALLOC_DEVICEMAP,
                                .device = ctx->device,
                                .context_id = ctx->id};
    code = cpu_arena_allocate(bytes, &as, &base);
    if (!code) {
        *pointer = (void *)base;
    }
    return code;
}

CPU_API CUresult
cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    return cuMemHostAlloc(pointer, bytes, 0);
}

/* Waits for all operations before page-locked memory is freed. The check
 * `streams` reports a copy to this memory if the program has not waited for
 * the copy. */
static void
end_before_free(struct cpu_context *ctx, const void *memory)
{
    bool checked = cpu_check_flags & CPU_CHECK_STREAMS;
    uint32_t *clock = checked ? cpu_check_host_clock() : NULL;

    cpu_scheduler_end(ctx);
    if (checked) {
        cpu_check_host_freed(ctx, memory, clock);
        cpu_check_host_after_all();
    }
}

CPU_API CUresult
cuMemFreeHost(void *pointer)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code || !pointer) {
        return code;
    }
    end_before_free(ctx, pointer);
    return cpu_arena_free((uintptr_t)pointer, CPU_MEMORY_HOST);
}

CPU_API CUresult
cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags)
{
    struct cpu_allocation found;
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!device || flags || !cpu_arena_find((uintptr_t)host, &found)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *device = (CUdeviceptr)(uintptr_t)host;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemHostGetFlags(unsigned *flags, void *host)
{
    struct cpu_allocation found;
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!flags || !cpu_arena_find((uintptr_t)host, &found) ||
        found.kind != CPU_MEMORY_HOST) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *flags = found.flags;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!host || !bytes || flags & ~(unsigned)REGISTER_FLAGS ||
        (uintptr_t)host + bytes < (uintptr_t)host) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_allocation as = {.base = (uintptr_t)host,
                                .bytes = bytes,
                                .kind = CPU_MEMORY_REGISTERED,
                                .flags = flags,
                                .device = ctx->device,
                                .context_id = ctx->id};
    if (cpu_arena_contains((uintptr_t)host)) {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    return cpu_arena_add_external(&as);
}

CPU_API CUresult
cuMemHostUnregister(void *host)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!host) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    end_before_free(ctx, host);
    return cpu_arena_remove_external((uintptr_t)host, CPU_MEMORY_REGISTERED)
               ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
               : CUDA_SUCCESS;
}
