/* default_pool.h - the default pool of device memory of a context.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_DEFAULT_POOL_H
#define PYCUDA_CORE_MEMORY_DEFAULT_POOL_H

#include "core/core.h"

struct core_allocation;
struct core_context;

/* If `code` is OUT_OF_MEMORY and *tried is false: frees idle memory, sets
 * *tried and returns true, and the caller retries. */
bool core_reclaim_memory(CUresult code, bool *tried);
/* Calls cuMemAlloc, with one retry after core_reclaim_memory. The caller has
 * made the context current in CUDA (core_stack_claim). Raises nothing. */
CUresult core_allocate_raw(CUdeviceptr *pointer, size_t bytes);
/* Allocates from the default pool, or from the driver. Raises nothing. */
CUresult core_pool_allocate(struct core_context *context, size_t bytes,
                            CUstream stream,
                            struct core_allocation *allocation);
/* Gives the memory of an allocation back to the pool. Returns false if the
 * pool does not take the memory; the caller must then free it. */
bool core_pool_return(struct core_allocation *allocation);
/* Gives the memory and the deallocated Python object `dead` to the pool, in
 * tp_dealloc. Returns false if the caller must free both. */
bool core_pool_recycle(struct core_allocation *dead);
/* Frees the idle memory of the context's pool. Releases the GIL. */
void core_pool_trim(struct core_context *context);

/* Rules that prevent the reuse of memory that is still in use. Tests switch
 * off one rule at a time to show that each rule is necessary. */
enum core_pool_rule {
    /* before reuse, wait for the last stream that used the memory */
    RULE_OTHER_STREAMS = 1,
    RULE_ESCAPED = 2,   /* do not cache memory whose address was given out */
    RULE_SCATTERED = 4, /* do not cache memory that several streams used */
    /* wait for a stream's work before the stream is destroyed */
    RULE_ENDING_STREAMS = 8
};

/* Returns whether the pool obeys the rule (tests can switch rules off). */
bool core_pool_rule_is_on(enum core_pool_rule rule);
/* Marks the blocks that were last used on `stream`, which is idle, as reusable
 * by any stream. */
void core_pool_stream_ended(struct core_context *context, CUstream stream);
/* Frees the context's memory pool and all its blocks. Releases the GIL. */
void core_pool_destroy(struct core_context *context);

#endif
