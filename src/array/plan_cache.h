/* plan_cache.h - adds launch plans to the cache of the current context, and
 * executes them.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_PLAN_CACHE_H
#define PYCUDA_ARRAY_PLAN_CACHE_H

#include "core/core.h"

/* Implements _plan_set of pycuda._driver: adds a plan to the cache. */
PyObject *plan_set(PyObject *module, PyObject *args);
/* Finds the launch plan for a function name (interned), for arrays of the same
 * types, shapes, strides and alignment as `objects`, and for an axis (or
 * None). Executes it and returns the result. Returns NULL without an exception
 * if there is no such plan. */
PyObject *plan_replay(PyObject *name, PyObject *const *objects,
                      Py_ssize_t count, PyObject *axis);

#endif
