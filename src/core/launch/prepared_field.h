/* prepared_field.h - one argument in a format of prepare().
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PREPARED_FIELD_H
#define PYCUDA_CORE_LAUNCH_PREPARED_FIELD_H

#include "core/core.h"

struct core_field {
    char code;
    /* `code` if field and parameter have the same size, else 0, which means no
     * fast path */
    char fast_code;
    /* size, and offset of the field in PyCUDA's packing, in bytes */
    uint32_t bytes, offset;
    /* offset of the kernel parameter in bytes; valid if by_layout is set */
    uint32_t target;
};

#endif
