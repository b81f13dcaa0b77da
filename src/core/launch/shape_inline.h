/* shape_inline.h - reads the grid and the block of a launch.
 *
 * The function needs the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_SHAPE_INLINE_H
#define PYCUDA_CORE_LAUNCH_SHAPE_INLINE_H

#include "core/code/function.h"
#include "core/core.h"
#include "core/python/args.h"

/* Reads the grid or block argument `object` into `out`, from the cache `shape`
 * if it is the same tuple as in the previous call. `what` names the argument
 * in error messages. A new tuple resets `noted`, which states that the newest
 * recorded launch has the function's grid and block. Returns 0, or -1 with an
 * exception. */
static inline int
launch_shape_read(struct core_function *function, struct core_shape *shape,
                  PyObject *object, const char *what, unsigned out[3])
{
    if (shape->tuple != object) {
        function->noted = 0;
    }
    return core_shape_read_cached(shape, object, what, out);
}

#endif
