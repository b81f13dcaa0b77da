/* foreign.h - device addresses of the arrays of other libraries.
 *
 * Called by launches and address.c for objects that are not of this module's
 * own types. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_FOREIGN_H
#define PYCUDA_CORE_MEMORY_FOREIGN_H

#include "core/core.h"

/* Sets `pointer` to the address of another library's array and returns 1.
 * First makes the stream `later` (NULL: the current stream) wait for the
 * producer's stream; for memory of another device the host waits. Returns 0 if
 * the object has neither __cuda_array_interface__ nor __dlpack__, or is a
 * NumPy array; -1 with an exception if the interface is malformed; -2 with an
 * exception that the producer raised, or with TypeError if __dlpack__
 * describes host memory. */
int core_foreign_address(PyObject *object, CUstream later,
                         CUdeviceptr *pointer);

#endif
