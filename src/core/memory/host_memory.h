/* host_memory.h - size of an array whose host memory NumPy does not allocate.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_HOST_MEMORY_H
#define PYCUDA_CORE_MEMORY_HOST_MEMORY_H

#include "core/core.h"
#include "core/numpy.h"

/* Computes the size in bytes of an array whose memory NumPy does not allocate
 * (host_memory.c). Raises TypeError for a dtype with Python objects, and
 * OverflowError for a size beyond size_t. */
int core_host_bytes(PyArray_Descr *descr, int ndim, const Py_intptr_t *shape,
                    size_t *bytes);

#endif
