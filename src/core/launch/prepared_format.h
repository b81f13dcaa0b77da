/* prepared_format.h - formats of prepare().
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PREPARED_FORMAT_H
#define PYCUDA_CORE_LAUNCH_PREPARED_FORMAT_H

#include "core/core.h"
#include "core/launch/prepared_field.h"

struct core_function;
struct core_layout;
struct core_pack;

/* A parsed format. It is reference-counted, since Python code that runs during
 * a launch may call prepare() and replace it. */
struct core_format {
    /* number of references: the Function, and calls in progress */
    unsigned users;
    size_t count;
    uint32_t bytes;
    /* true if each field of the format string fits one kernel parameter;
     * `target` of each field is then the parameter's offset */
    bool by_layout;
    struct core_field fields[];
};

/* Parses a format; core_format_release frees it. Raises struct.error for a
 * malformed format. */
struct core_format *core_format_parse(PyObject *text);
void core_format_release(struct core_format *format);
/* Returns the format string of a NumPy scalar type or dtype, and "P" for any
 * other object. */
PyObject *core_format_of_type(PyObject *type);
/* Sets by_layout and each field's `target` if all fields fit their
 * parameters. */
void core_format_set_offsets(struct core_format *format,
                             const struct core_layout *layout);
/* Packs the arguments of a prepared call, converted by the function's prepared
 * format. May run Python code. */
int core_format_pack(struct core_function *function, PyObject *const *args,
                     Py_ssize_t count, struct core_pack *pack);
/* Returns struct.error, or ValueError if that cannot be imported: a borrowed
 * reference, never NULL. */
PyObject *core_struct_error(void);

#endif
