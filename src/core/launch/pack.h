/* pack.h - packs the arguments of a launch.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PACK_H
#define PYCUDA_CORE_LAUNCH_PACK_H

#include "core/core.h"

struct core_function;
struct core_pack;
struct core_slot;

/* Converts the arguments, and records the use of their memory on the stream.
 * May run Python code. */
int core_pack_arguments(struct core_function *function, PyObject *const *args,
                        Py_ssize_t count, struct core_pack *pack);
/* Stores an integer in `bytes` bytes. Raises OverflowError if it does not
 * fit. */
int core_pack_integer(struct core_function *function, Py_ssize_t index,
                      uint64_t bits, bool negative, char *target,
                      uint32_t bytes);
/* Reads an object's device address, and records its use on the stream. */
int core_pack_pointer(PyObject *object, struct core_pack *pack,
                      CUdeviceptr *pointer);
/* Caches `type` in the slot, as the type of the last argument that was passed
 * for the slot's parameter. */
void core_slot_set_type(struct core_slot *slot, PyTypeObject *type);

#endif
