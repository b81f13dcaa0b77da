/* address.h - device addresses of objects that are none of core's types.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_ADDRESS_H
#define PYCUDA_CORE_MEMORY_ADDRESS_H

#include "core/private.h"

/* core_pointer where `later` waits for what other libraries have issued. */
int core_pointer_on(PyObject *object, CUstream later, CUdeviceptr *pointer);
/* Reads the address from the first of __cuda_array_interface__, __dlpack__,
 * gpudata and get_pointer() that the object has.  Returns 1; 0 if it has none
 * of them; -1, with or without an exception, if the value is no address; -2
 * with the exception that the object's own code raised. */
int core_pointer_foreign(PyObject *object, CUstream later,
                         CUdeviceptr *pointer);
/* NULL where there is no such attribute; -1 where asking for it fails. */
int core_attribute(PyObject *object, PyObject *name, PyObject **value);

#endif
