/* layout.c - fuzz target: kernels' parameters in cubins and in our images.
 *
 * SPDX-License-Identifier: MIT */
#include "image.h"

#include "core/code/layout.h"
#include "core/code/layout_read.h"

/* Python's allocator is replaced by the C library's, without an interpreter.
 * */
void *
PyMem_Malloc(size_t bytes)
{
    return malloc(bytes);
}

void *
PyMem_Calloc(size_t count, size_t bytes)
{
    return calloc(count, bytes);
}

void *
PyMem_Realloc(void *old, size_t bytes)
{
    return realloc(old, bytes);
}

void
PyMem_Free(void *old)
{
    free(old);
}

static void
layouts_use(const struct core_layouts *layouts)
{
    char text[512];

    core_layouts_describe(layouts, text, sizeof text);
    FUZZ_REQUIRE(strlen(text) < sizeof text);
    for (size_t i = 0; i < layouts->count; i++) {
        const struct core_layout *row = &layouts->rows[i];
        for (uint32_t k = 0; row->known && k < row->count; k++) {
            FUZZ_REQUIRE(row->parameters[k].offset +
                             row->parameters[k].bytes <=
                         row->bytes);
        }
        FUZZ_REQUIRE(!row->known || core_layouts_find(layouts, row->name));
    }
    core_layouts_find(layouts, "no such kernel");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct core_layouts layouts;
    char *bytes = fuzz_copy(data, size, false);

    image_renew(bytes, size);
    core_image_is_complete(bytes, size);
    core_layouts_read(bytes, size, &layouts);
    layouts_use(&layouts);
    core_layouts_free(&layouts);
    free(bytes);
    return 0;
}
