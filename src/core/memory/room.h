/* room.h - whether a copy or fill stays within the object it was given.
 *
 * Called by the functions that copy and fill device memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_ROOM_H
#define PYCUDA_CORE_MEMORY_ROOM_H

#include "core/private.h"

/* Bytes from the address of an allocation, an array or another object with
 * gpudata or __cuda_array_interface__ to the end of what it holds; SIZE_MAX
 * where the object does not say, as an int, or where asking fails. */
size_t core_room(PyObject *object);
/* LogicError of `routine` that names both sizes and the type. */
int core_room_fail(PyObject *object, size_t bytes, size_t room,
                   const char *routine);

/* LogicError where `bytes` are more than the object holds.  The driver alone
 * does not see it where the pool has several blocks in one allocation. */
static inline int
core_check_room(PyObject *object, size_t bytes, const char *routine)
{
    size_t room = Py_IS_TYPE(object, core.allocation_type)
                      ? ((struct core_allocation *)object)->bytes
                      : core_room(object);
    return bytes <= room ? 0 : core_room_fail(object, bytes, room, routine);
}

#endif
