/* query.c - properties of textures and surfaces that kernels ask for.
 *
 * Called by kernels (txq and suq of PTX).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/handle.h"
#include "cpu/run/fiber.h"
#include "cpu/run/runtime.h"
#include "cpu/texture/texel.h"
#include "cpu/texture/texture_state.h"
#include "image/abi.h"

/* OpenCL's numbers for the types of channels. An integer type has one number
 * for texels that are read as fractions from 0 or -1 to 1 (`fraction`), and
 * one for texels that are read as integers (`whole`). */
static const struct {
    CUarray_format format;
    uint16_t fraction, whole;
} types[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 0x10d2, 0x10da},
    {CU_AD_FORMAT_UNSIGNED_INT16, 0x10d3, 0x10db},
    {CU_AD_FORMAT_UNSIGNED_INT32, 0x10dc, 0x10dc},
    {CU_AD_FORMAT_SIGNED_INT8, 0x10d0, 0x10d7},
    {CU_AD_FORMAT_SIGNED_INT16, 0x10d1, 0x10d8},
    {CU_AD_FORMAT_SIGNED_INT32, 0x10d9, 0x10d9},
    {CU_AD_FORMAT_HALF, 0x10dd, 0x10dd},
    {CU_AD_FORMAT_FLOAT, 0x10de, 0x10de},
};

static uint32_t
channel_type(CUarray_format format, bool whole)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].format == format) {
            return whole ? types[i].whole : types[i].fraction;
        }
    }
    return 0;
}

/* Returns OpenCL's number for the channel order: R, RG or RGBA. */
static uint32_t
channel_order(unsigned channels)
{
    return channels == 1 ? 0x10b0 : channels == 2 ? 0x10b2 : 0x10b5;
}

/* Returns the extent of a texture in one dimension: the extent of its array
 * (`own`) or, for linear memory, the extent in the texture object (`given`).
 * For a dimension that an array does not have, `own` is 0 and `given` is 1. */
static uint32_t
size_of(const struct cpu_array *array, size_t own, size_t given)
{
    return (uint32_t)(array ? own : given);
}

uint32_t
__pycuda_texture_query(uint64_t object, int32_t query)
{
    const struct cpu_texture *texture = cpu_texture_get(object);
    const struct cpu_array *array =
        texture->resource.resType == CU_RESOURCE_TYPE_ARRAY
            ? cpu_handle_object(CPU_ARRAY, texture->resource.res.array.hArray)
            : NULL;
    bool layered =
        array && (array->descriptor.Flags &
                  (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;

    switch ((enum image_texture_query)query) {
    case IMAGE_QUERY_WIDTH:
        return (uint32_t)texture->width;
    case IMAGE_QUERY_HEIGHT:
        return size_of(array, array ? array->descriptor.Height : 0,
                       (size_t)texture->height);
    case IMAGE_QUERY_DEPTH:
        /* for a layered array the result is the number of layers, as on
         * GPUs */
        return size_of(array, array ? array->descriptor.Depth : 0,
                       (size_t)texture->depth);
    case IMAGE_QUERY_CHANNEL_TYPE:
        return channel_type(texture->format, texture->integers);
    case IMAGE_QUERY_CHANNEL_ORDER:
        return channel_order(texture->channels);
    case IMAGE_QUERY_NORMALIZED:
        return texture->normalised;
    case IMAGE_QUERY_LAYERS:
        return layered ? (uint32_t)array->descriptor.Depth : 0;
    case IMAGE_QUERY_LEVELS:
        return texture->level_count ? (uint32_t)texture->level_count : 1;
    case IMAGE_QUERY_SAMPLES:
        return 1;
    case IMAGE_QUERY_LAYOUT:
        break;
    }
    return 0;
}

uint32_t
__pycuda_surface_query(uint64_t object, int32_t query)
{
    const struct cpu_surface *surface =
        cpu_handle_object(CPU_SURFACE, (void *)(uintptr_t)object);
    const struct cpu_array *array =
        surface ? cpu_handle_object(CPU_ARRAY, surface->array) : NULL;

    if (!array) {
        cpu_fibers_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    const CUDA_ARRAY3D_DESCRIPTOR *own = &array->descriptor;
    bool layered = own->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    switch ((enum image_texture_query)query) {
    case IMAGE_QUERY_WIDTH:
        return (uint32_t)own->Width;
    case IMAGE_QUERY_HEIGHT:
        return (uint32_t)own->Height;
    case IMAGE_QUERY_DEPTH:
        return (uint32_t)own->Depth;
    case IMAGE_QUERY_CHANNEL_TYPE:
        return channel_type(own->Format, true);
    case IMAGE_QUERY_CHANNEL_ORDER:
        return channel_order(own->NumChannels);
    case IMAGE_QUERY_LAYERS:
        return layered ? (uint32_t)own->Depth : 0;
    default:
        return 0;
    }
}
