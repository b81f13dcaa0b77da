/* cuda_array.h - CUDA arrays and their descriptors.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_TEXTURE_CUDA_ARRAY_H
#define PYCUDA_CORE_TEXTURE_CUDA_ARRAY_H

#include "core/core.h"
#include "core/python/object.h"

struct core_context;

struct core_array_object {
    CORE_HEAD
    CUarray handle;
    PyObject *owner; /* keeps the array alive if not `owned` */
    bool owned;
};

/* Returns an Array's handle; LogicError if it was freed. */
int core_array_handle(PyObject *object, CUarray *handle);
/* Returns an Array; `owner` keeps `handle` alive, or NULL: the Array owns
 * it. */
PyObject *core_array_wrap(CUarray handle, struct core_context *context,
                          PyObject *owner);
/* Reads an ArrayDescriptor; TypeError for another object. */
int core_descriptor_read(PyObject *object, CUDA_ARRAY_DESCRIPTOR *descriptor);
/* Reads an ArrayDescriptor3D or an ArrayDescriptor. */
int core_descriptor3d_read(PyObject *object,
                           CUDA_ARRAY3D_DESCRIPTOR *descriptor);

#endif
