/* scratch.h - scratch memory of the streams of a context.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_SCRATCH_H
#define PYCUDA_CORE_MEMORY_SCRATCH_H

#include "core/core.h"

struct core_context;

/* Drops the scratch memory of a stream that is about to be destroyed. */
void core_scratch_stream_ended(struct core_context *context, CUstream stream);
/* core_scratch_traverse visits all scratch memory of the context for the
 * garbage collector; core_scratch_drop_all drops it. */
int core_scratch_traverse(struct core_context *context, visitproc visit,
                          void *arg);
void core_scratch_drop_all(struct core_context *context);

#endif
