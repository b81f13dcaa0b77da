/* validation.h - checks of values that programs pass.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_VALIDATION_H
#define PYCUDA_ARRAY_VALIDATION_H

#include "array/numpy.h"
#include "core/core.h"

struct array;

/* Returns a Python tuple of the n values. */
PyObject *array_tuple(int n, const npy_intp *values);
/* Raises ValueError for negative lengths, or if the bytes exceed the address
 * space. */
int array_verify_shape(int ndim, const npy_intp *shape, npy_intp itemsize);
/* Raises TypeError for dtypes that device memory cannot hold. */
int array_verify_dtype(PyArray_Descr *dtype);
/* Computes the byte range [*low, *high) that the elements occupy, relative to
 * the first element. Raises ValueError if it exceeds the address space. */
int array_verify_reach(int ndim, const npy_intp *shape,
                       const npy_intp *strides, npy_intp itemsize,
                       npy_intp *low, npy_intp *high);

#endif
