/* attributes.h - attributes of arrays.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ATTRIBUTES_H
#define PYCUDA_ARRAY_ATTRIBUTES_H

#include "core/core.h"

extern PyGetSetDef array_attributes[];
/* Creates, once, all objects that the attribute `flags` of an array can
 * return. */
int array_flags_setup(PyObject *module);

#endif
