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

/* core_function_vectorcall calls a Function by Python's vectorcall protocol
 * (fast path); core_function_call is its slow path. */
PyObject *core_function_vectorcall(PyObject *self, PyObject *const *args,
                                   size_t nargsf, PyObject *names);
PyObject *core_function_call(struct core_function *function,
                             PyObject *const *args, Py_ssize_t count,
                             PyObject *names);
/* Methods of Function for prepared calls. core_prepared_first is the slow path
 * of core_prepared_call. */
PyObject *core_prepared_call(PyObject *self, CORE_ARGS);
PyObject *core_prepared_first(struct core_function *function, CORE_ARGS);
PyObject *core_prepared_async_call(PyObject *self, CORE_ARGS);
PyObject *core_prepared_timed_call(PyObject *self, CORE_ARGS);
extern PyType_Spec core_timer_spec;
/* Method of Function: launches with a buffer of packed arguments. */
PyObject *core_launch_buffer(PyObject *self, CORE_ARGS);
/* Launches with packed arguments. Raises LaunchError or LogicError. May
 * release the GIL. */
int core_launch_packed(struct core_function *function, const unsigned grid[3],
                       const unsigned block[3], unsigned shared,
                       struct core_pack *pack);
/* Returns whether a launch that failed with `code` is to be repeated, once per
 * `tried`: after freeing idle device memory, or after making `context` current
 * in CUDA because another library had switched the current context. */
bool core_launch_may_retry(CUresult code, struct core_context *context,
                           bool *tried);
/* Launches a kernel and counts it as pending. Retries once if
 * core_launch_may_retry says so. Raises nothing. */
CUresult core_launch_counted(struct core_context *context, CUfunction function,
                             const unsigned grid[3], const unsigned block[3],
                             unsigned shared, CUstream stream,
                             void **arguments, void **extra);

#endif
