/* module.h - the Module object.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
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
    struct core_texture *textures; /* owned list */
};

/* Loads an image into the current context as a Module. */
PyObject *core_module_load(const void *image, size_t bytes);

#endif
