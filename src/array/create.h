/* create.h - fast paths of functions that create arrays.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_CREATE_H
#define PYCUDA_ARRAY_CREATE_H

#include "core/core.h"

/* Fast paths for fast_call.c. `args` has the positional arguments of the
 * Python function; `dtype` is the value of the keyword of this name, or NULL
 * if it was not passed. The functions return NULL without an exception for
 * arguments that they do not handle. */
PyObject *create_empty_like(PyObject *const *args, Py_ssize_t count,
                            PyObject *dtype);
PyObject *create_zeros(PyObject *const *args, Py_ssize_t count,
                       PyObject *dtype);
PyObject *create_zeros_like(PyObject *const *args, Py_ssize_t count,
                            PyObject *dtype);
PyObject *create_ones(PyObject *const *args, Py_ssize_t count,
                      PyObject *dtype);
PyObject *create_ones_like(PyObject *const *args, Py_ssize_t count,
                           PyObject *dtype);
PyObject *create_arange(PyObject *const *args, Py_ssize_t count,
                        PyObject *dtype);

#endif
