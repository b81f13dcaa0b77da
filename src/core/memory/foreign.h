/* foreign.h - device addresses of the arrays of other libraries.
 *
 * For the launch path and address.c, for objects of other classes. All
 * functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_FOREIGN_H
#define PYCUDA_CORE_MEMORY_FOREIGN_H

#include "core/private.h"

/* Returns 1 and the address of another library's array, after making `later`
 * (NULL: the current stream) wait for the producer's stream; for another
 * device's memory the host waits. 0 if the object has neither
 * __cuda_array_interface__ nor __dlpack__, or is NumPy's; -1 with an exception
 * if the interface is malformed; -2 with the producer's exception, or with
 * TypeError if __dlpack__ describes host memory. */
int core_foreign_address(PyObject *object, CUstream later,
                         CUdeviceptr *pointer);
/* If the address is memory of another device or context that the current
 * context cannot access, returns true and writes a message, which names both
 * devices, into `text`. `user` is what uses the memory, such as "kernel". */
bool core_foreign_explain(CUdeviceptr pointer, const char *user, char *text,
                          size_t size);
/* LogicError with that message if kernels cannot access the address. */
int core_foreign_reach(CUdeviceptr pointer);
/* Waits on the host for the context that allocated the memory, unless that is
 * the current context or the current context captures. */
int core_foreign_wait(CUdeviceptr pointer);

/* -- memory/order.c */
/* Returns the object that owns an array's memory, through views of views:
 * borrowed, or NULL. */
PyObject *core_memory_owner(PyObject *owner);
/* core_use of memory at an address. If the memory is in another context and
 * its uses are not recorded (an int, an object of another class), the host
 * waits for that context. */
int core_use_at(PyObject *object, CUdeviceptr pointer, CUstream stream);
/* Makes `later` wait for the stream of a __cuda_array_interface__, a dict. */
int core_follow(PyObject *interface, CUstream later);

/* Returns whether the object is an address of this module's own types, or an
 * int; only other objects are asked for their device. */
static inline bool
core_is_ours(PyObject *object)
{
    return core_is_allocation(object) || core_is_array(object) ||
           PyLong_CheckExact(object);
}

#endif
