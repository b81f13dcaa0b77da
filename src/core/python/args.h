/* args.h - reads the arguments of methods.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_ARGS_H
#define PYCUDA_CORE_PYTHON_ARGS_H

#include "core/core.h"

/* Grid or block of an earlier call; a repeated tuple is recognized. */
struct core_shape {
    PyObject *tuple; /* strong; contains only exact ints; or NULL */
    unsigned lengths[3];
};

/* Convert an int or an object with __index__. OverflowError if it does not
 * fit. */
int core_size(PyObject *object, size_t *value);
int core_unsigned(PyObject *object, unsigned *value);
int core_int(PyObject *object, int *value);
/* Returns a str's UTF-8 text, borrowed. TypeError: "<what> must be a str". */
const char *core_text(PyObject *object, const char *what);
/* Copies a 64-byte IPC handle. LogicError (text `says`) for another size. */
int core_ipc_handle(PyObject *bytes, void *handle, const char *routine,
                    const char *says);
/* Reads 1 to 3 lengths: an int, tuple, list or array; missing ones are 1. */
int core_dimensions(PyObject *object, const char *what, unsigned out[3]);
/* Reads a shape as core_dimensions does, and caches the last tuple and its
 * lengths in `shape`. */
int core_shape_read(struct core_shape *shape, PyObject *object,
                    const char *what, unsigned out[3]);

static inline int
core_shape_read_cached(struct core_shape *shape, PyObject *object,
                       const char *what, unsigned out[3])
{
    if (shape->tuple != object) {
        return core_shape_read(shape, object, what, out);
    }
    memcpy(out, shape->lengths, sizeof shape->lengths);
    return 0;
}

/* Reads the optional argument `flags`. `format`: "|O:" and the type's name. */
int core_flags_read(PyObject *args, PyObject *kwargs, const char *format,
                    unsigned *flags);
/* TypeError if the object's memory contains pointers to Python objects. */
int core_buffer_refuse_objects(PyObject *object);
/* Exports a buffer that is contiguous in C or Fortran order. */
int core_buffer(PyObject *object, bool writable, Py_buffer *view);
/* Reads an array shape of at most 32 lengths; returns their number, or -1. */
int core_shape(PyObject *shape, Py_intptr_t *lengths);

#endif
