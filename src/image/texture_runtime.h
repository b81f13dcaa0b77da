/* texture_runtime.h - functions of the runtime by which kernels access
 * textures and surfaces.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_TEXTURE_RUNTIME_H
#define PYCUDA_IMAGE_TEXTURE_RUNTIME_H

#include <stdint.h>

/* Kind of a texture or surface access: its dimensions, layers and faces. */
enum image_access {
    IMAGE_ACCESS_1D,
    IMAGE_ACCESS_2D,
    IMAGE_ACCESS_3D,
    IMAGE_ACCESS_1D_LAYERED,
    IMAGE_ACCESS_2D_LAYERED,
    IMAGE_ACCESS_CUBE,
    IMAGE_ACCESS_CUBE_LAYERED,
    /* gather of four texels of a 2-D texture; `layer` is the index of the
     * component to gather */
    IMAGE_ACCESS_2D_GATHER,
};

/* Properties of textures and surfaces, by their names in txq and suq of PTX.
 * A type or an order of channels has the number that OpenCL gives it. */
#define IMAGE_TEXTURE_QUERIES(ROW)                                            \
    ROW(width, WIDTH)                                                         \
    ROW(height, HEIGHT)                                                       \
    ROW(depth, DEPTH)                                                         \
    ROW(channel_data_type, CHANNEL_TYPE)                                      \
    ROW(channel_order, CHANNEL_ORDER)                                         \
    ROW(normalized_coords, NORMALIZED)                                        \
    ROW(array_size, LAYERS)                                                   \
    ROW(num_mipmap_levels, LEVELS)                                            \
    ROW(num_samples, SAMPLES)                                                 \
    ROW(memory_layout, LAYOUT)
#define IMAGE_QUERY_NAME(name, value) IMAGE_QUERY_##value,
enum image_texture_query { IMAGE_TEXTURE_QUERIES(IMAGE_QUERY_NAME) };

/* Rows of IMAGE_RUNTIME (image/abi.h). */
#define IMAGE_TEXTURE_RUNTIME(ROW)                                            \
    /* Reads a texture. `object` is a CUtexObject, `access` an enum           \
     * image_access; coordinates that the access does not have are ignored.   \
     * `out` receives four 32-bit words, floats or integers according to the  \
     * texture's read mode. Channels that the texture does not have read as   \
     * 0, but a missing fourth channel reads as 1. */                         \
    ROW(void, __pycuda_texture,                                               \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, void *out),                                           \
        0)                                                                    \
    /* Read a mipmapped texture, at a level of detail or at the level that    \
     * follows from `changes`: CUDA's gradients of x, y and z, first along    \
     * screen axis x (3 numbers), then along screen axis y (3 numbers). */    \
    ROW(void, __pycuda_texture_level,                                         \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, float level, void *out),                              \
        0)                                                                    \
    ROW(void, __pycuda_texture_gradient,                                      \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, const float *changes, void *out),                     \
        0)                                                                    \
    /* Reads linear memory at an integer index (tex1Dfetch). */               \
    ROW(void, __pycuda_texture_fetch,                                         \
        (uint64_t object, int32_t index, void *out), 0)                       \
    /* Reads and returns one channel of a texture of linear memory. */        \
    ROW(uint32_t, __pycuda_texture_word,                                      \
        (uint64_t object, int32_t index, int32_t channel), 0)                 \
    /* __pycuda_texture_plain returns the address of texel 0, or NULL if a    \
     * fetch converts texels or if a texel does not have `channels` channels  \
     * of `bytes` bytes. __pycuda_texture_width returns the number of texels. \
     * Both functions accept any `object`. */                                 \
    ROW(const void *, __pycuda_texture_plain,                                 \
        (uint64_t object, int32_t channels, int32_t bytes), 0)                \
    ROW(uint32_t, __pycuda_texture_width, (uint64_t object), 0)               \
    /* Read or write a surface. `x` is in bytes. `boundary` tells what an     \
     * access outside the surface does: 0 ends the launch, 1 clamps the       \
     * coordinate, 2 reads zero and writes nothing. */                        \
    ROW(void, __pycuda_surface_read,                                          \
        (uint64_t object, int32_t access, int32_t x, int32_t y, int32_t z,    \
         int32_t layer, void *out, uint32_t bytes, int32_t boundary),         \
        0)                                                                    \
    ROW(void, __pycuda_surface_write,                                         \
        (uint64_t object, int32_t access, int32_t x, int32_t y, int32_t z,    \
         int32_t layer, const void *value, uint32_t bytes, int32_t boundary), \
        0)                                                                    \
    /* Returns the address of a texel to update, or NULL if there is nothing  \
     * to update. The arguments are those of __pycuda_surface_write. */       \
    ROW(void *, __pycuda_surface_texel,                                       \
        (uint64_t object, int32_t access, int32_t x, int32_t y, int32_t z,    \
         int32_t layer, uint32_t bytes, int32_t boundary),                    \
        0)                                                                    \
    /* Return a property of a texture or surface, an enum                     \
     * image_texture_query; 0 if it has no such property. */                  \
    ROW(uint32_t, __pycuda_texture_query, (uint64_t object, int32_t query),   \
        0)                                                                    \
    ROW(uint32_t, __pycuda_surface_query, (uint64_t object, int32_t query), 0)

#endif
