/* prepared_call.h - prepared calls of a Function.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PREPARED_CALL_H
#define PYCUDA_CORE_LAUNCH_PREPARED_CALL_H

#include "core/core.h"

struct core_function;

/* Methods of Function for prepared calls. core_prepared_first is the slow path
 * of core_prepared_call. */
PyObject *core_prepared_first(struct core_function *function, CORE_ARGS);
PyObject *core_prepared_async_call(PyObject *self, CORE_ARGS);
PyObject *core_prepared_timed_call(PyObject *self, CORE_ARGS);
extern PyType_Spec core_timer_spec;
/* Method of Function: launches with a buffer of packed arguments. */
PyObject *core_launch_buffer(PyObject *self, CORE_ARGS);

#endif
