/* launch.h - launches of a Function.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_LAUNCH_H
#define PYCUDA_CORE_LAUNCH_LAUNCH_H

#include "core/core.h"

struct core_context;
struct core_function;
struct core_pack;

/* Launches with packed arguments. Raises LaunchError or LogicError. May
 * release the GIL. */
int core_launch_packed(struct core_function *function, const unsigned grid[3],
                       const unsigned block[3], unsigned shared,
                       struct core_pack *pack);
/* Launches a kernel and counts it as pending. Retries once if
 * core_launch_may_retry says so. Raises nothing. */
CUresult core_launch_counted(struct core_context *context, CUfunction function,
                             const unsigned grid[3], const unsigned block[3],
                             unsigned shared, CUstream stream,
                             void **arguments, void **extra);
/* Lets the graphs of the context's open captures keep references to a launch's
 * Function and arguments. */
int core_launch_hold(struct core_function *function, PyObject *const *args,
                     Py_ssize_t count);

#endif
