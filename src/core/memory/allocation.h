/* allocation.h - allocations of device memory.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_ALLOCATION_H
#define PYCUDA_CORE_MEMORY_ALLOCATION_H

#include "core/core.h"
#include "core/python/object.h"
#include "core/state.h"

struct core_context;

struct core_allocation {
    CORE_HEAD
    /* Read by each operation, so on the cache line of `context`. */
    CUstream stream; /* stream of the last use */
    bool cached : 1; /* allocated from the default pool */
    bool freed : 1;
    bool escaped : 1;   /* its address was given out as an integer */
    bool scattered : 1; /* used on streams that do not wait for each other */
    bool touched : 1;   /* used since it was allocated */
    bool settled : 1;   /* work of the memory's previous owner is complete */
    bool crossed : 1;   /* last used by another context, on `user_stream`;
                           `stream` is unused, `scattered` set */
    bool was_scattered : 1; /* value of `scattered` before `crossed` was set */
    uint32_t bin;           /* size class in its pool */
    size_t bytes;           /* requested size */
    size_t room; /* size in bytes of its block in the default pool */
    CUdeviceptr pointer;
    PyObject *pool;            /* strong; DeviceMemoryPool, if pooled_type */
    struct core_context *user; /* borrowed, may be freed: other context */
    CUstream user_stream;
};

/* Returns an object that owns `pointer`; on failure the caller still does. */
PyObject *core_allocation_wrap(PyTypeObject *type,
                               struct core_context *context,
                               CUdeviceptr pointer, size_t bytes);
/* If `code` is OUT_OF_MEMORY and *tried is false: frees idle memory, sets
 * *tried and returns true, and the caller retries. */
bool core_reclaim_memory(CUresult code, bool *tried);
/* Calls cuMemAlloc, with one retry after core_reclaim_memory. Raises
 * nothing. */
CUresult core_allocate_raw(CUdeviceptr *pointer, size_t bytes);
/* core_check of an allocation's `code`. The error names the requested size. */
int core_allocate_check(CUresult code, size_t bytes, const char *routine);
/* LogicError if the memory was freed or its context was detached. */
int core_allocation_alive(struct core_allocation *allocation);

static inline bool
core_is_allocation(PyObject *object)
{
    return PyObject_TypeCheck(object, core.allocation_type) ||
           PyObject_TypeCheck(object, core.pooled_type);
}

static inline bool
core_is_array(PyObject *object)
{
    return core.array_type != NULL &&
           PyObject_TypeCheck(object, core.array_type);
}

/* Returns the address as an int, and marks the allocation as escaped. */
PyObject *core_allocation_int(PyObject *allocation);

#endif
