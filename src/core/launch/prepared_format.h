/* prepared_format.h - formats of prepare().
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PREPARED_FORMAT_H
#define PYCUDA_CORE_LAUNCH_PREPARED_FORMAT_H

#include "core/core.h"

struct core_function;
struct core_layout;
struct core_pack;

/* One argument in a format of prepare(). */
struct core_field {
    char code;
    char fast_code; /* `code` if parameter and field have the same size, else 0
                     */
    uint32_t bytes, offset; /* offset in PyCUDA's packing */
    uint32_t target;        /* offset of the parameter, if by_layout */
};

/* A parsed format. It is reference-counted, since Python code that runs during
 * a launch may call prepare() and replace it. */
struct core_format {
    unsigned users; /* references: the function, and calls in progress */
    size_t count;
    uint32_t bytes;
    bool by_layout; /* each field's `target` is valid */
    struct core_field fields[];
};

/* Parses a format; core_format_release frees it. struct.error if malformed. */
struct core_format *core_format_parse(PyObject *text);
void core_format_release(struct core_format *format);
/* Returns the format string of a NumPy type or dtype; "P" for others. */
PyObject *core_format_of_type(PyObject *type);
/* Sets by_layout and each field's `target` if all fit their parameters. */
void core_format_set_offsets(struct core_format *format,
                             const struct core_layout *layout);
/* Like core_pack_arguments, but converts by the function's prepared format. */
int core_format_pack(struct core_function *function, PyObject *const *args,
                     Py_ssize_t count, struct core_pack *pack);
PyObject *core_struct_error(void); /* borrowed; never NULL */

#endif
