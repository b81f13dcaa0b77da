/* options.h - the options of what loads and links code, with the logs that the
 * driver writes.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/private.h"

enum {
    CODE_LOG_BYTES = 32768,
    CODE_PAIRS = 28, /* of a user, at most */
    CODE_OPTIONS = CODE_PAIRS + 5,
};

/* The driver reads and writes these for as long as a link goes on. */
struct code_options {
    CUjit_option names[CODE_OPTIONS];
    void *values[CODE_OPTIONS];
    unsigned count;
    char *info, *error; /* CODE_LOG_BYTES each, owned */
};

/* The logs, the verbosity, and the user's (jit_option, int) pairs, if they are
 * not NULL or None.  0, or -1 with an exception; code_options_free either way.
 */
int code_options_init(struct code_options *options, bool verbose,
                      PyObject *pairs);
void code_options_free(struct code_options *options);

/* Warns of what the driver's information begins with "warning: ".  0, or -1
 * where the warning is an exception. */
int code_options_warn(const struct code_options *options);

/* Calls handler(success, info, error), if there is one.  0, or -1 with what it
 * raised. */
int code_options_tell(const struct code_options *options, PyObject *handler,
                      bool success);
