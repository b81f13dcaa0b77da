/* transfer.h - copies between arrays and the host, and assignments of values.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_TRANSFER_H
#define PYCUDA_ARRAY_TRANSFER_H

#include "core/core.h"

struct array;

extern PyMethodDef array_transfer_methods[];
/* Returns the truth value (0 or 1) of an array of one element, or -1 with an
 * exception. */
int array_bool(PyObject *self);
/* Performs target[...] = value for a scalar, sequence, NumPy array or
 * GPUArray. */
int array_assign(struct array *target, PyObject *value);

#endif
