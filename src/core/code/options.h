/* options.h - options of calls that load and link code, and the logs that the
 * driver writes.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/private.h"

enum {
    CODE_LOG_BYTES = 32768,
    CODE_PAIRS = 28, /* most pairs of a user */
    CODE_OPTIONS = CODE_PAIRS + 5,
};

/* Options of one call. The driver reads and writes them until the link
 * ends. */
struct code_options {
    CUjit_option names[CODE_OPTIONS];
    void *values[CODE_OPTIONS];
    unsigned count;
    char *info, *error; /* owned; CODE_LOG_BYTES each */
};

/* Sets the log buffers, the verbosity, and the user's (jit_option, int) pairs
 * unless they are NULL or None. Returns 0, or -1 with an exception; the caller
 * calls code_options_free in both cases. */
int code_options_init(struct code_options *options, bool verbose,
                      PyObject *pairs);
/* Frees the logs. */
void code_options_free(struct code_options *options);

/* Issues a UserWarning with the driver's information if that begins with
 * "warning: ". Returns 0, or -1 if the warning is raised as an exception. */
int code_options_warn(const struct code_options *options);

/* Calls handler(success, info, error), unless it is NULL or None. Returns 0,
 * or -1 with the handler's exception. */
int code_options_tell(const struct code_options *options, PyObject *handler,
                      bool success);
