/* copy_object.h - the object behind Memcpy2D, Memcpy3D and Memcpy3DPeer.
 *
 * copy_object.c implements its fields, memcpynd.c the copy. All under the
 * GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/private.h"

/* The largest of CUDA's three structs; a call converts it to the smaller
 * ones. */
struct copy_object {
    CORE_HEAD
    CUDA_MEMCPY3D_PEER copy;
    PyObject *source, *target;          /* strong: the objects that were set */
    Py_buffer source_view, target_view; /* exported host memory; without
                                           host memory, obj is NULL */
    size_t source_room, target_room;    /* bytes after srcHost, dstHost */
    PyObject *source_context, *target_context; /* strong Contexts or NULL */
};

/* Slots of the three types. */
int core_copy_traverse(PyObject *op, visitproc visit, void *arg);
int core_copy_clear(PyObject *op);
void core_copy_dealloc(PyObject *op);

/* Tables of the fields and methods. */
extern PyGetSetDef core_copy_fields_2d[], core_copy_fields_3d[];
extern PyMethodDef core_copy_methods[], core_copy_methods_peer[];
