/* texture_object.h - texture and surface objects.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_TEXTURE_TEXTURE_OBJECT_H
#define PYCUDA_CORE_TEXTURE_TEXTURE_OBJECT_H

#include "core/core.h"

/* Reads a texture or surface object's handle, and records its use on the
 * stream. Raises LogicError if the object was freed. */
int core_texture_object(PyObject *object, CUstream stream,
                        unsigned long long *handle);
/* Converts a sequence of four numbers to a border color. Returns 0, or -1 with
 * an exception, which is ValueError if there are not four numbers. */
int core_border_color(PyObject *object, float color[4]);

#endif
