/* options.h - the rows of NVRTC's options, shared by the files about them.
 *
 * option_rows.c has the table and finds rows in it, option_values.c checks
 * values, options.c applies them.  No state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_OPTIONS_H
#define PYCUDA_CPU_NVRTC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/nvrtc/nvrtc.h"

enum option_kind {
    OPTION_IGNORE, /* no effect on the CPU device */
    OPTION_ARCH,
    OPTION_INCLUDE,
    OPTION_DEFINE,
    OPTION_UNDEFINE,
    OPTION_PREINCLUDE,
    OPTION_STANDARD,
    OPTION_FMAD,
    OPTION_FLUSH,
    OPTION_FAST,
    OPTION_DEBUG,
    OPTION_DOPT,
    OPTION_LINES,
    OPTION_LEVEL,
    OPTION_REGISTERS,
    OPTION_ASSEMBLER, /* --ptxas-options */
    OPTION_DEVICE_DEFAULT,
    OPTION_RELOCATABLE,
    OPTION_WHOLE,
    OPTION_MINIMAL,
    OPTION_INT128,
    OPTION_FLOAT128,
    OPTION_QUIET,
    OPTION_DIAGNOSTIC,
    OPTION_SYNTAX,
    OPTION_TIME,
    OPTION_TRACE,
    OPTION_CREATE_PCH,
    OPTION_USE_PCH,
    OPTION_PCH_DIR,
    OPTION_OPTIX,
};

enum option_value {
    VALUE_NONE,
    VALUE_TEXT,    /* name=value, or the next text */
    VALUE_EQUALS,  /* name=value only */
    VALUE_BOOL,    /* true or false */
    VALUE_NUMBER,  /* an integer; nothing means 0 */
    VALUE_NUMBERS, /* positive integers, separated by commas */
    VALUE_JOINED,  /* -Ipath, -I path, -I=path, or the next text */
};

struct option_row {
    const char *name;  /* the long name */
    const char *brief; /* the short one */
    enum option_value value;
    enum option_kind kind;
    const char *allowed; /* values with blanks around each; NULL: any */
};

/* The row of `text` and the spelling that it uses; *value is where the value
 * starts in the text, NULL if it is not there.  NULL: no such option. */
const struct option_row *
nvrtc_option_find(const char *text, const char **spelling, const char **value);

/* Adds an error of NVRTC's to the log; false, for the caller to return. */
bool nvrtc_option_fault(struct nvrtc_text *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Is `value` one that the row takes?  false: the log says what is wrong. */
bool nvrtc_option_check(const struct option_row *row, const char *value,
                        struct nvrtc_text *log);

/* Applies one option of ptxas; false: there is none, the log says so. */
bool nvrtc_assembler_apply(struct nvrtc_options *options, const char *text,
                           struct nvrtc_text *log);

/* Number in sm_90 or compute_100a; 0: it names no architecture. */
int nvrtc_option_arch(const char *value);

/* Adds the front end's words for --diag-suppress and its relatives. */
void nvrtc_option_diagnostic(struct nvrtc_options *options,
                             const struct option_row *row, const char *value);

#endif
