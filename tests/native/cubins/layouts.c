/* layouts.c - prints the kernels that core finds in an image.
 *
 * test_cubin_layouts.py builds it with core's sources that read images. One
 * line per kernel: its name, whether its parameters are known, their size in
 * bytes, and offset:size of each.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "core/code/layout.h"
#include "core/code/layout_read.h"

int
layouts_describe(const void *image, size_t bytes, char *text, size_t room)
{
    struct core_layouts layouts;
    size_t used = 0;

    text[0] = '\0';
    core_layouts_read(image, bytes, &layouts);
    for (size_t i = 0; i < layouts.count && used < room; i++) {
        const struct core_layout *row = &layouts.rows[i];
        used +=
            (size_t)snprintf(text + used, room - used, "%s %s %u", row->name,
                             row->known ? "known" : "unknown", row->bytes);
        for (uint32_t k = 0; k < row->count && used < room; k++) {
            used += (size_t)snprintf(text + used, room - used, " %u:%u",
                                     row->parameters[k].offset,
                                     row->parameters[k].bytes);
        }
        if (used < room) {
            used += (size_t)snprintf(text + used, room - used, "\n");
        }
    }
    int complete = layouts.complete;
    core_layouts_free(&layouts);
    return complete;
}
