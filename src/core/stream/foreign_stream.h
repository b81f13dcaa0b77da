/* foreign_stream.h - streams of other libraries.
 *
 * All functions need the GIL and keep it. core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_STREAM_FOREIGN_STREAM_H
#define PYCUDA_CORE_STREAM_FOREIGN_STREAM_H

#include "core/core.h"

/* Reads the handle of an object with __cuda_stream__ (cuda.core, CuPy,
 * numba-cuda, nccl4py) or with an integer cuda_stream (torch). Returns 1, or 0
 * if the object is not a stream, or -1 with an exception. A default stream is
 * returned as NULL, or as CU_STREAM_LEGACY where NULL would mean the thread's
 * current stream. */
int core_stream_foreign(PyObject *object, CUstream *stream);
/* Returns whether the object can be a stream= argument; None cannot. */
bool core_is_stream(PyObject *object);

#endif
