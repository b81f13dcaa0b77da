/* reduce.h - reductions of arrays.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_REDUCE_H
#define PYCUDA_ARRAY_REDUCE_H

#include "core/core.h"

struct array;

/* Returns whether array_reduce_all supports the array. It does not support
 * float16 and bfloat16, whose reductions Python accumulates in float32. Never
 * fails. */
bool array_reduces_all(const struct array *array);
/* Reduces nonempty arrays of one shape to one element. Returns it as an array
 * without axes. Runs on the default stream. */
PyObject *array_reduce_all(int operation, int inputs,
                           PyObject *const *objects);
/* Implements _reduce of pycuda._driver. */
PyObject *array_reduce_python(PyObject *module, PyObject *args,
                              PyObject *kwargs);

#endif
