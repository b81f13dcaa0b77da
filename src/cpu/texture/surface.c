/* surface.c - surface objects.
 *
 * Called by users of the library. A surface refers to an array.
 * surface_access.c has the functions for kernels.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/texture/texture.h"

CPU_API CUresult
cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUarray handle = resource->res.array.hArray;
    const struct cpu_array *array = cpu_handle_object(CPU_ARRAY, handle);
    if (!array) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!(array->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct cpu_surface *surface = calloc(1, sizeof *surface);
    if (!surface) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *surface = (struct cpu_surface){.resource = *resource, .array = handle};
    void *made = cpu_handle_new(CPU_SURFACE, surface, ctx->id);
    if (!made) {
        free(surface);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *object = (CUsurfObject)(uintptr_t)made;
    return CUDA_SUCCESS;
}

static CUresult
surface_of(CUsurfObject object, struct cpu_surface **surface)
{
    CUresult code = cpu_ready();

    *surface = cpu_handle_object(CPU_SURFACE, (void *)(uintptr_t)object);
    return code || *surface ? code : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuSurfObjectDestroy(CUsurfObject object)
{
    struct cpu_surface *surface;
    CUresult code = surface_of(object, &surface);

    return code ? code
                : cpu_bindless_destroy((void *)(uintptr_t)object, surface);
}

CPU_API CUresult
cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    struct cpu_surface *surface;
    CUresult code = surface_of(object, &surface);

    if (code) {
        return code;
    }
    if (!resource) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *resource = surface->resource;
    return CUDA_SUCCESS;
}
