/* deferred_free.h - device memory that is freed after captures.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_DEFERRED_FREE_H
#define PYCUDA_CORE_MEMORY_DEFERRED_FREE_H

#include "core/core.h"

struct core_context;

/* Adds memory to the list of memory that is freed when the context's captures
 * end. Returns OUT_OF_MEMORY if the list cannot grow. */
CUresult core_deferred_add(struct core_context *context, CUdeviceptr pointer);
/* Frees the device memory that was released while captures of the context were
 * open. Called when the last capture ends. */
void core_deferred_free(struct core_context *context);

#endif
