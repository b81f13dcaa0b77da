/* numpy.h - NumPy's C interface, in the version for which src/array is
 * written.
 *
 * setup.c defines ARRAY_IMPORTS_NUMPY and loads the interface's function
 * table, which all files share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_NUMPY_H
#define PYCUDA_ARRAY_NUMPY_H

#include <Python.h>

#define NPY_NO_DEPRECATED_API  NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION     NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL pycuda_array_numpy
#ifndef ARRAY_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#endif
