/* stream_dependencies.h - records the streams that use memory.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_STREAM_DEPENDENCIES_H
#define PYCUDA_CORE_MEMORY_STREAM_DEPENDENCIES_H

#include "core/core.h"

/* Records that `stream` uses the memory at an address, and orders the use
 * after earlier ones. If the memory belongs to another context and `object`
 * does not record its uses (an int, an object of another library), the host
 * waits for that context. */
int core_use_at(PyObject *object, CUdeviceptr pointer, CUstream stream);
/* Makes the stream `later` wait for the stream that a __cuda_array_interface__
 * (a dict) names. */
int core_stream_wait_interface(PyObject *interface, CUstream later);

#endif
