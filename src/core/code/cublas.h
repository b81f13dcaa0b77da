/* cublas.h - the cuBLAS handle of a context.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_CUBLAS_H
#define PYCUDA_CORE_CODE_CUBLAS_H

#include "core/core.h"

struct core_context;

/* Destroys the context's cuBLAS handle, if there is one. */
void core_cublas_drop(struct core_context *context);

#endif
