/* cached_elementwise.h - cache of launches of element-wise operations: the
 * fast path of elementwise_operation.c.
 *
 * All functions require the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_CACHED_ELEMENTWISE_H
#define PYCUDA_ARRAY_CACHED_ELEMENTWISE_H

#include "array/numpy.h"
#include "core/core.h"

struct array;
struct elementwise_task;
struct rule;

#define CACHED_INPUTS_MAX                                                     \
    2 /* maximum number of inputs of a cached operation */

/* Performs a cached operation. Returns false, without side effects, if the
 * operation is not in the cache. Otherwise returns true and stores in *result
 * what array_apply would return: the array, or NULL with an exception. */
bool cached_apply(int operation, int inputs, PyObject *const *objects,
                  struct array *out, CUstream stream, PyObject **result);
/* Performs a cached copy to another dtype. Returns false, without side
 * effects, if the copy is not in the cache. Otherwise returns true and stores
 * the new array in *result, NULL with an exception on failure. */
bool cached_cast(PyObject *array, PyArray_Descr *dtype, CUstream stream,
                 PyObject **result);
/* Sets all elements to `value`, which points to bytes of the array's dtype.
 * Returns 1 on success, 0 if the operation is not in the cache, or -1 with an
 * exception. */
int cached_fill(struct array *array, const void *value, CUstream stream);
/* Adds the launch of a completed task to the cache if its operands are
 * suitable. Cannot fail. */
void cached_apply_add(const struct elementwise_task *task,
                      PyObject *const *objects, struct array *out,
                      const struct rule *rule);

#endif
