/* legacy.h - PyCUDA's launch interface before prepare() existed, and the
 * deprecated form of prepare() that takes a block.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_LEGACY_H
#define PYCUDA_CORE_LAUNCH_LEGACY_H

#include "core/core.h"

struct core_function;

/* Methods of Function, such as _set_block_shape and _param_seti. */
extern PyMethodDef core_legacy_methods[];
/* Reads the block and the dynamic shared memory size in bytes that
 * _set_block_shape and _set_shared_size have stored. Returns false, and reads
 * nothing, if no block is stored. */
bool core_block_shape(const struct core_function *function, unsigned block[3],
                      unsigned *shared);
/* Stores the block and the dynamic shared memory size in bytes (`shared`;
 * NULL: none) passed to prepare(), with a DeprecationWarning. Returns -1 with
 * an exception on failure. */
int core_legacy_prepare(PyObject *function, PyObject *block, PyObject *shared);

#endif
