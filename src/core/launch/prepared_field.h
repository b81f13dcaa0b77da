/* prepared_field.h - how a prepared call packs one argument.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PREPARED_FIELD_H
#define PYCUDA_CORE_LAUNCH_PREPARED_FIELD_H

#include "core/core.h"

struct core_field {
    char code; /* format character of Python's module struct, such as 'i' */
    /* `code` if field and parameter have the same size, else 0: the fast path
     * does not handle the field */
    char fast_code;
    /* size of the field, and its offset if the arguments are packed as PyCUDA
     * packs them, both in bytes */
    uint32_t bytes, offset;
    /* offset of the kernel parameter in bytes; valid if by_layout is set */
    uint32_t target;
};

#endif
