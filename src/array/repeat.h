/* repeat.h - operations that are made again, as apply.c sees them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_REPEAT_H
#define PYCUDA_ARRAY_REPEAT_H

#include "array/task.h"

#define REPEAT_MOST 2 /* inputs of an operation that is remembered */

bool repeat_apply(int operation, int inputs, PyObject *const *objects,
                  struct array *out, CUstream stream, PyObject **result);
bool repeat_cast(PyObject *array, PyArray_Descr *dtype, CUstream stream,
                 PyObject **result);
int repeat_fill(struct array *array, const void *value, CUstream stream);
void repeat_learn(const struct task *task, PyObject *const *objects,
                  struct array *out, const struct rule *rule);

#endif
