/* memory.c - allocation of device and managed memory, and its attributes.
 *
 * Called by users of the library; arena.c keeps the books.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/memory/budget.h"

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
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code || !pointer) {
        return code;
    }
    code = cpu_capture_unsafe();
    if (code) {
        return code;
    }
    cpu_scheduler_drain(ctx);
    code = cpu_arena_free((uintptr_t)pointer, CPU_MEMORY_DEVICE);
    if (code) {
        code = cpu_arena_free((uintptr_t)pointer, CPU_MEMORY_MANAGED);
    }
    return code ? code : cpu_context_status(ctx);
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
    uint64_t room = cpu_arena_room();
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

/* Hints: one memory serves all. */
CPU_API CUresult
cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device,
                   CUstream stream)
{
    CUresult code = cpu_ready();

    (void)device;
    (void)stream;
    return code ? code : cpu_memory_check(pointer, bytes);
}

CPU_API CUresult
cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes,
                      CUmemLocation location, unsigned flags, CUstream stream)
{
    (void)location;
    return flags ? CUDA_ERROR_INVALID_VALUE
                 : cuMemPrefetchAsync(pointer, bytes, 0, stream);
}

CPU_API CUresult
cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
            CUdevice device)
{
    (void)advice;
    return cuMemPrefetchAsync(pointer, bytes, device, NULL);
}

CPU_API CUresult
cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
               CUmemLocation location)
{
    (void)location;
    return cuMemAdvise(pointer, bytes, advice, 0);
}

/* ---- attributes of pointers ---- */

static bool
on_device(const struct cpu_allocation *found)
{
    return found->kind != CPU_MEMORY_HOST &&
           found->kind != CPU_MEMORY_REGISTERED;
}

static CUcontext
context_handle(const struct cpu_allocation *found)
{
    struct cpu_context *ctx;

    if (cpu_context_current_any(&ctx) == CUDA_SUCCESS &&
        ctx->id == found->context_id) {
        return ctx->handle;
    }
    for (uint32_t i = 0; i < CPU_SLOTS; i++) {
        ctx = cpu_handle_object(CPU_CONTEXT, &cpu_slots[i]);
        if (ctx && ctx->id == found->context_id) {
            return ctx->handle;
        }
    }
    return NULL;
}

static CUresult
attribute_read(void *data, CUpointer_attribute attribute, CUdeviceptr pointer,
               const struct cpu_allocation *found)
{
    uintptr_t address = (uintptr_t)pointer;

    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = context_handle(found);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data =
            on_device(found) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (on_device(found) && found->kind != CPU_MEMORY_MANAGED) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        *(void **)data = (void *)address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = found->id;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = found->kind == CPU_MEMORY_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = found->device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = (CUdeviceptr)found->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = found->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CPU_API CUresult
cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                      CUdeviceptr pointer)
{
    struct cpu_allocation found;
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!data || !cpu_arena_find((uintptr_t)pointer, &found)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return attribute_read(data, attribute, pointer, &found);
}

/* Bytes that the value of an attribute takes, for those that are unknown. */
static void
attribute_zero(void *data, CUpointer_attribute attribute)
{
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        memset(data, 0, 8);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = -2; /* CUDA: not a device's memory */
        break;
    default:
        memset(data, 0, 4);
    }
}

CPU_API CUresult
cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                       void **data, CUdeviceptr pointer)
{
    struct cpu_allocation found;
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!attributes || !data) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    bool known = cpu_arena_find((uintptr_t)pointer, &found);
    for (unsigned i = 0; i < count; i++) {
        if (!known ||
            attribute_read(data[i], attributes[i], pointer, &found)) {
            attribute_zero(data[i], attributes[i]);
        }
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                      CUdeviceptr pointer)
{
    struct cpu_allocation found;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        !cpu_arena_find((uintptr_t)pointer, &found)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
