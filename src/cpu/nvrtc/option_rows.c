/* option_rows.c - the options of NVRTC 13.0, one row per option.
 *
 * Called by options.c. Options that concern GPU hardware (registers, caches)
 * are accepted without effect. The table is constant.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/option_rows.h"

#define SAME(name) "--" name, "-" name

static const struct option_row table[] = {
    {"--gpu-architecture", "-arch", VALUE_TEXT, OPTION_ARCH, NULL},
    /* Options for separate compilation. */
    {"--device-c", "-dc", VALUE_NONE, OPTION_RELOCATABLE, NULL},
    {"--device-w", "-dw", VALUE_NONE, OPTION_IGNORE, NULL},
    {"--relocatable-device-code", "-rdc", VALUE_BOOL, OPTION_RELOCATABLE,
     NULL},
    {"--extensible-whole-program", "-ewp", VALUE_NONE, OPTION_WHOLE, NULL},
    /* Options for debugging. */
    {"--device-debug", "-G", VALUE_NONE, OPTION_DEBUG, NULL},
    {"--generate-line-info", "-lineinfo", VALUE_NONE, OPTION_LINES, NULL},
    /* Options for code generation. */
    {SAME("dopt"), VALUE_TEXT, OPTION_DOPT, " on "},
    {"--Ofast-compile", "-Ofc", VALUE_TEXT, OPTION_IGNORE, " 0 min mid max "},
    {"--ptxas-options", "-Xptxas", VALUE_TEXT, OPTION_ASSEMBLER, NULL},
    {SAME("maxrregcount"), VALUE_NUMBER, OPTION_REGISTERS, NULL},
    {SAME("ftz"), VALUE_BOOL, OPTION_FLUSH, NULL},
    {SAME("prec-sqrt"), VALUE_BOOL, OPTION_IGNORE, NULL},
    {SAME("prec-div"), VALUE_BOOL, OPTION_IGNORE, NULL},
    {SAME("fmad"), VALUE_BOOL, OPTION_FMAD, NULL},
    {SAME("use_fast_math"), VALUE_NONE, OPTION_FAST, NULL},
    {SAME("extra-device-vectorization"), VALUE_NONE, OPTION_IGNORE, NULL},
    {SAME("modify-stack-limit"), VALUE_BOOL, OPTION_IGNORE, NULL},
    {"--dlink-time-opt", "-dlto", VALUE_NONE, OPTION_LTO, NULL},
    {SAME("gen-opt-lto"), VALUE_NONE, OPTION_IGNORE, NULL},
    {SAME("optix-ir"), VALUE_NONE, OPTION_OPTIX, NULL},
    {"--jump-table-density", "-jtd", VALUE_NUMBER, OPTION_IGNORE, NULL},
    {SAME("device-stack-protector"), VALUE_BOOL, OPTION_IGNORE, NULL},
    {SAME("no-cache"), VALUE_NONE, OPTION_IGNORE, NULL},
    {SAME("frandom-seed"), VALUE_EQUALS, OPTION_IGNORE, NULL},
    {SAME("restrict"), VALUE_NONE, OPTION_IGNORE, NULL},
    {"--device-as-default-execution-space", "-default-device", VALUE_NONE,
     OPTION_DEVICE_DEFAULT, NULL},
    {SAME("device-int128"), VALUE_NONE, OPTION_INT128, NULL},
    {SAME("device-float128"), VALUE_NONE, OPTION_FLOAT128, NULL},
    {"--optimization-info", "-opt-info", VALUE_EQUALS, OPTION_IGNORE,
     " inline "},
    {"--version-ident", "-dQ", VALUE_BOOL, OPTION_IGNORE, NULL},
    {SAME("split-compile"), VALUE_NUMBER, OPTION_IGNORE, NULL},
    {SAME("fdevice-syntax-only"), VALUE_NONE, OPTION_SYNTAX, NULL},
    {SAME("minimal"), VALUE_NONE, OPTION_MINIMAL, NULL},
    {SAME("time"), VALUE_EQUALS, OPTION_TIME, NULL},
    {SAME("fdevice-time-trace"), VALUE_EQUALS, OPTION_TRACE, NULL},
    /* Options for preprocessing. */
    {"--define-macro", "-D", VALUE_JOINED, OPTION_DEFINE, NULL},
    {"--undefine-macro", "-U", VALUE_JOINED, OPTION_UNDEFINE, NULL},
    {"--include-path", "-I", VALUE_JOINED, OPTION_INCLUDE, NULL},
    {"--pre-include", "-include", VALUE_TEXT, OPTION_PREINCLUDE, NULL},
    {SAME("no-source-include"), VALUE_NONE, OPTION_IGNORE, NULL},
    /* Options for precompiled headers. pch.c creates precompiled headers even
     * without these options. */
    {SAME("pch"), VALUE_NONE, OPTION_PCH, NULL},
    {SAME("create-pch"), VALUE_EQUALS, OPTION_CREATE_PCH, NULL},
    {SAME("use-pch"), VALUE_EQUALS, OPTION_USE_PCH, NULL},
    {SAME("pch-dir"), VALUE_EQUALS, OPTION_PCH_DIR, NULL},
    {SAME("pch-verbose"), VALUE_BOOL, OPTION_IGNORE, NULL},
    {SAME("pch-messages"), VALUE_BOOL, OPTION_PCH_MESSAGES, NULL},
    {SAME("instantiate-templates-in-pch"), VALUE_BOOL, OPTION_IGNORE, NULL},
    /* Options for the language. */
    {SAME("std"), VALUE_EQUALS, OPTION_STANDARD, NULL},
    {SAME("builtin-move-forward"), VALUE_BOOL, OPTION_IGNORE, NULL},
    {SAME("builtin-initializer-list"), VALUE_BOOL, OPTION_IGNORE, NULL},
    /* Options for diagnostics. */
    {"--disable-warnings", "-w", VALUE_NONE, OPTION_QUIET, NULL},
    {SAME("diag-error"), VALUE_NUMBERS, OPTION_DIAGNOSTIC, NULL},
    {SAME("diag-suppress"), VALUE_NUMBERS, OPTION_DIAGNOSTIC, NULL},
    {SAME("diag-warn"), VALUE_NUMBERS, OPTION_DIAGNOSTIC, NULL},
    {"--display-error-number", "-err-no", VALUE_NONE, OPTION_IGNORE, NULL},
    {"--no-display-error-number", "-no-err-no", VALUE_NONE, OPTION_IGNORE,
     NULL},
    {"--brief-diagnostics", "-brief-diag", VALUE_BOOL, OPTION_IGNORE, NULL},
    /* Options that only this library has: the optimization level of
     * pycuda-jit. */
    {"--optimize", "-O", VALUE_JOINED, OPTION_LEVEL, " 0 1 2 3 4 "},
};

/* Returns true if `text` is the option `name`, and stores the start of its
 * value. If `glued` is true, the value may directly follow a short name, as in
 * -Ipath. */
static bool
name_matches(const char *text, const char *name, bool glued,
             const char **value)
{
    size_t n = strlen(name);

    *value = NULL;
    if (strncmp(text, name, n) != 0) {
        return false;
    }
    if (text[n] == '=') {
        *value = text + n + 1;
    } else if (text[n] && glued) {
        *value = text + n + strspn(text + n, " ");
    }
    return text[n] == 0 || *value;
}

const struct option_row *
nvrtc_option_find(const char *text, const char **spelling, const char **value)
{
    size_t count = sizeof table / sizeof *table;
    const struct option_row *glued = NULL;
    const char *at;

    for (size_t i = 0; i < count; i++) {
        const struct option_row *row = &table[i];
        if (name_matches(text, row->name, false, value)) {
            *spelling = row->name;
            return row;
        }
        if (name_matches(text, row->brief, false, value)) {
            *spelling = row->brief;
            return row;
        }
        if (row->value == VALUE_JOINED &&
            name_matches(text, row->brief, true, &at)) {
            glued = row;
        }
    }
    if (glued) {
        name_matches(text, glued->brief, true, value);
        *spelling = glued->brief;
    }
    return glued;
}
