/* options.h - the driver's JIT options, and the logs that the driver writes,
 * for calls that load or link code.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/core.h"

enum {
    CODE_LOG_BYTES = 32768,
    /* maximum number of option pairs that a program may pass */
    CODE_PAIRS = 28,
    CODE_OPTIONS = CODE_PAIRS + 5,
};

/* JIT options of one driver call that loads or links code. For a linker the
 * driver reads and writes this memory until the link state is destroyed. */
struct code_options {
    CUjit_option names[CODE_OPTIONS];
    void *values[CODE_OPTIONS];
    unsigned count;
    char *info, *error; /* log buffers of CODE_LOG_BYTES each; owned */
};

/* Initializes the options: log buffers, verbosity, and the user's (jit_option,
 * int) pairs. `pairs` may be NULL or None. Returns 0, or -1 with an exception.
 * The caller calls code_options_free in both cases. */
int code_options_init(struct code_options *options, bool verbose,
                      PyObject *pairs);
/* Frees the log buffers. */
void code_options_free(struct code_options *options);

/* Issues a UserWarning with the text of the information log if it begins with
 * "warning: ". Returns 0, or -1 if Python raises the warning as an
 * exception. */
int code_options_warn(const struct code_options *options);

/* Calls handler(success, info log, error log), unless the handler is NULL or
 * None. Returns 0, or -1 with the handler's exception. */
int code_options_report(const struct code_options *options, PyObject *handler,
                        bool success);
