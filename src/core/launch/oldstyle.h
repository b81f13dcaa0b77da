/* oldstyle.h - launches as before prepare(), and the first form of
 * prepare().
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_OLDSTYLE_H
#define PYCUDA_CORE_LAUNCH_OLDSTYLE_H

#include "core/private.h"

/* Methods of Function. */
extern PyMethodDef core_oldstyle_methods[];
/* Returns the block and the shared memory that _set_block_shape and
 * _set_shared_size set. False, without a result, if the block was not set. */
bool core_block_shape(const struct core_function *function, unsigned block[3],
                      unsigned *shared);
/* Stores the block and the dynamic shared memory in bytes (NULL: none) of the
 * first form of prepare(), with a DeprecationWarning; -1 with an exception. */
int core_oldstyle_prepare(PyObject *function, PyObject *block,
                          PyObject *shared);

#endif
