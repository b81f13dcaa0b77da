/* copy_object.h - Memcpy2D, Memcpy3D and Memcpy3DPeer: one object for all.
 *
 * copy_object.c has what is set and read before a copy, memcpynd.c the copy.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/private.h"

/* The widest of CUDA's three structs; a call makes the narrower ones of it. */
struct copy_object {
    CORE_HEAD
    CUDA_MEMCPY3D_PEER copy;
    PyObject *source, *target;          /* strong: what was set */
    Py_buffer source_view, target_view; /* host memory; obj NULL: it is not */
    size_t source_room, target_room;    /* bytes behind srcHost, dstHost */
    PyObject *source_context, *target_context; /* strong Contexts or NULL */
};

int core_copy_traverse(PyObject *op, visitproc visit, void *arg);
int core_copy_clear(PyObject *op);
void core_copy_dealloc(PyObject *op);

extern PyGetSetDef core_copy_fields_2d[], core_copy_fields_3d[];
extern PyMethodDef core_copy_methods[], core_copy_methods_peer[];
