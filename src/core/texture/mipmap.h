/* mipmap.h - mipmapped arrays.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_TEXTURE_MIPMAP_H
#define PYCUDA_CORE_TEXTURE_MIPMAP_H

#include "core/core.h"
#include "core/python/object_head.h"

/* A MipmappedArray; owns the native object. */
struct core_mipmap {
    CORE_HEAD
    CUmipmappedArray handle; /* NULL after free() */
    unsigned count;          /* number of levels */
};

/* Reads a MipmappedArray's handle. Raises LogicError if it was freed. */
int core_mipmap_handle(PyObject *object, CUmipmappedArray *handle);

#endif
