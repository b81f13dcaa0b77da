/* use_fast.h - fast path of core_use, which records that a stream uses
 * memory.
 *
 * The functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_USE_FAST_H
#define PYCUDA_CORE_MEMORY_USE_FAST_H

#include "core/context/context.h"
#include "core/core.h"
#include "core/python/locks.h"
#include "core/memory/allocation.h"

/* Fast path of core_use (record that a stream uses memory): applies if the
 * memory's last use was on the same stream. Returns false if it does not
 * apply; the caller then calls core_use. */
static inline bool
use_fast(struct core_allocation *allocation, CUstream stream)
{
    /* `guarded` is read first: if it is set, other threads may write to the
     * other fields while they hold another context's lock. */
    if (UNLIKELY(READ_SHARED(allocation->context->guarded) ||
                 allocation->stream != stream || allocation->freed)) {
        return false;
    }
    allocation->touched = true;
    return true;
}

/* Calls use_fast (the fast path of core_use) if `here`, the current context,
 * is valid and has no open capture. Otherwise returns false. */
static inline bool
use_fast_in_context(const struct core_context *here,
                    struct core_allocation *allocation, CUstream stream)
{
    if (UNLIKELY(allocation->context != here || allocation->stream != stream ||
                 allocation->freed)) {
        return false;
    }
    allocation->touched = true;
    return true;
}

#endif
