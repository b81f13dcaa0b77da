/* foreign.h - device addresses in the arrays of other libraries.
 *
 * For the launch path and address.c, which ask here for objects that are not
 * this module's own.  The GIL is held.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_FOREIGN_H
#define PYCUDA_CORE_MEMORY_FOREIGN_H

#include "core/private.h"

/* 1 and the address of another library's array, on which `later` (NULL: the
 * current stream) waits for the producer's stream; the host waits for another
 * device's memory.  0 where the object has neither __cuda_array_interface__
 * nor __dlpack__, or is NumPy's; -1 with an exception where the interface is
 * malformed; -2 with what the producer raised, or with TypeError where
 * __dlpack__ gives the host's memory. */
int core_foreign_address(PyObject *object, CUstream later,
                         CUdeviceptr *pointer);
/* LogicError where the address is another device's or context's memory that
 * kernels of the current context cannot access. */
int core_foreign_reach(CUdeviceptr pointer);
/* Waits on the host for the work of the context that made the memory, if that
 * is another context than the current one, which captures nothing. */
int core_foreign_wait(CUdeviceptr pointer);

/* -- memory/order.c */
/* What keeps an array's memory, through views of views: borrowed, or NULL. */
PyObject *core_memory_owner(PyObject *owner);
/* core_use of memory at an address; if it is in another context and its uses
 * are not noted (an int, an object of another class), the host waits for that
 * context. */
int core_use_at(PyObject *object, CUdeviceptr pointer, CUstream stream);
/* `later` waits for the stream of a __cuda_array_interface__, a dict. */
int core_follow(PyObject *interface, CUstream later);

/* Whether the object is an address of this module's own kind, or a plain
 * int: nothing else is asked about the device that its memory is on. */
static inline bool
core_is_ours(PyObject *object)
{
    return core_is_allocation(object) || core_is_array(object) ||
           PyLong_CheckExact(object);
}

#endif
