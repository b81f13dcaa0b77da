/* pointer_holder.h - views of host memory.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_POINTER_HOLDER_H
#define PYCUDA_CORE_PYTHON_POINTER_HOLDER_H

#include "core/core.h"

/* Returns a writable memoryview, which keeps `owner`. */
PyObject *core_host_view(PyObject *owner, CUdeviceptr pointer, size_t bytes);

#endif
