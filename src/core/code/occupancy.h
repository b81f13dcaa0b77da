/* occupancy.h - occupancy methods of Function.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_OCCUPANCY_H
#define PYCUDA_CORE_CODE_OCCUPANCY_H

#include "core/core.h"

/* Methods of Function that compute occupancy: blocks per multiprocessor for a
 * block size, and the block size with the best occupancy. */
PyObject *core_occupancy_blocks(PyObject *function, CORE_ARGS);
PyObject *core_occupancy_best(PyObject *function, CORE_ARGS);

#endif
