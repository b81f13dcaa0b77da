/* operators.h - operator slots of the array type.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_OPERATORS_H
#define PYCUDA_ARRAY_OPERATORS_H

#include "core/core.h"

extern PyType_Slot array_number_slots[];
/* Implements the comparison operators: `operation` is Py_LT to Py_GE. */
PyObject *array_richcompare(PyObject *a, PyObject *b, int operation);

#endif
