/* errors.h - opens the driver library, and completes the texts of its errors.
 *
 * core.h declares the functions that raise errors.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_ERRORS_H
#define PYCUDA_CORE_PYTHON_ERRORS_H

#include "core/core.h"

/* Loads the driver library at the first call. */
int core_open(void);
/* Calls core_open. Raises LogicError, with the name `routine`, if
 * pycuda.driver.init() was not called. */
int core_open_ready(const char *routine);

/* Functions by which error messages describe the current context. The files
 * that define contexts register them, since errors.c may not include those
 * files' headers. */
struct core_error_hooks {
    /* Returns whether this thread has a current context. */
    bool (*has_context)(void);
    /* If the error `code` makes the context unusable, writes the context's
     * latest launches to `text`, a buffer of `room` bytes, and returns true.
     */
    bool (*sticky_detail)(CUresult code, char *text, size_t room);
};

/* Registers the functions by which error messages describe the current
 * context. `hooks` must stay valid until the process ends. Called once, during
 * import. */
void core_errors_set_hooks(const struct core_error_hooks *hooks);

#endif
