/* layout.c - the table of the parameter layouts of a module's kernels.
 *
 * layout_read.c and layout_cubin.c fill it. The module that owns the table
 * frees it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/layout.h"
#include "core/core.h"

/* Adds the layout of a kernel, with space for `count` parameters. Returns NULL
 * without an exception if there is no memory. */
struct core_layout *
core_layouts_add(struct core_layouts *layouts, const char *name, size_t length,
                 uint32_t count)
{
    struct core_layout *rows =
        PyMem_Realloc(layouts->rows, (layouts->count + 1) * sizeof *rows);
    if (rows == NULL) {
        return NULL;
    }
    layouts->rows = rows;
    struct core_layout row = {.count = count};
    row.name = PyMem_Malloc(length + 1);
    row.parameters = PyMem_Calloc(count + 1, sizeof *row.parameters);
    if (row.name == NULL || row.parameters == NULL) {
        PyMem_Free(row.name);
        PyMem_Free(row.parameters);
        return NULL;
    }
    memcpy(row.name, name, length);
    row.name[length] = '\0';
    rows[layouts->count] = row;
    return &rows[layouts->count++];
}

void
core_layouts_free(struct core_layouts *layouts)
{
    for (size_t i = 0; i < layouts->count; i++) {
        PyMem_Free(layouts->rows[i].name);
        PyMem_Free(layouts->rows[i].parameters);
    }
    PyMem_Free(layouts->rows);
    *layouts = (struct core_layouts){0};
}

const struct core_layout *
core_layouts_find(const struct core_layouts *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].known && strcmp(table->rows[i].name, name) == 0) {
            return &table->rows[i];
        }
    }
    return NULL;
}

/* Writes a list of the module's kernels into the buffer `text`, for the error
 * message "kernel not found". The caller ensures that the table has all
 * kernels of the module (table->complete). */
void
core_layouts_describe(const struct core_layouts *table, char *text,
                      size_t room)
{
    bool mangled = false;
    int used = snprintf(text, room, "%s",
                        table->count == 0
                            ? ", and the module has no kernels: they begin "
                              "with __global__ void"
                            : "; the module's kernels: ");
    for (size_t i = 0; i < table->count && used > 0 && (size_t)used < room;
         i++) {
        const char *name = table->rows[i].name;
        mangled |= strncmp(name, "_Z", 2) == 0;
        used += snprintf(text + used, room - (size_t)used, "%s%.80s",
                         i == 0 ? "" : ", ", name);
    }
    if (mangled && used > 0 && (size_t)used < room) {
        snprintf(text + used, room - (size_t)used,
                 "; _Z... are C++'s names: write extern \"C\" before the "
                 "kernel, or name it in name_expressions=");
    }
}
