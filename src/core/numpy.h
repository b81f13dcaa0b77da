/* numpy.h - NumPy's C API, one table for the whole extension.
 *
 * Included in place of numpy/arrayobject.h by every file of core and array;
 * module.c alone defines CORE_IMPORT_NUMPY and calls import_array.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_NUMPY_H
#define PYCUDA_CORE_NUMPY_H

#define PY_ARRAY_UNIQUE_SYMBOL pycuda_numpy_api
#define NPY_NO_DEPRECATED_API  NPY_1_23_API_VERSION
#define NPY_TARGET_VERSION     NPY_1_23_API_VERSION
#ifndef CORE_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#pragma GCC diagnostic pop

/* hostmem.c: the bytes of an array outside of NumPy's memory; refuses dtypes
 * that hold Python objects. */
int core_host_bytes(PyArray_Descr *descr, int ndim, const Py_intptr_t *shape,
                    size_t *bytes);

#endif
