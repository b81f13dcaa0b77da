/* bounds.h - bounds checks: whether a copy or fill stays inside the given
 * object.
 *
 * Called by the functions that copy and fill device memory. The GIL is
 * held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_BOUNDS_H
#define PYCUDA_CORE_MEMORY_BOUNDS_H

#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/state.h"

/* Returns the bytes from the address of an object to the end of its memory.
 * The object is an allocation, an array or another object with gpudata or
 * __cuda_array_interface__. Returns SIZE_MAX if the size is not known, as for
 * an int. */
size_t core_bytes_to_end(PyObject *object);
/* Raises LogicError in the name of the driver function `routine`. The message
 * states `bytes`, the object's size `room` and the object's type. */
int core_bounds_fail(PyObject *object, size_t bytes, size_t room,
                     const char *routine);

/* Raises LogicError if `bytes` exceeds the object's size. The driver does not
 * detect an overrun from one array into another array of the same
 * allocation. */
static inline int
core_bounds_check(PyObject *object, size_t bytes, const char *routine)
{
    size_t room = Py_IS_TYPE(object, core.allocation_type)
                      ? ((struct core_allocation *)object)->bytes
                      : core_bytes_to_end(object);
    return bytes <= room ? 0 : core_bounds_fail(object, bytes, room, routine);
}

#endif
