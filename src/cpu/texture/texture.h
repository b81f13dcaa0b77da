/* texture.h - CUDA arrays, mipmapped arrays and texture objects.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXTURE_H
#define PYCUDA_CPU_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

/* ---- texture/array.c, texture/mipmap.c, texture/texture.c ---- */

/* texture/texture.c: waits for the current context's work, then deletes the
 * handle of a texture or surface object and frees the object. Always returns
 * CUDA_SUCCESS. */
CUresult cpu_bindless_destroy(void *handle, void *object);

/* A CUDA array: a handle and an allocation of device memory. Only its texels
 * can change. */
struct cpu_array {
    CUarray handle;
    struct cpu_context *ctx;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    /* Size of a texel in bytes. */
    size_t element;
    /* Size of a row in bytes. */
    size_t pitch;
    size_t rows; /* number of rows in a slice, at least 1 */
    /* Number of slices (depth, layers or faces), at least 1. */
    size_t layers;
    char *data;
    /* True if the array is a level of a mipmapped array, which owns and frees
     * it. */
    bool is_level;
};

/* Allocates an array and its handle. The caller owns `*array` until it calls
 * cpu_array_free. Returns INVALID_VALUE for an invalid descriptor,
 * OUT_OF_MEMORY if there is not enough memory. */
CUresult cpu_array_new(struct cpu_context *ctx,
                       const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                       struct cpu_array **array);
/* Deletes the array's handle and frees the array. No kernel may still use the
 * array. Returns INVALID_VALUE if its memory was freed already. */
CUresult cpu_array_free(struct cpu_array *array);

/* maximum number of mipmap levels, for 131072 texels per side */
#define CPU_MIPMAP_LEVELS 18

/* texture/mipmap.c: a mipmapped array, a sequence of arrays (levels). Each
 * level has half the width, height and depth of the previous one. The
 * mipmapped array owns its levels. */
struct cpu_mipmap {
    CUmipmappedArray handle;
    struct cpu_context *ctx;
    unsigned count; /* number of levels, at least 1 */
    struct cpu_array *levels[CPU_MIPMAP_LEVELS];
};

/* A texture object. It does not change after its creation. */
struct cpu_texture {
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC description;
    CUarray_format format;
    unsigned channels;
    const char *data;
    size_t element, pitch, slice; /* size of a texel, row and slice in bytes */
    int32_t width, height, depth; /* number of texels; at least 1 */
    int32_t layers;
    bool normalised; /* coordinates are normalised */
    bool integers;   /* a fetch returns integers */
    bool linear;     /* fetches use the linear filter */
    bool srgb;       /* the first three channels are sRGB encoded */
    bool snorm;      /* fetches convert signed integers to [-1, 1] */
    float border[4]; /* border color, rounded to the format */
    /* The following members are only used for a mipmapped array. The members
     * `data`, `pitch`, `slice`, `width`, `height` and `depth` above are then
     * those of level 0. */
    bool level_linear; /* mixes two levels (linear level filter) */
    int32_t level_count;
    struct cpu_level {
        const char *data;
        size_t pitch, slice;
        int32_t width, height, depth;
    } levels[]; /* level_count elements; none if the texture is not mipmapped
                 */
};

#endif
