/* cross_context.h - orders the uses of memory by several contexts.
 *
 * Private to core's memory functions. All need the GIL; waits release it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_CROSS_CONTEXT_H
#define PYCUDA_CORE_MEMORY_CROSS_CONTEXT_H

#include "core/core.h"
#include "core/memory/allocation.h"

/* Makes `later`, a stream of the current context, wait on the device for the
 * work issued on `earlier`, a stream of `context`. Does nothing if `context`
 * was detached, since its work is complete. Returns 0, or -1 with an
 * exception. */
int core_stream_follow(struct core_context *context, CUstream earlier,
                       CUstream later);
/* Waits on the host for all work of a context, current or not. Returns 0, or
 * -1 with an exception. */
int core_context_wait(const struct core_context *context);

/* Returns whether an operation on `stream` counts as a use of the memory by
 * another context than its own. `here` is the current context or NULL. Returns
 * false if `stream` belongs to the memory's own context, even if another
 * context is current. */
bool core_is_cross_use(const struct core_allocation *self,
                       const struct core_context *here, CUstream stream);
/* Orders a use of memory by another context (core_is_cross_use) after all
 * earlier uses. Records it, so that the next use in another context or on
 * another stream waits for it. Returns 0, or -1 with an exception, such as
 * the LogicError that the memory was freed. */
int core_cross_use_begin(struct core_allocation *self,
                         struct core_context *here, CUstream stream);
/* Orders a use in the memory's own context after earlier uses in other
 * contexts. Returns 0, or -1 with an exception, such as the LogicError that
 * the memory was freed. */
int core_cross_use_return(struct core_allocation *self,
                          const struct core_context *here, CUstream stream);
/* Waits on the host for all uses of the memory, in any context. Returns 0, or
 * -1 with an exception. */
int core_cross_wait(struct core_allocation *self);
/* Called before the memory is freed: waits on the host for its last use in
 * another context. Raises no exception, since a context that failed has no
 * work left. */
void core_cross_use_end(struct core_allocation *self);
/* Waits on the host for the context that allocated the memory at an address,
 * if that is not the current one. Returns 0, or -1 with an exception. */
int core_cross_wait_address(CUdeviceptr pointer);
/* If a CUDA array belongs to another context than the current one, and neither
 * of the two contexts is capturing, waits on the host for the array's context
 * and sets *is_cross to true. The caller must then also wait for the operation
 * that it issues on the array, since later operations in the array's context
 * do not wait for that operation. Returns 0, or -1 with an exception. */
int core_cross_wait_array(PyObject *array, bool *is_cross);

#endif
