/* layout.h - layout of kernel parameters, as read from images.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_LAYOUT_H
#define PYCUDA_CORE_CODE_LAYOUT_H

#include "core/core.h"

/* Offset and size in bytes of one kernel parameter. */
struct core_parameter {
    uint32_t offset, bytes;
};

/* Parameters of one kernel. If the image does not describe them, `known` is
 * false. */
struct core_layout {
    char *name;
    struct core_parameter *parameters;
    uint32_t count;
    /* size of all parameters in bytes, without padding at the end */
    uint32_t bytes;
    bool known;
};

struct core_layouts {
    struct core_layout *rows;
    size_t count;
    bool complete; /* true: `rows` contains every kernel of the image */
};

/* Frees the entries of a table of parameter layouts. */
void core_layouts_free(struct core_layouts *layouts);
/* Returns the parameter layout of the kernel `name`. The layout belongs to the
 * table. Returns NULL if the table has no such kernel. */
const struct core_layout *core_layouts_find(const struct core_layouts *table,
                                            const char *name);
/* Writes the names of the module's kernels into the buffer `text`. The caller
 * ensures that the table has all kernels of the module. */
void core_layouts_describe(const struct core_layouts *table, char *text,
                           size_t room);
/* Adds a kernel to the table. Returns NULL, without an exception, if there is
 * no memory. */
struct core_layout *core_layouts_add(struct core_layouts *layouts,
                                     const char *name, size_t length,
                                     uint32_t count);

#endif
