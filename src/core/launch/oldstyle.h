/* oldstyle.h - launches of before prepare(), and of its first form.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_OLDSTYLE_H
#define PYCUDA_CORE_LAUNCH_OLDSTYLE_H

#include "core/private.h"

extern PyMethodDef core_oldstyle_methods[];
/* What _set_block_shape and _set_shared_size were given; false, and nothing
 * is written: the first was not called. */
bool core_block_shape(const struct core_function *function, unsigned block[3],
                      unsigned *shared);
/* Notes the block and the dynamic shared memory (NULL: none) that prepare()
 * was given, with a DeprecationWarning; -1 with an exception. */
int core_oldstyle_prepare(PyObject *function, PyObject *block,
                          PyObject *shared);

#endif
