/* advanced_indexing.h - indexing with arrays, masks and names of fields.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ADVANCED_INDEXING_H
#define PYCUDA_ARRAY_ADVANCED_INDEXING_H

#include "core/core.h"

/* Implements _set_indexer of pycuda._driver: registers the Python functions
 * that get and set array[key] if no fast path handles the key. */
PyObject *advanced_set_indexer(PyObject *module, PyObject *args);
/* Returns array[key] for a key other than integers and slices. */
PyObject *advanced_get(PyObject *self, PyObject *key);
/* Performs array[key] = value for a key other than integers and slices.
 * Returns 0, or -1 with an exception. */
int advanced_set(PyObject *self, PyObject *key, PyObject *value);
/* Each function advanced_NAME implements the function _NAME of pycuda._driver:
 * advanced_address_bits implements _address_bits. Their docstrings are in
 * setup.c. */
PyObject *advanced_address_bits(PyObject *module, PyObject *array);
PyObject *advanced_is_misaligned(PyObject *module, PyObject *array);
PyObject *advanced_are_alike(PyObject *module, PyObject *args);
PyObject *advanced_distance(PyObject *module, PyObject *args);
PyObject *advanced_identity(PyObject *module, PyObject *array);
/* Returns array["name"], a view of a field of records. */
PyObject *advanced_field(PyObject *self, PyObject *name);

#endif
