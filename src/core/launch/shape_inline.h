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

/* Reads the function's grid or block into `out`; `what` is its name in an
 * error message. A new tuple may differ from the recorded launch, so `noted`,
 * which states that they are equal, is reset. Returns 0, or -1 with an
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
