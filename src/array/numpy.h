/* numpy.h - NumPy's C interface, in the form that NumPy 1.26 and 2 have.
 *
 * It is compiled against NumPy 2. setup.c defines ARRAY_IMPORTS_NUMPY and
 * loads the interface's function table, which all files share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_NUMPY_H
#define PYCUDA_ARRAY_NUMPY_H

#include <Python.h>

#define NPY_NO_DEPRECATED_API  NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION     NPY_1_25_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL pycuda_array_numpy
#ifndef ARRAY_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

/* Converts a Python value to the dtype and stores its bytes at `bytes`, as
 * PyArray_Pack does, which NumPy 1.26 does not export. Returns 0, or -1 with
 * an exception. */
int array_pack(PyArray_Descr *dtype, void *bytes, PyObject *value);

#endif
