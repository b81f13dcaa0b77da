/* setups.h - registration of the types of src/array, called once per process
 * by array_setup.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_SETUPS_H
#define PYCUDA_ARRAY_SETUPS_H

#include "core/core.h"

/* Create the Python types of one file each (in this order: kernel_cache.c,
 * fast_ufunc.c, planned_method.c, fast_call.c, fast_collective.c,
 * elementwise_kernel.c), and add the public ones to the module. */
int array_kernels_setup(PyObject *module);
int array_fast_ufunc_setup(PyObject *module);
int array_planned_setup(PyObject *module);
int array_fast_call_setup(PyObject *module);
int array_collective_setup(PyObject *module);
int array_elementwise_setup(PyObject *module);

#endif
