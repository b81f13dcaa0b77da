/* level_sampling.c - selects and mixes the levels of mipmapped textures.
 *
 * Called by kernels. As on a GPU, the level of detail has 8 bits of fraction.
 * The object's bias is added, and the result is clamped to the object's limits
 * and the existing levels. If a kernel passes gradients (the change of the
 * coordinates per pixel along the two screen axes), the longer one selects the
 * level. Filters are isotropic: maxAnisotropy is treated as 1. A texture
 * without levels is sampled directly.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cpu/run/runtime.h"
#include "cpu/texture/texel.h"
#include "image/abi.h"

/* Returns the mipmap level to sample, in units of 1/256. NaN selects level
 * 0. */
static int32_t
level_of(const struct cpu_texture *texture, float detail)
{
    float level = detail + texture->description.mipmapLevelBias;
    float last = (float)(texture->level_count - 1);

    level = level == level ? level : 0;
    level = fminf(level, texture->description.maxMipmapLevelClamp);
    level = fmaxf(level, texture->description.minMipmapLevelClamp);
    level = fmaxf(fminf(level, last), 0);
    return (int32_t)floorf(level * 256 + 0.5f);
}

/* Samples one mipmap level. */
static void
level_sample(const struct cpu_texture *texture, int32_t level, int32_t access,
             const float position[3], int32_t layer, union texel *texel)
{
    const struct cpu_level *at = &texture->levels[level];
    struct cpu_texture view = *texture;

    view.data = at->data;
    view.pitch = at->pitch;
    view.slice = at->slice;
    view.width = at->width;
    view.height = at->height;
    view.depth = at->depth;
    cpu_texture_sample(&view, access, position, layer, texel);
}

/* Samples the mipmap level that the level of detail selects. With a linear
 * level filter, samples two levels and mixes the results. */
static void
levels_sample(const struct cpu_texture *texture, float detail, int32_t access,
              const float position[3], int32_t layer, union texel *texel)
{
    if (!texture->level_count) {
        cpu_texture_sample(texture, access, position, layer, texel);
        return;
    }
    int32_t level = level_of(texture, detail), fraction = level % 256;

    if (!texture->level_linear) {
        level = (level + 128) / 256;
        level_sample(texture, level, access, position, layer, texel);
        return;
    }
    level_sample(texture, level / 256, access, position, layer, texel);
    if (fraction) {
        union texel next;

        level_sample(texture, level / 256 + 1, access, position, layer, &next);
        for (unsigned c = 0; c < texture->channels; c++) {
            double sum =
                (256.0 - fraction) * texel->f[c] + fraction * next.f[c];

            texel->f[c] = (float)(sum / 256);
        }
    }
}

static int
dimensions_of(int32_t access)
{
    switch (access) {
    case IMAGE_ACCESS_1D:
    case IMAGE_ACCESS_1D_LAYERED:
        return 1;
    case IMAGE_ACCESS_3D:
        return 3;
    default:
        return 2;
    }
}

/* For a cubemap: converts a small change of a direction to the change of the
 * sampled position on the cube face. */
static void
cube_gradient(const float direction[3], const float change[3], float out[3])
{
    int face = cpu_cube_face(direction);
    float at[3], by[3];

    cpu_cube_axes(face, direction, at);
    cpu_cube_axes(face, change, by);
    float square = 2 * at[2] * at[2];
    for (int i = 0; i < 2; i++) {
        out[i] = square > 0 ? (by[i] * at[2] - at[i] * by[2]) / square : 0;
    }
}

/* Returns the squared length, in texels of level 0, of a change of the texture
 * coordinates. */
static float
footprint_squared(const struct cpu_texture *texture, int32_t access,
                  const float position[3], const float change[3])
{
    const float extent[3] = {(float)texture->width, (float)texture->height,
                             (float)texture->depth};
    float flat[3], sum = 0;

    if (access == IMAGE_ACCESS_CUBE || access == IMAGE_ACCESS_CUBE_LAYERED) {
        cube_gradient(position, change, flat);
        change = flat;
    }
    for (int i = 0; i < dimensions_of(access); i++) {
        sum += change[i] * extent[i] * (change[i] * extent[i]);
    }
    return sum;
}

void
__pycuda_texture_level(uint64_t object, int32_t access, float x, float y,
                       float z, int32_t layer, float level, void *out)
{
    const float position[3] = {x, y, z};
    union texel texel;

    levels_sample(cpu_texture_get(object), level, access, position, layer,
                  &texel);
    memcpy(out, &texel, sizeof texel);
}

void
__pycuda_texture_gradient(uint64_t object, int32_t access, float x, float y,
                          float z, int32_t layer, const float *changes,
                          void *out)
{
    const struct cpu_texture *texture = cpu_texture_get(object);
    const float position[3] = {x, y, z};
    float one = footprint_squared(texture, access, position, changes);
    float other = footprint_squared(texture, access, position, changes + 3);
    union texel texel;

    levels_sample(texture, log2f(fmaxf(one, other)) / 2, access, position,
                  layer, &texel);
    memcpy(out, &texel, sizeof texel);
}
