/* argument_handler.h - ArgumentHandler as a kernel argument.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_ARGUMENT_HANDLER_H
#define PYCUDA_CORE_LAUNCH_ARGUMENT_HANDLER_H

#include "core/core.h"

/* Returns the handler's device address on success. Allocates the memory at the
 * first use, and records its use on the stream. */
int core_handler_pointer(PyObject *handler, CUstream stream,
                         CUdeviceptr *pointer);
/* Called before and after a launch: the first function copies the handler's
 * array to the device, the second one copies it back. For a Python subclass
 * they call pre_call and post_call. */
int core_handler_before_launch(PyObject *handler, PyObject *stream);
int core_handler_after_launch(PyObject *handler, PyObject *stream);
/* Returns the handler's host array, borrowed, or NULL. Never fails. */
PyObject *core_handler_array(PyObject *handler);
/* Returns whether the handler may copy its array to the host after the
 * launch. */
bool core_handler_has_output(PyObject *handler);

#endif
