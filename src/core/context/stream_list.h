/* stream_list.h - the list of a context's streams.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_STREAM_LIST_H
#define PYCUDA_CORE_CONTEXT_STREAM_LIST_H

#include "core/core.h"

struct core_context;

/* core_context_add_stream adds a stream to the context's list of streams;
 * core_context_drop_stream removes it. */
int core_context_add_stream(struct core_context *context, CUstream handle,
                            bool blocking);
void core_context_drop_stream(struct core_context *context, CUstream handle);
/* Returns whether `stream` is the default one or a Stream of the context. */
bool core_stream_known(const struct core_context *context, CUstream stream);

#endif
