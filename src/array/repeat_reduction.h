/* repeat_reduction.h - reductions that are made again, as reduce.c sees them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_REPEAT_REDUCTION_H
#define PYCUDA_ARRAY_REPEAT_REDUCTION_H

#include "array/array.h"

bool reduction_again(int operation, int inputs, PyObject *const *objects,
                     PyObject **result);
void reduction_learn(int operation, int inputs, PyObject *const *objects,
                     PyArray_Descr *result, const struct kernel *kernel,
                     npy_intp blocks, npy_intp per_block);

#endif
