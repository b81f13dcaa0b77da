/* array_type.h - the Python type of arrays.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ARRAY_TYPE_H
#define PYCUDA_ARRAY_ARRAY_TYPE_H

#include "core/core.h"

/* Creates ArrayBase and adds it to the module. */
int array_type_setup(PyObject *module);
/* _set_array_class(type): registers GPUArray, so that array_type.c can reuse
 * freed objects of this class. */
PyObject *array_set_class(PyObject *module, PyObject *type);

#endif
