/* enums.h - members of the enum classes.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_ENUMS_H
#define PYCUDA_CORE_PYTHON_ENUMS_H

#include "core/core.h"

/* Returns the member of the enum class `name` that has the value. */
PyObject *core_enum(const char *name, long value);
/* Returns the member of the enum `name` that is named by the str `member`;
 * upper and lower case are equal. NULL without an exception if there is
 * none. */
PyObject *core_enum_member(const char *name, PyObject *member);

#endif
