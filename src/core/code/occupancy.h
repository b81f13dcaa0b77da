/* occupancy.h - occupancy methods of Function.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_OCCUPANCY_H
#define PYCUDA_CORE_CODE_OCCUPANCY_H

#include "core/core.h"

/* Methods of Function. */
PyObject *core_occupancy_blocks(PyObject *function, CORE_ARGS);
PyObject *core_occupancy_best(PyObject *function, CORE_ARGS);

#endif
