/* option_values.c - checks values of NVRTC's options, and maps diagnostic
 * numbers to warnings.
 *
 * Called by options.c. The error messages begin like those of NVRTC. Without
 * state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/option_rows.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/text.h"

#define DENSITY_MAX 101 /* maximum of --jump-table-density in percent */

bool
nvrtc_option_fault(struct nvrtc_text *log, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nvrtc_text_print(log, "nvrtc: error: %s\n", text);
    return false;
}

static bool
number_check(const struct option_row *row, const char *value,
             struct nvrtc_text *log)
{
    char *end;
    long number = strtol(value, &end, 10);

    if (*end) {
        return nvrtc_option_fault(log,
                                  "%s (%s) expects an integer value, not '%s'",
                                  row->name, row->brief, value);
    }
    if (!strcmp(row->brief, "-jtd") && (number < 0 || number > DENSITY_MAX)) {
        return nvrtc_option_fault(log,
                                  "Argument for %s must be between [0-%d]",
                                  row->name, DENSITY_MAX);
    }
    if (!strcmp(row->brief, "-split-compile") && number < 0) {
        return nvrtc_option_fault(log, "Argument for %s must be non-negative",
                                  row->brief);
    }
    return true;
}

static bool
numbers_check(const struct option_row *row, const char *value,
              struct nvrtc_text *log)
{
    const char *at = value;

    do {
        char *end;
        long number = strtol(at, &end, 10);
        if (end == at || number <= 0 || (*end && *end != ',')) {
            return nvrtc_option_fault(
                log, "%s expects a non-zero positive integer value, not '%s'",
                row->name, value);
        }
        at = end + (*end == ',');
    } while (*at);
    return true;
}

/* Returns true if `value` is among the words of `allowed`. */
static bool
is_allowed(const char *allowed, const char *value)
{
    char word[64];
    int n = snprintf(word, sizeof word, " %s ", value);

    return *value && !strchr(value, ' ') && n < (int)sizeof word &&
           strstr(allowed, word);
}

static bool
allowed_check(const struct option_row *row, const char *value,
              struct nvrtc_text *log)
{
    if (row->allowed == NULL || is_allowed(row->allowed, value)) {
        return true;
    }
    if (!strcmp(row->brief, "-opt-info")) {
        return nvrtc_option_fault(
            log, "invalid optimization tag for option %s (%s): %s", row->name,
            row->brief, value);
    }
    if (!strcmp(row->brief, "-O")) {
        return nvrtc_option_fault(log, "invalid optimization level: %s",
                                  value);
    }
    return nvrtc_option_fault(log, "invalid argument for option %s (%s): %s",
                              row->name, row->brief, value);
}

bool
nvrtc_option_check(const struct option_row *row, const char *value,
                   struct nvrtc_text *log)
{
    switch (row->value) {
    case VALUE_BOOL:
        return !strcmp(value, "true") || !strcmp(value, "false") ||
               nvrtc_option_fault(log,
                                  "%s (%s) expects true or false, not '%s'",
                                  row->name, row->brief, value);
    case VALUE_NUMBER:
        return number_check(row, value, log);
    case VALUE_NUMBERS:
        return numbers_check(row, value, log);
    default:
        return allowed_check(row, value, log);
    }
}

int
nvrtc_option_arch(const char *value)
{
    static const char *const kinds[] = {"sm_", "compute_"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);
        char *end;
        if (strncmp(value, kinds[i], n) || value[n] < '1' || value[n] > '9') {
            continue;
        }
        long number = strtol(value + n, &end, 10);
        end += *end == 'a' || *end == 'f';
        return *end == 0 && number >= 10 && number < 1000 ? (int)number : 0;
    }
    return 0;
}

/* ---- diagnostics ---- */

/* NVRTC identifies a warning by a number; `name` is clang's option for the
 * same warning, as in -Wunused-variable. */
static const struct {
    int number;
    const char *name;
} diagnostics[] = {
    {177, "unused-variable"},
    {177, "unused-function"},
    {177, "unused-const-variable"},
    {550, "unused-but-set-variable"},
    {1105, "#warnings"},
    {1215, "deprecated-declarations"},
    {1444, "deprecated-declarations"},
    {68, "sign-conversion"},
    {47, "macro-redefined"},
    {940, "return-type"},
    {549, "uninitialized"},
    {174, "unused-value"},
};

void
nvrtc_option_diagnostic(struct nvrtc_options *options,
                        const struct option_row *row, const char *value)
{
    const char *form = !strcmp(row->brief, "-diag-suppress") ? "-Wno-%s"
                       : !strcmp(row->brief, "-diag-error")  ? "-Werror=%s"
                                                             : "-W%s";
    size_t count = sizeof diagnostics / sizeof *diagnostics;

    for (const char *at = value; *at;) {
        char *end;
        long number = strtol(at, &end, 10);
        for (size_t i = 0; i < count; i++) {
            char word[64];
            if (diagnostics[i].number == number) {
                snprintf(word, sizeof word, form, diagnostics[i].name);
                nvrtc_strings_add(&options->diagnostics, "%s", word);
            }
        }
        at = end + (*end == ',');
    }
}
