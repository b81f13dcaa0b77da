/* copy_object.h - the C struct of the Python classes Memcpy2D, Memcpy3D and
 * Memcpy3DPeer, which describe a copy.
 *
 * copy_object.c implements its fields, memcpy_nd.c executes the copy. All
 * functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/core.h"
#include "core/python/object_head.h"

/* `copy` is the largest of CUDA's three structs for copies. A 2D or 3D copy
 * converts it to CUDA_MEMCPY2D or CUDA_MEMCPY3D. */
struct copy_object {
    CORE_HEAD
    CUDA_MEMCPY3D_PEER copy;
    /* strong: source and target objects given to the setters */
    PyObject *source, *target;
    Py_buffer source_view, target_view; /* exported host memory; member obj is
                                           NULL if there is none */
    /* bytes from srcHost, and from dstHost, to the end of the host memory */
    size_t source_room, target_room;
    PyObject *source_context, *target_context; /* strong: a Context or NULL */
};

/* tp_traverse of Memcpy2D, Memcpy3D and Memcpy3DPeer: visits the objects that
 * a copy refers to. Returns 0, or the result of `visit` that ended the
 * traversal. */
int core_copy_traverse(PyObject *op, visitproc visit, void *arg);
/* tp_clear of Memcpy2D, Memcpy3D and Memcpy3DPeer: releases the exported host
 * memory, then the references to other objects. Returns 0. */
int core_copy_clear(PyObject *op);
/* tp_dealloc of Memcpy2D, Memcpy3D and Memcpy3DPeer: clears the object and
 * frees it. */
void core_copy_dealloc(PyObject *op);

/* Python attributes and methods of Memcpy2D, Memcpy3D and Memcpy3DPeer. */
extern PyGetSetDef core_copy_fields_2d[], core_copy_fields_3d[];
extern PyMethodDef core_copy_methods[], core_copy_methods_peer[];
