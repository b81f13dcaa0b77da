/* staging.h - copies of pageable memory through a page-locked ring buffer.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
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
/* Frees the staging buffers. If a copy uses them, it frees them at its end. */
void core_staging_drop(struct core_context *context);
/* Copy through the staging buffers, without the GIL; complete on return. */
CUresult core_staging_htod(struct core_staging *ring, CUdeviceptr target,
                           const void *source, size_t bytes, CUstream stream);
CUresult core_staging_dtoh(struct core_staging *ring, void *target,
                           CUdeviceptr source, size_t bytes, CUstream stream);

#endif
