/* scratch.h - scratch memory of the streams of a context.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_SCRATCH_H
#define PYCUDA_CORE_MEMORY_SCRATCH_H

#include "core/core.h"

struct core_context;

/* Drops the scratch memory of a stream that is about to be destroyed. */
void core_scratch_stream_ended(struct core_context *context, CUstream stream);
/* Visit and drop all scratch memory of the context. */
int core_scratch_traverse(struct core_context *context, visitproc visit,
                          void *arg);
void core_scratch_drop_all(struct core_context *context);

#endif
