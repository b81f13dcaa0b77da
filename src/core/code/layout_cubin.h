/* layout_cubin.h - reads the parameter layouts of a cubin.
 *
 * For any thread; raises nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_LAYOUT_CUBIN_H
#define PYCUDA_CORE_CODE_LAYOUT_CUBIN_H

#include "core/core.h"

struct core_layouts;

/* Reads the kernel parameters of a cubin (an ELF file) into a table. */
void core_layouts_read_cubin(const unsigned char *image, size_t bytes,
                             struct core_layouts *layouts);

#endif
