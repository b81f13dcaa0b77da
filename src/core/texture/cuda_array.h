/* cuda_array.h - CUDA arrays and their descriptors.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_TEXTURE_CUDA_ARRAY_H
#define PYCUDA_CORE_TEXTURE_CUDA_ARRAY_H

#include "core/core.h"
#include "core/python/object_head.h"

struct core_context;

struct core_array_object {
    CORE_HEAD
    CUarray handle;
    /* strong reference; object that owns the CUDA array, if `owned` is
     * false */
    PyObject *owner;
    bool owned;
};

/* Reads an Array's handle. Raises LogicError if the Array was freed. */
int core_array_handle(PyObject *object, CUarray *handle);
/* Returns a new Array. `owner` keeps the CUDA array alive; if it is NULL, the
 * Array owns the CUDA array. */
PyObject *core_array_wrap(CUarray handle, struct core_context *context,
                          PyObject *owner);
/* Reads an ArrayDescriptor. Raises TypeError for another object. */
int core_descriptor_read(PyObject *object, CUDA_ARRAY_DESCRIPTOR *descriptor);
/* Reads an ArrayDescriptor3D or an ArrayDescriptor. */
int core_descriptor3d_read(PyObject *object,
                           CUDA_ARRAY3D_DESCRIPTOR *descriptor);

#endif
