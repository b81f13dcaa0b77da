/* layout_read.h - reads the parameter layouts of compiled code.
 *
 * For any thread; raises nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_LAYOUT_READ_H
#define PYCUDA_CORE_CODE_LAYOUT_READ_H

#include "core/core.h"

struct core_layouts;

/* Returns whether the image (compiled code) is for the CPU device. */
bool core_image_of_cpu(const void *image, size_t bytes);
/* Returns false if the image is shorter than its headers declare. */
bool core_image_is_complete(const void *image, size_t bytes);
/* Reads the parameter layouts of the image's kernels into a table. Leaves out
 * kernels whose layout cannot be read. */
void core_layouts_read(const void *image, size_t bytes,
                       struct core_layouts *layouts);

#endif
