/* texel.h - a texel as kernels get it, and its reading from memory.
 *
 * Private to read.c and texel.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_TEXEL_H
#define PYCUDA_CPU_TEXEL_H

#include "cpu/cpu.h"

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

#endif
