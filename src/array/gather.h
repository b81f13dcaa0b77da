/* gather.h - fast paths of indexing with an array of indices.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_GATHER_H
#define PYCUDA_ARRAY_GATHER_H

#include "core/core.h"

/* Fast path of take for fast_call.c. `args` has the positional arguments of
 * the call of take; `axis` is the value of its keyword argument `axis`, or
 * NULL if the call has none. Returns NULL without an exception for arguments
 * that it does not handle. */
PyObject *gather_take(PyObject *const *args, Py_ssize_t count, PyObject *axis);
/* Fast path of a[indices]. Returns the new array, or NULL without an exception
 * if it does not handle the operands. */
PyObject *gather_index(PyObject *self, PyObject *key);
/* Fast path of a[indices] = value. Returns 1 on success, 0 if it does not
 * handle the operands, or -1 with an exception. */
int gather_assign(PyObject *self, PyObject *key, PyObject *value);

#endif
