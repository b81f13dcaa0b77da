/* mipmap.h - mipmapped arrays.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_TEXTURE_MIPMAP_H
#define PYCUDA_CORE_TEXTURE_MIPMAP_H

#include "core/core.h"

/* A MipmappedArray's handle; LogicError if freed. */
int core_mipmap_handle(PyObject *object, CUmipmappedArray *handle);

#endif
