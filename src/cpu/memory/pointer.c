/* pointer.c - attributes of pointers.
 *
 * Called by users of the library, with or without a current context. Reads a
 * copy of the allocation's properties from arena.c, which takes the memory
 * lock.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"

static bool
on_device(const struct cpu_allocation *found)
{
    return found->kind != CPU_MEMORY_HOST &&
           found->kind != CPU_MEMORY_REGISTERED;
}

/* Returns the handle of the context that owns the allocation, or NULL. */
static CUcontext
context_handle(const struct cpu_allocation *found)
{
    struct cpu_context *ctx;

    if (!found->context_id) {
        return NULL; /* memory of graphs or of cuMemMap has no context */
    }
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

/* Reads an attribute that describes the kind of memory or its permitted
 * uses. */
static CUresult
property_read(void *data, CUpointer_attribute attribute,
              const struct cpu_allocation *found)
{
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = found->kind == CPU_MEMORY_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = found->device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)data = found->kind == CPU_MEMORY_DEVICE && !found->pool;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(unsigned long long *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)data = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = found->pool;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *(CUdeviceptr *)data = (CUdeviceptr)found->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *(size_t *)data = found->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

/* Reads an attribute that describes where the memory is. */
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
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        *(unsigned long long *)data = found->id;
        return CUDA_SUCCESS;
    default:
        return property_read(data, attribute, found);
    }
}

CPU_API CUresult
cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                      CUdeviceptr pointer)
{
    struct cpu_allocation found;
    CUresult code = cpu_ready();

    if (code) {
        return code;
    }
    if (!data || !cpu_arena_find((uintptr_t)pointer, &found)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return attribute_read(data, attribute, pointer, &found);
}

/* Zeroes the value of an attribute, for a pointer to unknown memory. The size
 * of the value depends on the attribute. */
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
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        memset(data, 0, 8);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = -2; /* CUDA's ordinal for host memory */
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
    CUresult code = cpu_ready();

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
