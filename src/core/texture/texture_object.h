/* texture_object.h - texture and surface objects.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_TEXTURE_TEXTURE_OBJECT_H
#define PYCUDA_CORE_TEXTURE_TEXTURE_OBJECT_H

#include "core/core.h"

/* Returns a texture or surface object's handle, and records its use on the
 * stream. LogicError if it was freed. */
int core_texture_object(PyObject *object, CUstream stream,
                        unsigned long long *handle);
int core_border_color(PyObject *object, float color[4]);

#endif
