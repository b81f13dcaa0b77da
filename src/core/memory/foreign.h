/* foreign.h - device addresses of the arrays of other libraries.
 *
 * Called by launches and address.c for objects that are not of this module's
 * own types. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_FOREIGN_H
#define PYCUDA_CORE_MEMORY_FOREIGN_H

#include "core/core.h"
#include "core/memory/allocation.h"

/* Sets `pointer` to the address of another library's array and returns 1.
 * First makes the stream `later` (NULL: the current stream) wait for the
 * producer's stream; for memory of another device the host waits. Returns 0 if
 * the object has neither __cuda_array_interface__ nor __dlpack__, or is a
 * NumPy array; -1 with an exception if the interface is malformed; -2 with an
 * exception that the producer raised, or with TypeError if __dlpack__
 * describes host memory. */
int core_foreign_address(PyObject *object, CUstream later,
                         CUdeviceptr *pointer);
/* Explains why the current context cannot access memory of another device or
 * context: returns true and writes a message into `text` that names both
 * devices. Returns false if the context can access it. `user` names the
 * operation in the message, such as "kernel". */
bool core_foreign_explain(CUdeviceptr pointer, const char *user, char *text,
                          size_t size);
/* Checks that kernels in the current context can access the device address.
 * Otherwise raises LogicError with a message that names both devices. */
int core_foreign_reach(CUdeviceptr pointer);
/* Waits on the host for the context that allocated the memory. Does nothing if
 * that is the current context or the current context captures. */
int core_foreign_wait(CUdeviceptr pointer);

/* -- functions of memory/stream_dependencies.c */
/* Returns the object that owns an array's memory, borrowed, or NULL. If the
 * array is a view, follows the chain of views. */
PyObject *core_memory_owner(PyObject *owner);
/* Records that `stream` uses the memory at an address, and orders the use
 * after earlier ones. If the memory belongs to another context and `object`
 * does not record its uses (an int, an object of another library), the host
 * waits for that context. */
int core_use_at(PyObject *object, CUdeviceptr pointer, CUstream stream);
/* Makes the stream `later` wait for the stream that a __cuda_array_interface__
 * (a dict) names. */
int core_stream_wait_interface(PyObject *interface, CUstream later);

/* Returns whether the object is an int or of one of this module's own types
 * with an address. Other objects may be on another device. */
static inline bool
core_is_own_type(PyObject *object)
{
    return core_is_allocation(object) || core_is_array(object) ||
           PyLong_CheckExact(object);
}

#endif
