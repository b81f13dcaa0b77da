/* module.h - the struct of a Module object.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_MODULE_H
#define PYCUDA_CORE_CODE_MODULE_H

#include "core/code/layout.h"
#include "core/core.h"
#include "core/python/object_head.h"

struct core_texture;

struct core_module {
    CORE_HEAD
    CUmodule handle;
    struct core_layouts layouts;
    /* owned list of the module's texture and surface references */
    struct core_texture *textures;
};

#endif
