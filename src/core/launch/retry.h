/* retry.h - decides whether a launch that the driver refused is repeated.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_RETRY_H
#define PYCUDA_CORE_LAUNCH_RETRY_H

#include "core/core.h"

struct core_context;

/* Returns whether a launch that failed with `code` is to be repeated. Sets
 * *tried, and returns false if it is already set, so that a launch is repeated
 * at most once. Returns true after freeing idle device memory, or after making
 * `context` current in CUDA because another library had switched the current
 * context. */
bool core_launch_may_retry(CUresult code, struct core_context *context,
                           bool *tried);

#endif
