/* surface.c - surface objects, and the reads and writes of kernels through
 * them.
 *
 * Called by users of the library and by kernels. A surface refers to an array.
 * Kernels give x in bytes.
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
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/texture/texture.h"
#include "image/abi.h"

struct surface {
    CUDA_RESOURCE_DESC resource;
    CUarray array;
};

enum boundary { BOUNDARY_TRAP, BOUNDARY_CLAMP, BOUNDARY_ZERO };

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
    struct surface *surface = calloc(1, sizeof *surface);
    if (!surface) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *surface = (struct surface){.resource = *resource, .array = handle};
    void *made = cpu_handle_new(CPU_SURFACE, surface, ctx->id);
    if (!made) {
        free(surface);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *object = (CUsurfObject)(uintptr_t)made;
    return CUDA_SUCCESS;
}

static CUresult
surface_of(CUsurfObject object, struct surface **surface)
{
    CUresult code = cpu_ready();

    *surface = cpu_handle_object(CPU_SURFACE, (void *)(uintptr_t)object);
    return code || *surface ? code : CUDA_ERROR_INVALID_HANDLE;
}

CPU_API CUresult
cuSurfObjectDestroy(CUsurfObject object)
{
    struct surface *surface;
    CUresult code = surface_of(object, &surface);

    return code ? code
                : cpu_bindless_destroy((void *)(uintptr_t)object, surface);
}

CPU_API CUresult
cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    struct surface *surface;
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

/* ---- called by kernels ---- */

/* Limits the coordinate to [0, end). Sets `*out` to true if it was outside. */
static int64_t
coordinate_clamp(int64_t at, int64_t end, bool *out)
{
    if (at >= 0 && at < end) {
        return at;
    }
    *out = true;
    return at < 0 ? 0 : end - 1;
}

/* Returns the address of the texel to access. Returns NULL if it is outside
 * the array and the access must be ignored. Ends the kernel for an invalid
 * handle, or for an access outside in trapping mode. */
static char *
surface_address(uint64_t object, int32_t access, const int32_t at[3],
                int32_t layer, uint32_t bytes, int32_t boundary)
{
    const struct surface *surface =
        cpu_handle_object(CPU_SURFACE, (void *)(uintptr_t)object);
    const struct cpu_array *array =
        surface ? cpu_handle_object(CPU_ARRAY, surface->array) : NULL;
    bool out = false;

    if (!array || bytes > array->pitch) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    bool flat = access == IMAGE_ACCESS_1D || access == IMAGE_ACCESS_1D_LAYERED;
    bool layered = access >= IMAGE_ACCESS_1D_LAYERED;
    /* The index of the slice. For a cubemap `layer` is the face, for a layered
     * cubemap 6 * (number of the layer) + face. */
    int64_t deep = layered ? layer : access == IMAGE_ACCESS_3D ? at[2] : 0;
    int64_t x =
        coordinate_clamp(at[0], (int64_t)(array->pitch - bytes + 1), &out);
    int64_t y = flat ? 0 : coordinate_clamp(at[1], (int64_t)array->rows, &out);
    int64_t z = coordinate_clamp(deep, (int64_t)array->layers, &out);
    if (out && boundary == BOUNDARY_TRAP) {
        cpu_fibers_fail(CUDA_ERROR_LAUNCH_FAILED);
    }
    if (out && boundary == BOUNDARY_ZERO) {
        return NULL;
    }
    return array->data + ((size_t)z * array->rows + (size_t)y) * array->pitch +
           (size_t)x;
}

void
__pycuda_surface_read(uint64_t object, int32_t access, int32_t x, int32_t y,
                      int32_t z, int32_t layer, void *out, uint32_t bytes,
                      int32_t boundary)
{
    const int32_t at[3] = {x, y, z};
    const char *from =
        surface_address(object, access, at, layer, bytes, boundary);

    if (from) {
        memcpy(out, from, bytes);
    } else {
        memset(out, 0, bytes);
    }
}

void
__pycuda_surface_write(uint64_t object, int32_t access, int32_t x, int32_t y,
                       int32_t z, int32_t layer, const void *value,
                       uint32_t bytes, int32_t boundary)
{
    const int32_t at[3] = {x, y, z};
    char *to = surface_address(object, access, at, layer, bytes, boundary);

    if (to) {
        memcpy(to, value, bytes);
    }
}
