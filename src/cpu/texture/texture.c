/* texture.c - texture objects: their resource and sampling parameters.
 *
 * Called by users of the library. An object is immutable; kernels sample it in
 * sampling.c.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/limits.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/memory.h"
#include "cpu/stream/wait.h"
#include "cpu/texture/texture.h"

/* Fills the texture object for a resource that is a CUDA array. */
static CUresult
from_array(struct cpu_texture *texture, const struct cpu_array *array)
{
    if (!array) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    bool layered = array->descriptor.Flags &
                   (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    texture->format = array->descriptor.Format;
    texture->channels = array->descriptor.NumChannels;
    texture->data = array->data;
    texture->pitch = array->pitch;
    texture->slice = array->pitch * array->rows;
    texture->width = (int32_t)array->descriptor.Width;
    texture->height = (int32_t)array->rows;
    texture->depth = layered ? 1 : (int32_t)array->layers;
    texture->layers = layered ? (int32_t)array->layers : 1;
    return CUDA_SUCCESS;
}

/* Fills the texture object for a resource that is a mipmapped array: with the
 * levels that the resource view selects, or with all levels if there is no
 * view. */
static CUresult
from_mipmap(struct cpu_texture *texture, const struct cpu_mipmap *mipmap,
            const CUDA_RESOURCE_VIEW_DESC *view)
{
    if (!mipmap) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    unsigned first = view ? view->firstMipmapLevel : 0;
    unsigned last = view ? view->lastMipmapLevel : mipmap->count - 1;

    if (first > last || last >= mipmap->count ||
        !(texture->description.flags & CU_TRSF_NORMALIZED_COORDINATES)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Go from the last level down to `first`, so that the texture object keeps
     * the extents of level `first`. */
    for (unsigned i = last + 1; i-- > first;) {
        from_array(texture, mipmap->levels[i]);
        texture->levels[i - first] = (struct cpu_level){
            .data = texture->data,
            .pitch = texture->pitch,
            .slice = texture->slice,
            .width = texture->width,
            .height = texture->height,
            .depth = texture->depth,
        };
    }
    texture->level_count = (int32_t)(last - first + 1);
    return CUDA_SUCCESS;
}

/* Fills the texture object for a resource that is linear device memory. Fails
 * if the memory is not valid. */
static CUresult
from_linear(struct cpu_texture *texture, const CUDA_RESOURCE_DESC *resource)
{
    CUdeviceptr pointer = resource->res.linear.devPtr;
    size_t bytes = resource->res.linear.sizeInBytes;

    texture->format = resource->res.linear.format;
    texture->channels = resource->res.linear.numChannels;
    size_t element = cuda_format_bytes(texture->format) * texture->channels;
    if (!element || !bytes || bytes / element > INT32_MAX ||
        cpu_memory_check(pointer, bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    texture->data = (const char *)(uintptr_t)pointer;
    texture->width = (int32_t)(bytes / element);
    texture->height = texture->depth = texture->layers = 1;
    return CUDA_SUCCESS;
}

/* Fills the texture object for a resource that is pitched 2-D device memory.
 * Fails if the memory is not valid. */
static CUresult
from_pitch(struct cpu_texture *texture, const CUDA_RESOURCE_DESC *resource)
{
    CUdeviceptr pointer = resource->res.pitch2D.devPtr;
    size_t width = resource->res.pitch2D.width;
    size_t height = resource->res.pitch2D.height;

    texture->format = resource->res.pitch2D.format;
    texture->channels = resource->res.pitch2D.numChannels;
    texture->pitch = resource->res.pitch2D.pitchInBytes;
    size_t row =
        width * cuda_format_bytes(texture->format) * texture->channels;
    if (!row || !height || width > 131072 || height > 65536 ||
        (height > 1 &&
         (texture->pitch < row || texture->pitch % CPU_TEXTURE_PITCH != 0)) ||
        cpu_memory_check(pointer, (height - 1) * texture->pitch + row)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    texture->data = (const char *)(uintptr_t)pointer;
    texture->width = (int32_t)width;
    texture->height = (int32_t)height;
    texture->depth = texture->layers = 1;
    return CUDA_SUCCESS;
}

static CUresult
from_resource(struct cpu_texture *texture, const CUDA_RESOURCE_DESC *resource,
              const CUDA_RESOURCE_VIEW_DESC *view)
{
    switch ((int)resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return from_array(
            texture, cpu_handle_object(CPU_ARRAY, resource->res.array.hArray));
    case CU_RESOURCE_TYPE_LINEAR:
        return from_linear(texture, resource);
    case CU_RESOURCE_TYPE_PITCH2D:
        return from_pitch(texture, resource);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return from_mipmap(
            texture,
            cpu_handle_object(CPU_MIPMAP,
                              resource->res.mipmap.hMipmappedArray),
            view);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static bool
channels_valid(unsigned channels)
{
    return channels == 1 || channels == 2 || channels == 4;
}

/* Rounds a component of the border color to a value of the texel format. Ties
 * are rounded down. */
static float
border_value(CUarray_format format, float x)
{
    float most = 0, least = -1;

    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        most = 255, least = 0;
        break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
        most = 65535, least = 0;
        break;
    case CU_AD_FORMAT_SIGNED_INT8:
        most = 127;
        break;
    case CU_AD_FORMAT_SIGNED_INT16:
        most = 32767;
        break;
    case CU_AD_FORMAT_HALF:
        return (float)(_Float16)x;
    default:
        return x;
    }
    x = fminf(fmaxf(x, least), 1);
    return (float)(ceil((double)x * most - 0.5) / most);
}

/* Determines from the format, flags and filter what type a fetch returns and
 * how texels are converted. */
static void
modes_set(struct cpu_texture *texture)
{
    size_t bytes = cuda_format_bytes(texture->format);
    bool floats = texture->format == CU_AD_FORMAT_FLOAT ||
                  texture->format == CU_AD_FORMAT_HALF;

    texture->normalised =
        texture->description.flags & CU_TRSF_NORMALIZED_COORDINATES;
    texture->integers = !floats && (bytes == 4 || texture->description.flags &
                                                      CU_TRSF_READ_AS_INTEGER);
    texture->snorm =
        !texture->integers && (texture->format == CU_AD_FORMAT_SIGNED_INT8 ||
                               texture->format == CU_AD_FORMAT_SIGNED_INT16);
    for (int c = 0; c < 4; c++) {
        texture->border[c] =
            border_value(texture->format, texture->description.borderColor[c]);
    }
    texture->srgb = bytes == 1 && !texture->integers &&
                    texture->description.flags & CU_TRSF_SRGB;
    texture->linear =
        texture->description.filterMode == CU_TR_FILTER_MODE_LINEAR &&
        !texture->integers;
    texture->level_linear =
        texture->description.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR &&
        !texture->integers;
}

CPU_API CUresult
cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                  const CUDA_TEXTURE_DESC *description,
                  const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!object || !resource || !description) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (view && view->format != CU_RES_VIEW_FORMAT_NONE) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    size_t levels = resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
                        ? CPU_MIPMAP_LEVELS
                        : 0;
    struct cpu_texture *texture =
        calloc(1, sizeof *texture + levels * sizeof *texture->levels);
    if (!texture) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    texture->resource = *resource;
    texture->description = *description;
    code = from_resource(texture, resource, view);
    if (!code && !channels_valid(texture->channels)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    void *handle = code ? NULL : cpu_handle_new(CPU_TEXTURE, texture, ctx->id);
    if (!handle) {
        free(texture);
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    texture->element = cuda_format_bytes(texture->format) * texture->channels;
    modes_set(texture);
    *object = (CUtexObject)(uintptr_t)handle;
    return CUDA_SUCCESS;
}

static CUresult
texture_of(CUtexObject object, struct cpu_texture **texture)
{
    CUresult code = cpu_ready();

    *texture = cpu_handle_object(CPU_TEXTURE, (void *)(uintptr_t)object);
    return code || *texture ? code : CUDA_ERROR_INVALID_HANDLE;
}

CUresult
cpu_bindless_destroy(void *handle, void *object)
{
    struct cpu_context *ctx;

    /* wait for the context, since running kernels may still use the handle */
    if (cpu_context_current_any(&ctx) == CUDA_SUCCESS) {
        cpu_scheduler_drain(ctx);
    }
    if (!cpu_handle_delete(handle)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    free(object);
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuTexObjectDestroy(CUtexObject object)
{
    struct cpu_texture *texture;
    CUresult code = texture_of(object, &texture);

    return code ? code
                : cpu_bindless_destroy((void *)(uintptr_t)object, texture);
}

CPU_API CUresult
cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    struct cpu_texture *texture;
    CUresult code = texture_of(object, &texture);

    if (code) {
        return code;
    }
    if (!resource) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *resource = texture->resource;
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *description, CUtexObject object)
{
    struct cpu_texture *texture;
    CUresult code = texture_of(object, &texture);

    if (code) {
        return code;
    }
    if (!description) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *description = texture->description;
    return CUDA_SUCCESS;
}

/* Always fails: no texture object has a resource view with a format, since
 * cuTexObjectCreate rejects it. */
CPU_API CUresult
cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view,
                               CUtexObject object)
{
    struct cpu_texture *texture;
    CUresult code = texture_of(object, &texture);

    (void)view;
    return code ? code : CUDA_ERROR_INVALID_VALUE;
}
