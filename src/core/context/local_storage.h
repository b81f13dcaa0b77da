/* local_storage.h - context-local storage, and the list of all contexts.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_LOCAL_STORAGE_H
#define PYCUDA_CORE_CONTEXT_LOCAL_STORAGE_H

#include "core/core.h"

struct core_context;

/* Add a new context to the list of contexts, and remove one that is freed. */
void core_contexts_add(struct core_context *context);
void core_contexts_remove(struct core_context *context);
struct core_context *core_contexts_first(void); /* head of the list */
/* Updates core_context.guarded of all contexts, which sends uses of memory to
 * the slow path. Called after contexts or captures change. */
void core_contexts_guard(void);
/* Visit and drop the context-local storage; a drop changes the key. */
int core_local_traverse(struct core_context *context, visitproc visit,
                        void *arg);
void core_local_drop(struct core_context *context);

#endif
