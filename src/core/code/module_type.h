/* module_type.h - creates Modules.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_MODULE_TYPE_H
#define PYCUDA_CORE_CODE_MODULE_TYPE_H

#include "core/core.h"

/* Loads an image into the current context as a Module. */
PyObject *core_module_load(const void *image, size_t bytes);

#endif
