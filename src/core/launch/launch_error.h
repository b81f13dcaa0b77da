/* launch_error.h - exceptions for wrong arguments of a launch.
 *
 * The functions need the GIL and return -1 with an exception. They may run
 * Python code.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_LAUNCH_ERROR_H
#define PYCUDA_CORE_LAUNCH_LAUNCH_ERROR_H

#include "core/core.h"

struct core_function;

/* Raises `exception` with the text that the function `writer` of the module
 * pycuda._launch.messages returns. `writer` is called with the kernel's source
 * or None, the kernel's name, and the values of `format`, as in Py_BuildValue
 * with parentheses: "(nO)". */
int core_launch_error(PyObject *exception, struct core_function *function,
                      const char *writer, const char *format, ...);
/* Called when the conversion of an argument of a prepared call has raised an
 * exception. Replaces it by one of the same type, whose message names the
 * parameter and says what to pass. Keeps exceptions of other types than
 * TypeError and struct.error. */
int core_launch_error_prepared(struct core_function *function,
                               Py_ssize_t index, char code, PyObject *arg);
/* Returns the size in bytes of parameter `index`; 0 if it is not known. */
unsigned core_launch_parameter_bytes(const struct core_function *function,
                                     Py_ssize_t index);
/* Returns a new tuple of the arguments; NULL with an exception. */
PyObject *core_launch_arguments(PyObject *const *args, Py_ssize_t count);

#endif
