/* args.h - reads the arguments of methods.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_ARGS_H
#define PYCUDA_CORE_PYTHON_ARGS_H

#include "core/core.h"

/* Cached grid or block of the previous call, and the tuple it was read
 * from. */
struct core_shape {
    /* strong reference; the tuple, which contains only ints of exactly type
     * int; or NULL */
    PyObject *tuple;
    unsigned lengths[3];
};

/* Converts an int or an object with __index__ to a size_t. Raises
 * OverflowError if the value does not fit. */
int core_size(PyObject *object, size_t *value);
/* Converts an int or an object with __index__ to an unsigned. Raises
 * OverflowError if the value does not fit. */
int core_unsigned(PyObject *object, unsigned *value);
/* Reads the argument called `name`: the size of dynamic shared memory in
 * bytes. Raises TypeError if it is no integer. */
int core_shared_size(PyObject *object, const char *name, unsigned *bytes);
/* Converts an int or an object with __index__ to an int. Raises OverflowError
 * if the value does not fit. */
int core_int(PyObject *object, int *value);
/* Returns a str's UTF-8 text, borrowed. TypeError: "<what> must be a str". */
const char *core_text(PyObject *object, const char *what);
/* Copies a 64-byte IPC handle. Raises LogicError with the text `says` for
 * another size. */
int core_ipc_handle(PyObject *bytes, void *handle, const char *routine,
                    const char *says);
/* Reads a grid or block into three lengths: an int, a tuple, list or array of
 * 1 to 3 ints. Missing lengths are 1. */
int core_dimensions(PyObject *object, const char *what, unsigned out[3]);
/* Reads a shape as core_dimensions does, and caches the last tuple and its
 * lengths in `shape`. */
int core_shape_read(struct core_shape *shape, PyObject *object,
                    const char *what, unsigned out[3]);

/* Inlined form of core_shape_read: copies the cached lengths if `object` is
 * the cached tuple, else calls core_shape_read. */
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

/* Tests a setter's value. NULL means that the program deletes the field: then
 * raises TypeError and returns false. */
bool core_field_is_set(PyObject *value);
/* core_size_field_get and core_size_field_set, for tables of PyGetSetDef, read
 * and write a field of type size_t in the object's C struct;
 * core_unsigned_field_get and core_unsigned_field_set do so for type unsigned.
 * `offset` is the field's offset in bytes. A setter raises TypeError if the
 * program deletes the field. */
PyObject *core_size_field_get(PyObject *op, void *offset);
int core_size_field_set(PyObject *op, PyObject *value, void *offset);
PyObject *core_unsigned_field_get(PyObject *op, void *offset);
int core_unsigned_field_set(PyObject *op, PyObject *value, void *offset);

/* Reads the optional argument `flags`. `format`: "|O:" and the type's name. */
int core_flags_read(PyObject *args, PyObject *kwargs, const char *format,
                    unsigned *flags);
/* Raises TypeError if the object's memory contains pointers to Python
 * objects. */
int core_buffer_refuse_objects(PyObject *object);
/* Exports a buffer that is contiguous in C or Fortran order. */
int core_buffer(PyObject *object, bool writable, Py_buffer *view);
/* Reads an array shape of at most 32 lengths; returns their number, or -1. */
int core_shape(PyObject *shape, Py_intptr_t *lengths);
/* Reads an attribute into `value`: a strong reference, or NULL if the object
 * has no such attribute. Returns 0; -1 if the lookup raises another exception
 * than AttributeError. */
int core_attribute(PyObject *object, PyObject *name, PyObject **value);

#endif
