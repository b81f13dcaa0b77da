/* fill.h - sets all elements of an array to a value.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_FILL_H
#define PYCUDA_ARRAY_FILL_H

#include "core/core.h"

struct array;

/* Sets all elements to a value, in `stream`. */
int array_fill_with(struct array *array, PyObject *value, CUstream stream);

#endif
