/* basic_indexing.h - indexing with integers and slices.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_BASIC_INDEXING_H
#define PYCUDA_ARRAY_BASIC_INDEXING_H

#include "core/core.h"

/* Type slots of ArrayBase: array[key], iteration (array[index]), and
 * array[key] = value. */
PyObject *array_subscript(PyObject *self, PyObject *key);
PyObject *array_item(PyObject *self, Py_ssize_t index);
int array_assign_subscript(PyObject *self, PyObject *key, PyObject *value);

#endif
