/* argument_handler.h - ArgumentHandler as a kernel argument.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_ARGUMENT_HANDLER_H
#define PYCUDA_CORE_LAUNCH_ARGUMENT_HANDLER_H

#include "core/core.h"

/* Returns the device address, allocated at the first use; records its use. */
int core_handler_pointer(PyObject *handler, CUstream stream,
                         CUdeviceptr *pointer);
/* Run before and after a launch: copy, or call a Python class's methods. */
int core_handler_before_launch(PyObject *handler, PyObject *stream);
int core_handler_after_launch(PyObject *handler, PyObject *stream);
/* Returns whether the handler may copy to the host after the launch. */
bool core_handler_has_output(PyObject *handler);

#endif
