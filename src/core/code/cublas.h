/* cublas.h - the cuBLAS handle of a context.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_CUBLAS_H
#define PYCUDA_CORE_CODE_CUBLAS_H

#include "core/core.h"

struct core_context;

/* Frees the context's handle. */
void core_cublas_drop(struct core_context *context);

#endif
