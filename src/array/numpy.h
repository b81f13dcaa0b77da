/* numpy.h - NumPy's C interface for builds that run with NumPy 1.26 and 2.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_NUMPY_H
#define PYCUDA_ARRAY_NUMPY_H

#include "core/numpy.h"

/* Converts a Python value to the dtype and stores its bytes at `bytes`. Does
 * the same as NumPy 2's function PyArray_Pack, but also works with NumPy 1.26,
 * which does not export PyArray_Pack. Returns 0, or -1 with an exception. */
int array_pack(PyArray_Descr *dtype, void *bytes, PyObject *value);

#endif
