/* shape.h - methods that change the shape of an array.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_SHAPE_H
#define PYCUDA_ARRAY_SHAPE_H

#include "core/core.h"

extern PyMethodDef array_shape_methods[];
/* Returns a view with permuted axes; reversed if `axes` is NULL or None. */
PyObject *array_transposed(PyObject *self, PyObject *axes);

#endif
