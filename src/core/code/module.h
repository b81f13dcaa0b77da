/* module.h - the Module object.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_MODULE_H
#define PYCUDA_CORE_CODE_MODULE_H

#include "core/code/layout.h"
#include "core/core.h"
#include "core/python/object.h"

struct core_texture;

struct core_module {
    CORE_HEAD
    CUmodule handle;
    struct core_layouts layouts;
    /* owned list of the module's texture and surface references */
    struct core_texture *textures;
};

/* Loads an image into the current context as a Module. */
PyObject *core_module_load(const void *image, size_t bytes);

#endif
