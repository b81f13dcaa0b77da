/* fast_path.h - launch fast path, for a call that repeats the previous one.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_FAST_PATH_H
#define PYCUDA_CORE_LAUNCH_FAST_PATH_H

#include "core/core.h"

/* Implements Python's vectorcall protocol of Function, f(...). Calls
 * core_function_call if the fast path does not apply. */
PyObject *core_function_vectorcall(PyObject *self, PyObject *const *args,
                                   size_t nargsf, PyObject *names);
/* Method prepared_call. Calls core_prepared_first if the fast path does not
 * apply. */
PyObject *core_prepared_call(PyObject *self, CORE_ARGS);

#endif
