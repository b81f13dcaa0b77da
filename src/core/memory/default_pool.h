/* default_pool.h - the default pool of device memory of a context.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_DEFAULT_POOL_H
#define PYCUDA_CORE_MEMORY_DEFAULT_POOL_H

#include "core/core.h"

struct core_allocation;
struct core_context;

/* Allocates from the default pool, or from the driver. Raises nothing. */
CUresult core_pool_allocate(struct core_context *context, size_t bytes,
                            CUstream stream,
                            struct core_allocation *allocation);
/* Returns the memory to the pool. false: the caller must free it. */
bool core_pool_return(struct core_allocation *allocation);
/* core_pool_return in tp_dealloc. true: the pool keeps the object, too. */
bool core_pool_recycle(struct core_allocation *dead);
/* Frees the idle memory of the context's pool. Releases the GIL. */
void core_pool_trim(struct core_context *context);

/* Rules against reuse of memory in use; tests turn them off one by one. */
enum core_pool_rule {
    RULE_OTHER_STREAMS = 1, /* before reuse, wait for the last stream */
    RULE_ESCAPED = 2,   /* do not cache memory whose address was given out */
    RULE_SCATTERED = 4, /* do not cache memory that several streams used */
    RULE_ENDING_STREAMS = 8 /* wait for a stream before it is destroyed */
};

bool core_pool_rule_is_on(enum core_pool_rule rule);
/* Marks the blocks last used on `stream`, which is idle, as reusable. */
void core_pool_stream_ended(struct core_context *context, CUstream stream);
/* Frees the context's memory pool and all its blocks. Releases the GIL. */
void core_pool_destroy(struct core_context *context);

#endif
