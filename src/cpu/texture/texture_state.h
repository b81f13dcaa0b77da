/* texture_state.h - the structs of CUDA arrays, texture and surface objects,
 * which kernels read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXTURE_STATE_H
#define PYCUDA_CPU_TEXTURE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"

struct cpu_context;

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

/* A surface object. It does not change after its creation. */
struct cpu_surface {
    CUDA_RESOURCE_DESC resource;
    CUarray array;
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
    bool normalised; /* texture coordinates are normalised: 0 to 1 */
    bool integers;   /* a fetch returns integers */
    bool linear;     /* fetches use the linear filter */
    bool srgb;       /* the first three channels are sRGB encoded */
    bool snorm;      /* fetches convert signed integers to [-1, 1] */
    float border[4]; /* border color, rounded to values of the texel format */
    /* The following members are only used for a mipmapped array. For such an
     * array, the members `data`, `pitch`, `slice`, `width`, `height` and
     * `depth` above describe level 0. */
    /* true: the linear filter mixes two mipmap levels; false: one level is
     * sampled */
    bool level_linear;
    int32_t level_count;
    struct cpu_level {
        const char *data;
        size_t pitch, slice;
        int32_t width, height, depth;
    } levels[]; /* level_count elements; none if the texture is not mipmapped
                 */
};

#endif
