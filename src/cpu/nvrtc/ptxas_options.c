/* ptxas_options.c - the options of ptxas, which are values of --ptxas-options.
 *
 * Called by options.c. Most of them concern registers and caches of a GPU and
 * have no effect on the CPU device. Unknown options are errors, as in ptxas.
 * Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/option_rows.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/text.h"

enum assembler_kind { SILENT, VERBOSE, LEVEL, REGISTERS, ENTRIES };

/* The options of ptxas 13.0. A value that begins with a digit may directly
 * follow a short name of two characters, as in -O3. */
static const struct {
    const char *name, *brief;
    enum assembler_kind kind;
} rows[] = {
    {"--verbose", "-v", VERBOSE},
    {"--opt-level", "-O", LEVEL},
    {"--maxrregcount", "-maxrregcount", REGISTERS},
    {"--entry", "-e", ENTRIES},
    {"--Ofast-compile", "-Ofc", SILENT},
    {"--allow-expensive-optimizations", "-allow-expensive-optimizations",
     SILENT},
    {"--compile-as-tools-patch", "-astoolspatch", SILENT},
    {"--compile-only", "-c", SILENT},
    {"--compiler-annotations", "-annotate", SILENT},
    {"--def-load-cache", "-dlcm", SILENT},
    {"--def-store-cache", "-dscm", SILENT},
    {"--device-debug", "-g", SILENT},
    {"--device-function-maxrregcount", "-func-maxrregcount", SILENT},
    {"--device-stack-protector", "-device-stack-protector", SILENT},
    {"--disable-optimizer-constants", "-disable-optimizer-consts", SILENT},
    {"--disable-warnings", "-w", SILENT},
    {"--dont-merge-basicblocks", "-no-bb-merge", SILENT},
    {"--extensible-whole-program", "-ewp", SILENT},
    {"--fmad", "-fmad", SILENT},
    {"--force-load-cache", "-flcm", SILENT},
    {"--force-store-cache", "-fscm", SILENT},
    {"--g-tensor-memory-access-check", "-g-tmem-access-check", SILENT},
    {"--generate-line-info", "-lineinfo", SILENT},
    {"--gno-tensor-memory-access-check", "-gno-tmem-access-check", SILENT},
    {"--gpu-name", "-arch", SILENT},
    {"--legacy-bar-warp-wide-behavior", "-legacy-bar-warp-wide-behavior",
     SILENT},
    {"--machine", "-m", SILENT},
    {"--make-errors-visible-at-exit", "-make-errors-visible-at-exit", SILENT},
    {"--maxntid", "-maxntid", SILENT},
    {"--minnctapersm", "-minnctapersm", SILENT},
    {"--optimize-float-atomics", "-opt-fp-atomics", SILENT},
    {"--override-directive-values", "-override-directive-values", SILENT},
    {"--position-independent-code", "-pic", SILENT},
    {"--preserve-relocs", "-preserve-relocs", SILENT},
    {"--register-usage-level", "-regUsageLevel", SILENT},
    {"--return-at-end", "-ret-end", SILENT},
    {"--sp-bounds-check", "-sp-bounds-check", SILENT},
    {"--split-compile", "-split-compile", SILENT},
    {"--suppress-async-bulk-multicast-advisory-warning",
     "-suppress-async-bulk-multicast-advisory-warning", SILENT},
    {"--suppress-debug-info", "-suppress-debug-info", SILENT},
    {"--suppress-double-demote-warning", "-suppress-double-demote-warning",
     SILENT},
    {"--suppress-sparse-mma-advisory-info",
     "-suppress-sparse-mma-advisory-info", SILENT},
    {"--suppress-stack-size-warning", "-suppress-stack-size-warning", SILENT},
    {"--warn-on-double-precision-use", "-warn-double-usage", SILENT},
    {"--warn-on-local-memory-usage", "-warn-lmem-usage", SILENT},
    {"--warn-on-spills", "-warn-spills", SILENT},
    {"--warning-as-error", "-Werror", SILENT},
};

/* Returns true if `text` is the option `name`; stores the start of its value,
 * which is the text after the name and '=', in *value. */
static bool
has_name(const char *text, const char *name, const char **value)
{
    size_t n = strlen(name);
    const char *rest = text + n;

    if (strncmp(text, name, n) != 0) {
        return false;
    }
    *value = rest + (*rest == '=');
    return *rest == 0 || *rest == '=' ||
           (n == 2 && *rest >= '0' && *rest <= '9');
}

static void
apply(struct nvrtc_options *options, enum assembler_kind kind,
      const char *value)
{
    switch (kind) {
    case VERBOSE:
        nvrtc_strings_add(&options->jit, "--verbose");
        break;
    case LEVEL:
        if (*value >= '0' && *value <= '9') {
            nvrtc_strings_add(&options->jit, "-O%c",
                              *value > '3' || value[1] ? '3' : *value);
        }
        break;
    case REGISTERS:
        if (atol(value) > 0) {
            nvrtc_strings_add(&options->jit, "--max-registers=%ld",
                              atol(value));
        }
        break;
    case ENTRIES:
        nvrtc_strings_add(&options->entries, "%s", value);
        break;
    case SILENT:
        break;
    }
}

bool
nvrtc_ptxas_options_apply(struct nvrtc_options *options, const char *text,
                          struct nvrtc_text *log)
{
    const char *value;

    /* no option: the value of the previous option, or a file name */
    if (*text != '-') {
        if (options->assembler_value) {
            apply(options, options->assembler_kind, text);
            options->assembler_value = false;
            return true;
        }
        nvrtc_text_print(log,
                         "ptxas fatal   : Input file '%s' could not be "
                         "opened\n",
                         text);
        return false;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (has_name(text, rows[i].name, &value) ||
            has_name(text, rows[i].brief, &value)) {
            options->assembler_kind = rows[i].kind;
            options->assembler_value = *value == 0;
            if (*value || rows[i].kind == VERBOSE) {
                apply(options, rows[i].kind, value);
            }
            return true;
        }
    }
    nvrtc_text_print(log, "ptxas fatal   : Unknown option '%s'\n",
                     text + strspn(text, "-"));
    return false;
}
