/* texture.h - CUDA arrays, mipmapped arrays and textures, for the files that
 * make, copy and read them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXTURE_H
#define PYCUDA_CPU_TEXTURE_H

#include "cpu/cpu.h"

/* ---- texture/array.c, texture/mipmap.c, texture/texture.c ---- */

/* texture/texture.c: ends a texture or surface object, once the kernels that
 * use it are done. */
CUresult cpu_bindless_end(void *handle, void *object);

struct cpu_array {
    CUarray handle;
    struct cpu_context *ctx;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    size_t element; /* bytes */
    size_t pitch;   /* bytes a row */
    size_t rows;    /* at least 1 */
    size_t layers;  /* depth, layers or faces; at least 1 */
    char *data;
    bool is_level; /* of a mipmapped array, which frees it */
};

/* An array with a handle of its own. */
CUresult cpu_array_new(struct cpu_context *ctx,
                       const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                       struct cpu_array **array);
CUresult cpu_array_free(struct cpu_array *array); /* nobody uses it */

#define CPU_MIPMAP_LEVELS 18 /* of 131072 texels a side */

/* texture/mipmap.c: each level is an array of half the sides of the one
 * before. */
struct cpu_mipmap {
    CUmipmappedArray handle;
    struct cpu_context *ctx;
    unsigned count; /* of levels; at least 1 */
    struct cpu_array *levels[CPU_MIPMAP_LEVELS];
};

size_t cpu_format_bytes(CUarray_format format);

struct cpu_texture {
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC how;
    CUarray_format format;
    unsigned channels;
    const char *data;
    size_t element, pitch, slice; /* bytes */
    int32_t width, height, depth; /* texels; at least 1 */
    int32_t layers;
    bool normalised; /* coordinates */
    bool integers;   /* what a fetch gives */
    bool linear;     /* filter */
    bool srgb;       /* encoding of the first three channels */
    bool snorm;      /* a fetch gives numbers of [-1, 1] */
    float border[4]; /* as the format can hold it */
    /* Of a mipmapped array; `data` and what follows it are level 0's. */
    bool level_linear; /* filter between two levels */
    int32_t level_count;
    struct cpu_level {
        const char *data;
        size_t pitch, slice;
        int32_t width, height, depth;
    } levels[]; /* level_count; 0 of them: not mipmapped */
};

#endif
