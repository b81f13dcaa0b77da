/* array.c - CUDA arrays: rows of texels in device memory.
 *
 * Called by users of the library, copy_box.c, texture.c and surface.c. An
 * array is a handle and an allocation. Its memory consists of slices (depth,
 * layers or faces) of `rows` rows of `pitch` bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/stream/wait.h"
#include "cpu/texture/texture.h"

#define ARRAY_FLAGS                                                           \
    (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |                       \
     CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER)
#define SIDE_MAX 131072

/* Returns whether the extents, format, channels and flags of an array are
 * valid and may be combined. */
static bool
descriptor_valid(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    bool cube = d->Flags & CUDA_ARRAY3D_CUBEMAP;
    bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;

    if (!d->Width || d->Width > SIDE_MAX || d->Height > SIDE_MAX ||
        d->Depth > SIDE_MAX || !cuda_format_bytes(d->Format) ||
        d->Flags & ~(unsigned)ARRAY_FLAGS) {
        return false;
    }
    if (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4) {
        return false;
    }
    if (cube) {
        return d->Width == d->Height &&
               (layered ? d->Depth && d->Depth % 6 == 0 : d->Depth == 6);
    }
    if (layered) {
        return d->Depth > 0;
    }
    return !d->Depth || d->Height;
}

CUresult
cpu_array_new(struct cpu_context *ctx,
              const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
              struct cpu_array **made)
{
    uintptr_t base;

    if (!descriptor_valid(descriptor)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_array *array = calloc(1, sizeof *array);
    if (!array) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    array->ctx = ctx;
    array->descriptor = *descriptor;
    array->element =
        cuda_format_bytes(descriptor->Format) * descriptor->NumChannels;
    array->pitch = descriptor->Width * array->element;
    array->rows = descriptor->Height ? descriptor->Height : 1;
    array->layers = descriptor->Depth ? descriptor->Depth : 1;
    struct cpu_allocation as = {.kind = CPU_MEMORY_DEVICE,
                                .device = ctx->device,
                                .context_id = ctx->id};
    CUresult code = cpu_arena_allocate(
        array->pitch * array->rows * array->layers, &as, &base);
    array->data = (char *)base;
    array->handle = code ? NULL : cpu_handle_new(CPU_ARRAY, array, ctx->id);
    if (!array->handle) {
        if (!code) {
            cpu_arena_free(base, CPU_MEMORY_DEVICE);
        }
        free(array);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *made = array;
    return CUDA_SUCCESS;
}

CUresult
cpu_array_free(struct cpu_array *array)
{
    if (!cpu_handle_delete(array->handle)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    CUresult code = cpu_arena_free((uintptr_t)array->data, CPU_MEMORY_DEVICE);
    free(array);
    return code;
}

static CUresult
array_new(CUarray *handle, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    struct cpu_context *ctx;
    struct cpu_array *array;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle || !descriptor) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_array_new(ctx, descriptor, &array);
    if (!code) {
        *handle = array->handle;
    }
    return code;
}

CPU_API CUresult
cuArray3DCreate_v2(CUarray *handle, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    return array_new(handle, descriptor);
}

CPU_API CUresult
cuArrayCreate_v2(CUarray *handle, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
    if (!descriptor) {
        return array_new(handle, NULL);
    }
    CUDA_ARRAY3D_DESCRIPTOR full = {.Width = descriptor->Width,
                                    .Height = descriptor->Height,
                                    .Format = descriptor->Format,
                                    .NumChannels = descriptor->NumChannels};
    return array_new(handle, &full);
}

static CUresult
array_of(CUarray handle, struct cpu_array **array)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    *array = cpu_handle_object(CPU_ARRAY, handle);
    return code || *array ? code : CUDA_ERROR_INVALID_HANDLE;
}

/* Finds the array of a handle for a query that stores its answer in `*result`.
 * `result` must not be NULL. */
static CUresult
array_for_query(CUarray handle, const void *result, struct cpu_array **array)
{
    CUresult code = array_of(handle, array);

    return code || result ? code : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuArrayDestroy(CUarray handle)
{
    struct cpu_array *array;
    CUresult code = array_of(handle, &array);

    if (code) {
        return code;
    }
    if (array->is_level) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    struct cpu_context *ctx = array->ctx;
    cpu_context_enter(ctx);
    cpu_scheduler_drain(ctx);
    code = cpu_array_free(array);
    cpu_context_leave(ctx);
    return code;
}

CPU_API CUresult
cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray handle)
{
    struct cpu_array *array;
    CUresult code = array_for_query(handle, descriptor, &array);

    if (!code) {
        *descriptor = array->descriptor;
    }
    return code;
}

CPU_API CUresult
cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray handle)
{
    struct cpu_array *array;
    CUresult code = array_for_query(handle, descriptor, &array);

    if (!code) {
        *descriptor = (CUDA_ARRAY_DESCRIPTOR){
            .Width = array->descriptor.Width,
            .Height = array->descriptor.Height,
            .Format = array->descriptor.Format,
            .NumChannels = array->descriptor.NumChannels};
    }
    return code;
}

/* Always fails: only sparse and deferred-mapping arrays have memory
 * requirements, and the CPU device has no such arrays. */
CPU_API CUresult
cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                             CUarray handle, CUdevice device)
{
    struct cpu_array *array;
    CUresult code = array_for_query(handle, requirements, &array);

    code = code ? code : cpu_device_check(device);
    return code ? code : CUDA_ERROR_INVALID_VALUE;
}
