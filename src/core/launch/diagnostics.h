/* diagnostics.h - records launches for error messages.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_DIAGNOSTICS_H
#define PYCUDA_CORE_LAUNCH_DIAGNOSTICS_H

#include "core/core.h"

struct core_context;
struct core_function;
struct core_pack;

/* Adds a launch to the context's recent launches. `name` may be NULL. */
void core_launch_record(struct core_context *context, PyObject *name,
                        CUfunction function, const unsigned grid[3],
                        const unsigned block[3]);
/* Clears the context's recent launches. */
void core_launch_records_clear(struct core_context *context);
/* Stores a Function's name in the records of its recent launches. Called
 * before the Function is freed. */
void core_launch_records_name(struct core_context *context,
                              CUfunction function, PyObject *name);
/* Raises the exception of a launch that the driver refused; returns -1. */
int core_launch_fail(CUresult code, struct core_function *function,
                     const unsigned grid[3], const unsigned block[3],
                     unsigned shared, const struct core_pack *pack);

#endif
