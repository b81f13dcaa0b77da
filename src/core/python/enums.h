/* enums.h - members of the enum classes.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_ENUMS_H
#define PYCUDA_CORE_PYTHON_ENUMS_H

#include "core/core.h"

/* Returns the member of the enum class `name` that has the value. */
PyObject *core_enum(const char *name, long value);
/* Returns the member of the enum `name` that is named by the str `member`;
 * upper and lower case are equal. Returns NULL without an exception if there
 * is none. */
PyObject *core_enum_member(const char *name, PyObject *member);

#endif
