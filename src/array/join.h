/* join.h - fast paths of functions that join or roll arrays.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_JOIN_H
#define PYCUDA_ARRAY_JOIN_H

#include "core/core.h"

/* Fast paths for fast_call.c. `args` has the positional arguments of the
 * Python function; `axis` is the value of the keyword of this name, or NULL if
 * it was not passed. The functions return NULL without an exception for
 * arguments that they do not handle. */
PyObject *join_concatenate(PyObject *const *args, Py_ssize_t count,
                           PyObject *axis);
PyObject *join_stack(PyObject *const *args, Py_ssize_t count, PyObject *axis);
PyObject *join_roll(PyObject *const *args, Py_ssize_t count, PyObject *axis);

#endif
