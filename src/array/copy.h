/* copy.h - copies between arrays.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_COPY_H
#define PYCUDA_ARRAY_COPY_H

#include "core/core.h"

struct array;

/* Performs target[...] = source in `stream`, with broadcasting and casting. */
int array_copy_into(struct array *target, struct array *source,
                    CUstream stream);

#endif
