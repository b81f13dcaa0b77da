/* layout.h - layout of kernel parameters, as read from images.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_LAYOUT_H
#define PYCUDA_CORE_CODE_LAYOUT_H

#include "core/core.h"

/* Offset and size in bytes of one kernel parameter. */
struct core_parameter {
    uint32_t offset, bytes;
};

/* Parameters of one kernel; not `known` if the image has no description. */
struct core_layout {
    char *name;
    struct core_parameter *parameters;
    uint32_t count;
    uint32_t bytes; /* offset of the end of the last parameter */
    bool known;
};

struct core_layouts {
    struct core_layout *rows;
    size_t count;
    bool complete; /* `rows` has all kernels of the image */
};

/* Returns whether the image (compiled code) is for the CPU device. */
bool core_image_of_cpu(const void *image, size_t bytes);
/* Returns false if the image is shorter than its headers declare. */
bool core_image_whole(const void *image, size_t bytes);
/* Reads the kernels' parameters; leaves out those that it cannot read. */
void core_layouts_read(const void *image, size_t bytes,
                       struct core_layouts *layouts);
void core_layouts_free(struct core_layouts *layouts);
/* Returns the layout of a kernel, borrowed from the table, or NULL. */
const struct core_layout *core_layouts_find(const struct core_layouts *table,
                                            const char *name);
/* Writes the names of the module's kernels. The table must be complete. */
void core_layouts_describe(const struct core_layouts *table, char *text,
                           size_t room);
/* core_layouts_read for a cubin, which is an ELF file. */
void core_layouts_read_cubin(const unsigned char *image, size_t bytes,
                             struct core_layouts *layouts);
/* Adds a kernel. NULL without an exception if there is no memory. */
struct core_layout *core_layouts_add(struct core_layouts *layouts,
                                     const char *name, size_t length,
                                     uint32_t count);

#endif
