/* free_site.h - the Python lines that freed device memory, for the messages of
 * later uses.
 *
 * The functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_MEMORY_FREE_SITE_H
#define PYCUDA_CORE_MEMORY_FREE_SITE_H

#include "core/core.h"

/* Records that the current Python line frees `object` explicitly. Only the
 * latest frees are kept. */
void core_free_site_record(PyObject *object);
/* Raises LogicError because the memory of `object` was freed, and returns -1.
 * The message begins with `what` ("this device memory") and names the Python
 * line that freed it, if known. */
int core_free_site_fail(PyObject *object, const char *routine,
                        const char *what);

#endif
