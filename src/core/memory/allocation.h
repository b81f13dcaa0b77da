/* allocation.h - allocations of device memory.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_ALLOCATION_H
#define PYCUDA_CORE_MEMORY_ALLOCATION_H

#include "core/context/context.h"
#include "core/core.h"
#include "core/python/object_head.h"
#include "core/state.h"

struct core_context;

struct core_allocation {
    CORE_HEAD
    /* The following fields are on the same cache line as `context`, since each
     * operation reads them. */
    CUstream stream; /* stream on which the memory was used last */
    bool cached : 1; /* true: the memory is a block of the default pool */
    bool freed : 1;
    bool escaped : 1; /* true: address was given out as an integer */
    /* true: several streams that do not wait for each other used the memory */
    bool scattered : 1;
    bool touched : 1; /* true: a stream has used the memory */
    /* true: work of the memory's previous owner is complete */
    bool settled : 1;
    /* the last use was in another context (`user`), in its stream
     * `user_stream`; `stream` is then unused, and `scattered` is true */
    bool crossed : 1;
    /* value of `scattered` before `crossed` became true */
    bool was_scattered : 1;
    uint32_t bin; /* index of the pool's bin (size class) */
    size_t bytes; /* size in bytes that the program requested */
    size_t room; /* size in bytes of the pool block that contains the memory */
    CUdeviceptr pointer;
    /* strong reference; the DeviceMemoryPool of a pooled allocation, else
     * NULL */
    PyObject *pool;
    /* borrowed, may have been freed; the other context that used the memory
     * last */
    struct core_context *user;
    CUstream user_stream;
};

/* Returns a new allocation that owns the device memory at `pointer`. On
 * failure the caller still owns the memory. */
PyObject *core_allocation_wrap(PyTypeObject *type,
                               struct core_context *context,
                               CUdeviceptr pointer, size_t bytes);
/* Raises the exception for `code`, the result of an allocation of `bytes`
 * bytes, which the message states. Returns 0 for CUDA_SUCCESS. */
int core_allocate_check(CUresult code, size_t bytes, const char *routine);
/* Raises LogicError if the memory was freed or its context was detached. */
int core_allocation_alive(struct core_allocation *allocation);

/* Returns whether the object is an allocation of device memory. */
static inline bool
core_is_allocation(PyObject *object)
{
    return PyObject_TypeCheck(object, core.allocation_type) ||
           PyObject_TypeCheck(object, core.pooled_type);
}

/* Returns whether the object is an array of src/array. */
static inline bool
core_is_array(PyObject *object)
{
    return core.array_type != NULL &&
           PyObject_TypeCheck(object, core.array_type);
}

/* Returns the object that owns an array's memory, borrowed, or NULL. If the
 * array is a view, follows the chain of views. */
PyObject *core_memory_owner(PyObject *owner);
/* Returns the context to which the memory of an allocation or array belongs,
 * borrowed. The context may have been detached. Returns NULL, without an
 * exception, if the memory is of another kind. */
struct core_context *core_memory_context(PyObject *owner);
/* Returns the address as an int, and marks the allocation as escaped. */
PyObject *core_allocation_int(PyObject *allocation);

/* Returns whether the object is an int or of one of this module's own types
 * with an address. Other objects may be on another device. */
static inline bool
core_is_own_type(PyObject *object)
{
    return core_is_allocation(object) || core_is_array(object) ||
           PyLong_CheckExact(object);
}

#endif
