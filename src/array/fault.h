/* fault.h - faults that kernels report: indices out of range.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_FAULT_H
#define PYCUDA_ARRAY_FAULT_H

#include "core/core.h"

/* Implement _register_faults and _registered_faults of pycuda._driver, which
 * set and return the fault record of the current context. */
PyObject *fault_register(PyObject *module, PyObject *args);
PyObject *fault_registered(PyObject *module, PyObject *unused);
/* Raises IndexError if a completed kernel of the current context met an index
 * out of range. */
int fault_check(void);
/* Stores the device address of the current context's fault record, in which
 * kernels report an index out of range, and returns 1. Returns 0 if the
 * context has no record yet, or -1 with an exception. */
int fault_record_address(CUdeviceptr *words);
/* Implements _check_faults of pycuda._driver, which calls fault_check. */
PyObject *fault_check_python(PyObject *module, PyObject *unused);

#endif
