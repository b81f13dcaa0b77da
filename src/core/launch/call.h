/* call.h - slow path of f(...), a call of a Function.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_CALL_H
#define PYCUDA_CORE_LAUNCH_CALL_H

#include "core/core.h"

struct core_function;

/* Calls a Function with `count` positional arguments; the keyword arguments
 * follow them in `args`. Returns None, or the time in seconds if time_kernel
 * is set. */
PyObject *core_function_call(struct core_function *function,
                             PyObject *const *args, Py_ssize_t count,
                             PyObject *names);

#endif
