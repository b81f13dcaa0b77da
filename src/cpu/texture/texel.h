/* texel.h - texels as kernels receive them, and their conversion.
 *
 * Private to sampling.c, level_sampling.c and texel.c. All functions run
 * inside kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXEL_H
#define PYCUDA_CPU_TEXEL_H

#include "cpu/texture/texture.h"

/* A texel of four words: floats or integers, depending on the texture. */
union texel {
    float f[4];
    uint32_t u[4];
};

/* Sets all channels to the values of missing ones: 0, and 1 for the fourth
 * channel. */
void cpu_texel_clear(const struct cpu_texture *texture, union texel *texel);
/* Converts the channels that the format has from memory at `at`; NULL selects
 * the border color. The least signed integer becomes slightly less than -1. */
void cpu_texel_read(const struct cpu_texture *texture, const char *at,
                    union texel *texel);

/* ---- sampling.c ---- */

/* Returns the texture of the handle. Ends the kernel with ILLEGAL_ADDRESS if
 * there is none. */
const struct cpu_texture *cpu_texture_get(uint64_t object);
/* Samples one level, which `data` and the extents of `texture` describe.
 * `access` is an IMAGE_ACCESS_ value. */
void cpu_texture_sample(const struct cpu_texture *texture, int32_t access,
                        const float position[3], int32_t layer,
                        union texel *texel);
/* cpu_cube_face returns the face of a cubemap (0 to 5) that a direction points
 * to. cpu_cube_axes converts a vector to the two axes of the face and its
 * normal. */
int cpu_cube_face(const float direction[3]);
void cpu_cube_axes(int face, const float v[3], float axes[3]);

#endif
