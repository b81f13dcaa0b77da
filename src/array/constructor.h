/* constructor.h - the constructor of arrays.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_CONSTRUCTOR_H
#define PYCUDA_ARRAY_CONSTRUCTOR_H

#include "core/core.h"

/* tp_new: creates an empty array. */
PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/* tp_init: GPUArray(shape, dtype, ...); may run more than once. */
int array_init(PyObject *self, PyObject *args, PyObject *kwargs);
/* Parses a memory order. Stores 'C' (also for NULL) or 'F' in *letter. */
int array_parse_order(PyObject *order, char *letter);

#endif
