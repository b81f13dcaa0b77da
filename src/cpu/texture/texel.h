/* texel.h - a texel as kernels get it, and its reading from memory.
 *
 * Private to read.c, level.c and texel.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXEL_H
#define PYCUDA_CPU_TEXEL_H

#include "cpu/texture/texture.h"

/* A texel of four words: floats or integers, as the texture says. */
union texel {
    float f[4];
    uint32_t u[4];
};

/* What missing channels hold: 0, and 1 as the fourth. */
void cpu_texel_clear(const struct cpu_texture *texture, union texel *texel);
/* The channels that are there, from `at`; NULL means the border's colour.
 * The least signed number comes as a little less than -1. */
void cpu_texel_read(const struct cpu_texture *texture, const char *at,
                    union texel *texel);

/* ---- read.c ---- */

/* What the handle names; ends the kernel if there is none. */
const struct cpu_texture *cpu_texture_needed(uint64_t object);
/* One level: what `data` and the extents say. */
void cpu_texture_sample(const struct cpu_texture *texture, int32_t access,
                        const float position[3], int32_t layer,
                        union texel *texel);
/* A cubemap's face that a direction meets; and a vector along the face's two
 * axes and out of it. */
int cpu_cube_face(const float direction[3]);
void cpu_cube_axes(int face, const float v[3], float axes[3]);

#endif
