/* room.h - bounds checks: whether a copy or fill stays inside the given
 * object.
 *
 * Called by the functions that copy and fill device memory. The GIL is
 * held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_ROOM_H
#define PYCUDA_CORE_MEMORY_ROOM_H

#include "core/private.h"

/* Returns the bytes from the address of an allocation, an array or another
 * object with gpudata or __cuda_array_interface__ to its end; SIZE_MAX if the
 * object has no known size, as an int, or if reading it fails. */
size_t core_room(PyObject *object);
/* Raises LogicError of `routine` that names both sizes and the type. */
int core_room_fail(PyObject *object, size_t bytes, size_t room,
                   const char *routine);

/* LogicError if `bytes` exceeds the object's size. The driver alone does not
 * notice an overrun if the pool has several blocks in one allocation. */
static inline int
core_check_room(PyObject *object, size_t bytes, const char *routine)
{
    size_t room = Py_IS_TYPE(object, core.allocation_type)
                      ? ((struct core_allocation *)object)->bytes
                      : core_room(object);
    return bytes <= room ? 0 : core_room_fail(object, bytes, room, routine);
}

#endif
