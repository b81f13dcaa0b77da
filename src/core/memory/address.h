/* address.h - device addresses of foreign objects, whose classes are defined
 * outside of this module.
 *
 * All functions need the GIL and may run Python code.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_ADDRESS_H
#define PYCUDA_CORE_MEMORY_ADDRESS_H

#include "core/core.h"

/* Does the same as core_pointer (reads the device address of any object), and
 * makes the stream `later` wait for pending work of other libraries on the
 * memory. */
int core_pointer_on(PyObject *object, CUstream later, CUdeviceptr *pointer);
/* Reads the address from the first of __cuda_array_interface__, __dlpack__,
 * gpudata and get_pointer() that the object has. Returns 1; 0 if it has none
 * of them; -1, with or without an exception, if the value is not an address;
 * -2 with the exception that the object's own code raised. */
int core_pointer_foreign(PyObject *object, CUstream later,
                         CUdeviceptr *pointer);

#endif
