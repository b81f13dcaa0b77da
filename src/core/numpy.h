/* numpy.h - NumPy's C API, with one table for the whole extension.
 *
 * Files of core and array include this file, or array/numpy.h, instead of
 * numpy/arrayobject.h. The extension is compiled against NumPy 2 and also runs
 * with 1.26. Only numpy.c defines CORE_IMPORT_NUMPY; it owns the table of
 * NumPy's functions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_NUMPY_H
#define PYCUDA_CORE_NUMPY_H

#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL pycuda_numpy_api
#define NPY_NO_DEPRECATED_API  NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION     NPY_1_25_API_VERSION
#ifndef CORE_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#pragma GCC diagnostic pop

/* Imports NumPy and fills the table of its functions. The caller calls this
 * function before any other file uses the table. Needs the GIL. Returns 0, or
 * -1 with ImportError. */
int core_numpy_import(void);

#endif
