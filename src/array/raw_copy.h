/* raw_copy.h - copies between arrays of the same dtype.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_RAW_COPY_H
#define PYCUDA_ARRAY_RAW_COPY_H

#include "core/core.h"

struct array;

/* Performs target[...] = source for equivalent dtypes. Both arrays have
 * elements, and the source broadcasts to the target. */
int array_copy_same_dtype(struct array *target, struct array *source,
                          CUstream stream);
/* Returns a contiguous copy in order 'C', 'F' or 'K'. */
struct array *array_contiguous(struct array *array, char order,
                               CUstream stream);

#endif
