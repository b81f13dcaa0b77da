/* attribute_setters.h - setters of attributes.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ATTRIBUTE_SETTERS_H
#define PYCUDA_ARRAY_ATTRIBUTE_SETTERS_H

#include "core/core.h"

struct array;

/* Creates the Python type UnsettledMemory. If a program assigns attributes of
 * an array one after the other, shape, strides and dtype may contradict each
 * other in between. The array's memory is then owned by an UnsettledMemory
 * object, and any use of the memory raises ValueError. */
int array_assign_setup(PyObject *module);
/* Returns the owner of the array's memory, without the UnsettledMemory object
 * that may wrap it: a borrowed reference. Returns NULL, without an exception,
 * if the array has no memory. */
PyObject *assign_owner(const struct array *array);
/* Returns strides that a program has assigned but that do not apply yet, since
 * their number differs from the number of axes: a borrowed tuple. Returns
 * NULL, without an exception, if there are no such strides. */
PyObject *assign_strides_waiting(const struct array *array);
/* Raises ValueError and returns -1 if the shape, strides, dtype and memory
 * that a program assigned contradict each other. */
int assign_is_consistent(const struct array *array);
/* Setters for the table array_attributes. `value` NULL deletes the
 * attribute. */
int assign_shape(PyObject *self, PyObject *value, void *unused);
int assign_strides(PyObject *self, PyObject *value, void *unused);
int assign_dtype(PyObject *self, PyObject *value, void *unused);
int assign_gpudata(PyObject *self, PyObject *value, void *unused);
int assign_base(PyObject *self, PyObject *value, void *unused);
int assign_allocator(PyObject *self, PyObject *value, void *unused);
int assign_flags(PyObject *self, PyObject *value, void *unused);

#endif
