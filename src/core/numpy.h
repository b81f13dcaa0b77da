/* numpy.h - NumPy's C API, with one table for the whole extension.
 *
 * Every file of core and array includes this file instead of
 * numpy/arrayobject.h. Only extension_module.c defines CORE_IMPORT_NUMPY and
 * calls import_array, which fills the table of NumPy's functions.
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

#endif
