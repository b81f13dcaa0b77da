/* option_rows.h - the table of NVRTC's options; internal to the option files.
 *
 * option_rows.c has the table and searches it, option_values.c checks values,
 * options.c applies them. No state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_OPTION_ROWS_H
#define PYCUDA_CPU_NVRTC_OPTION_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct nvrtc_options;
struct nvrtc_text;

enum option_kind {
    OPTION_IGNORE, /* the option has no effect on the CPU device */
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
    OPTION_LTO,
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
    OPTION_PCH,
    OPTION_PCH_MESSAGES,
    OPTION_USE_PCH,
    OPTION_PCH_DIR,
    OPTION_OPTIX,
};

enum option_value {
    VALUE_NONE,
    VALUE_TEXT,    /* name=value, or the next option text is the value */
    VALUE_EQUALS,  /* the value follows only as name=value */
    VALUE_BOOL,    /* the value is true or false */
    VALUE_NUMBER,  /* the value is an integer; an empty value means 0 */
    VALUE_NUMBERS, /* the value is a list of positive integers */
    VALUE_JOINED,  /* -Ipath, -I path, -I=path, or "-I" and "path" */
};

struct option_row {
    const char *name;  /* long name of the option, such as --std */
    const char *brief; /* short name of the option, such as -I */
    enum option_value value;
    enum option_kind kind;
    /* allowed values, with a blank before and after each, such as " 0 1 2 ";
     * NULL: any value */
    const char *allowed;
};

/* Returns the row of the option in `text`, or NULL if there is none. Stores in
 * *spelling the row's name that the text uses (long or short), and in *value
 * the start of the value in `text`, or NULL if it has none. */
const struct option_row *
nvrtc_option_find(const char *text, const char **spelling, const char **value);

/* Adds a line "nvrtc: error: ..." to the log. Always returns false, so that
 * callers can return the result. */
bool nvrtc_option_fault(struct nvrtc_text *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns true if the option of the row may have this value. Otherwise adds an
 * error to the log and returns false. */
bool nvrtc_option_check(const struct option_row *row, const char *value,
                        struct nvrtc_text *log);

/* Applies `text`: an option of ptxas, or the value of the ptxas option in the
 * previous call. Returns false, with an error in the log, if the option does
 * not exist. */
bool nvrtc_ptxas_options_apply(struct nvrtc_options *options, const char *text,
                               struct nvrtc_text *log);

/* Returns the number of an architecture, such as 90 for sm_90 or 100 for
 * compute_100a. Returns 0 if the value names none. */
int nvrtc_option_arch(const char *value);

/* Adds the front end's flags for --diag-suppress, --diag-warn and
 * --diag-error. */
void nvrtc_option_diagnostic(struct nvrtc_options *options,
                             const struct option_row *row, const char *value);

#endif
