/* texel.h - texels as kernels receive them, and their conversion.
 *
 * Private to sampling.c, level_sampling.c, query.c and texel.c. All functions
 * run inside kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXEL_H
#define PYCUDA_CPU_TEXEL_H

#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/texture/texture_state.h"

/* A texel as a kernel receives it: four words, which are floats or integers
 * depending on the texture. */
union texel {
    float f[4];
    uint32_t u[4];
};

/* Sets all channels of the texel to the values that missing channels have: 0,
 * and 1 for the fourth channel. */
void cpu_texel_clear(const struct cpu_texture *texture, union texel *texel);
/* Reads the texel at `at` and converts the channels that the format has. If
 * `at` is NULL, returns the border color. In a signed normalised format, the
 * most negative integer becomes slightly less than -1. */
void cpu_texel_read(const struct cpu_texture *texture, const char *at,
                    union texel *texel);
/* Raises normalised channels below -1 to -1. cpu_texel_read converts the most
 * negative integer to a value slightly below -1, but a fetch returns -1. The
 * linear filter is computed without this limit; only its result is limited. */
void cpu_texel_limit(const struct cpu_texture *texture, union texel *texel);

/* ---- sampling.c ---- */

/* Returns the texture object of the handle. Ends the kernel with
 * ILLEGAL_ADDRESS if there is none. */
const struct cpu_texture *cpu_texture_get(uint64_t object);
/* Samples one mipmap level: the memory `data` with the extents of `texture`.
 * `access` is an IMAGE_ACCESS_ value. */
void cpu_texture_sample(const struct cpu_texture *texture, int32_t access,
                        const float position[3], int32_t layer,
                        union texel *texel);
/* cpu_cube_face returns the face of a cubemap (0 to 5) to which a direction
 * points. cpu_cube_axes computes the components of a vector along the two axes
 * and the normal of that face. */
int cpu_cube_face(const float direction[3]);
void cpu_cube_axes(int face, const float v[3], float axes[3]);

#endif
