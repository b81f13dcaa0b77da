/* async_pool.h - memory that is freed after captures.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_ASYNC_POOL_H
#define PYCUDA_CORE_MEMORY_ASYNC_POOL_H

#include "core/core.h"

struct core_context;

/* Frees the memory that was dropped during captures. */
void core_deferred_free(struct core_context *context);

#endif
