/* elementwise_operation.h - element-wise operations.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ELEMENTWISE_OPERATION_H
#define PYCUDA_ARRAY_ELEMENTWISE_OPERATION_H

#include "array/numpy.h"
#include "core/core.h"

struct array;

/* Applies an operation to the first `inputs` entries of `objects`, in
 * `stream`. Writes to `out`, or to a new array of `dtype` if `out` is NULL. If
 * `dtype` is NULL too, the type rule determines the type. Returns the output
 * or Py_NotImplemented. */
PyObject *array_apply(int operation, int inputs, PyObject *const *objects,
                      struct array *out, PyArray_Descr *dtype,
                      CUstream stream);
/* Implements _apply of pycuda._driver, which calls array_apply. */
PyObject *array_apply_python(PyObject *module, PyObject *args,
                             PyObject *kwargs);

#endif
