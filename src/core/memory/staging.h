/* staging.h - copies of pageable memory through a page-locked ring buffer.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_STAGING_H
#define PYCUDA_CORE_MEMORY_STAGING_H

#include "core/core.h"

struct core_context;
struct core_staging;

/* Takes the context's staging buffers for a copy; core_staging_release returns
 * them. NULL: the driver copies directly. */
struct core_staging *core_staging_acquire(const void *host, size_t bytes);
void core_staging_release(struct core_staging *ring);
/* Frees the context's staging buffers. If a copy uses them, the copy frees
 * them when it ends. */
void core_staging_drop(struct core_context *context);
/* core_staging_htod copies to the device through the staging buffers,
 * core_staging_dtoh to the host. Both are called without the GIL and return
 * after the copy. */
CUresult core_staging_htod(struct core_staging *ring, CUdeviceptr target,
                           const void *source, size_t bytes, CUstream stream);
CUresult core_staging_dtoh(struct core_staging *ring, void *target,
                           CUdeviceptr source, size_t bytes, CUstream stream);

#endif
