/* pointer_holder.h - views of host memory.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_POINTER_HOLDER_H
#define PYCUDA_CORE_PYTHON_POINTER_HOLDER_H

#include "core/core.h"

/* Returns a writable memoryview of `bytes` bytes at the address. The view
 * keeps a reference to `owner`. */
PyObject *core_host_view(PyObject *owner, CUdeviceptr pointer, size_t bytes);

#endif
