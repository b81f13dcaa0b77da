/* cached_reduction.h - cache of launches of reductions: the fast path of
 * reduce.c.
 *
 * All functions require the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_CACHED_REDUCTION_H
#define PYCUDA_ARRAY_CACHED_REDUCTION_H

#include "array/numpy.h"
#include "core/core.h"

struct kernel;

/* Performs a cached reduction on the default stream. Returns false, without
 * side effects, if the reduction is not in the cache. Otherwise returns true
 * and stores the result in *result, NULL with an exception on failure. */
bool cached_reduction_run(int operation, int inputs, PyObject *const *objects,
                          PyObject **result);
/* Adds the launch of a completed reduction to the cache if it is suitable.
 * Borrows `result`, the dtype of the result, which must exist until the
 * process ends. Cannot fail. */
void cached_reduction_add(int operation, int inputs, PyObject *const *objects,
                          PyArray_Descr *result, const struct kernel *kernel,
                          npy_intp blocks, npy_intp per_block);

#endif
