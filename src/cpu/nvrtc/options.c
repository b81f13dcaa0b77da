/* options.c - NVRTC's and nvcc's compiler options, a row each.
 *
 * Called by compile.c.  Options whose meaning is a GPU's (architecture,
 * registers, caches) are accepted and have no effect; unknown ones are
 * refused, as NVRTC does.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/nvrtc.h"

enum option_kind {
    OPTION_IGNORE,       /* a flag without effect here */
    OPTION_IGNORE_VALUE, /* one with a value */
    OPTION_INCLUDE,
    OPTION_DEFINE,
    OPTION_UNDEFINE,
    OPTION_PREINCLUDE,
    OPTION_STANDARD,
    OPTION_FMAD,
    OPTION_FAST,
    OPTION_DEBUG,
    OPTION_LINES,
    OPTION_LEVEL,
    OPTION_REGISTERS,
    OPTION_ASSEMBLER, /* --ptxas-options */
    OPTION_DEVICE_DEFAULT,
    OPTION_RELOCATABLE,
    OPTION_QUIET,
};

enum option_value {
    VALUE_NONE,
    VALUE_NEEDED, /* --name=value, or the next text */
    VALUE_BOOL,   /* =true or =false; nothing means true */
    VALUE_JOINED, /* -Ipath, -I path */
};

struct option {
    const char *name;
    enum option_value value;
    enum option_kind kind;
};

static const struct option options_table[] = {
    {"--include-path", VALUE_NEEDED, OPTION_INCLUDE},
    {"-I", VALUE_JOINED, OPTION_INCLUDE},
    {"-isystem", VALUE_NEEDED, OPTION_INCLUDE},
    {"--system-include", VALUE_NEEDED, OPTION_INCLUDE},
    {"--define-macro", VALUE_NEEDED, OPTION_DEFINE},
    {"-D", VALUE_JOINED, OPTION_DEFINE},
    {"--undefine-macro", VALUE_NEEDED, OPTION_UNDEFINE},
    {"-U", VALUE_JOINED, OPTION_UNDEFINE},
    {"--pre-include", VALUE_NEEDED, OPTION_PREINCLUDE},
    {"-include", VALUE_NEEDED, OPTION_PREINCLUDE},
    {"--std", VALUE_NEEDED, OPTION_STANDARD},
    {"-std", VALUE_NEEDED, OPTION_STANDARD},
    {"--fmad", VALUE_BOOL, OPTION_FMAD},
    {"-fmad", VALUE_BOOL, OPTION_FMAD},
    {"--use_fast_math", VALUE_NONE, OPTION_FAST},
    {"-use_fast_math", VALUE_NONE, OPTION_FAST},
    {"--device-debug", VALUE_NONE, OPTION_DEBUG},
    {"-G", VALUE_NONE, OPTION_DEBUG},
    {"--dopt", VALUE_NEEDED, OPTION_IGNORE},
    {"-dopt", VALUE_NEEDED, OPTION_IGNORE},
    {"--optimize", VALUE_NEEDED, OPTION_LEVEL},
    {"-O", VALUE_JOINED, OPTION_LEVEL},
    {"--maxrregcount", VALUE_NEEDED, OPTION_REGISTERS},
    {"-maxrregcount", VALUE_NEEDED, OPTION_REGISTERS},
    {"--ptxas-options", VALUE_NEEDED, OPTION_ASSEMBLER},
    {"-Xptxas", VALUE_NEEDED, OPTION_ASSEMBLER},
    {"--device-as-default-execution-space", VALUE_NONE, OPTION_DEVICE_DEFAULT},
    {"-default-device", VALUE_NONE, OPTION_DEVICE_DEFAULT},
    {"--relocatable-device-code", VALUE_BOOL, OPTION_RELOCATABLE},
    {"-rdc", VALUE_BOOL, OPTION_RELOCATABLE},
    {"--device-c", VALUE_NONE, OPTION_RELOCATABLE},
    {"-dc", VALUE_NONE, OPTION_RELOCATABLE},
    {"--disable-warnings", VALUE_NONE, OPTION_QUIET},
    {"-w", VALUE_NONE, OPTION_QUIET},
    {"--device-w", VALUE_NONE, OPTION_IGNORE},
    {"-dw", VALUE_NONE, OPTION_IGNORE},
    {"--gpu-architecture", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-arch", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--gpu-code", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-code", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--generate-line-info", VALUE_NONE, OPTION_LINES},
    {"-lineinfo", VALUE_NONE, OPTION_LINES},
    {"-g", VALUE_NONE, OPTION_IGNORE},
    {"--restrict", VALUE_NONE, OPTION_IGNORE},
    {"-restrict", VALUE_NONE, OPTION_IGNORE},
    {"--extra-device-vectorization", VALUE_NONE, OPTION_IGNORE},
    {"-extra-device-vectorization", VALUE_NONE, OPTION_IGNORE},
    {"--extensible-whole-program", VALUE_NONE, OPTION_IGNORE},
    {"-ewp", VALUE_NONE, OPTION_IGNORE},
    {"--dlink-time-opt", VALUE_NONE, OPTION_IGNORE},
    {"-dlto", VALUE_NONE, OPTION_IGNORE},
    {"--ftz", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-ftz", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--prec-sqrt", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-prec-sqrt", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--prec-div", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-prec-div", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--modify-stack-limit", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-modify-stack-limit", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--builtin-move-forward", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-builtin-move-forward", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--builtin-initializer-list", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-builtin-initializer-list", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--device-int128", VALUE_NONE, OPTION_IGNORE},
    {"-device-int128", VALUE_NONE, OPTION_IGNORE},
    {"--no-source-include", VALUE_NONE, OPTION_IGNORE},
    {"-no-source-include", VALUE_NONE, OPTION_IGNORE},
    {"--no-cache", VALUE_NONE, OPTION_IGNORE},
    {"-no-cache", VALUE_NONE, OPTION_IGNORE},
    {"--minimal", VALUE_NONE, OPTION_IGNORE},
    {"-minimal", VALUE_NONE, OPTION_IGNORE},
    {"--pch", VALUE_NONE, OPTION_IGNORE},
    {"-pch", VALUE_NONE, OPTION_IGNORE},
    {"--pch-dir", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-pch-dir", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--pch-verbose", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-pch-verbose", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--pch-messages", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-pch-messages", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--diag-error", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-diag-error", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--diag-suppress", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-diag-suppress", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--diag-warn", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-diag-warn", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--display-error-number", VALUE_NONE, OPTION_IGNORE},
    {"-err-no", VALUE_NONE, OPTION_IGNORE},
    {"--no-display-error-number", VALUE_NONE, OPTION_IGNORE},
    {"-no-err-no", VALUE_NONE, OPTION_IGNORE},
    {"--brief-diagnostics", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-brief-diag", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--time", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-time", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--split-compile", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-split-compile", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"--expt-relaxed-constexpr", VALUE_NONE, OPTION_IGNORE},
    {"-expt-relaxed-constexpr", VALUE_NONE, OPTION_IGNORE},
    {"--expt-extended-lambda", VALUE_NONE, OPTION_IGNORE},
    {"-expt-extended-lambda", VALUE_NONE, OPTION_IGNORE},
    {"--extended-lambda", VALUE_NONE, OPTION_IGNORE},
    {"-extended-lambda", VALUE_NONE, OPTION_IGNORE},
    {"--device-stack-protector", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"-device-stack-protector", VALUE_BOOL, OPTION_IGNORE_VALUE},
    {"--Xcompiler", VALUE_NEEDED, OPTION_IGNORE_VALUE},
    {"-Xcompiler", VALUE_NEEDED, OPTION_IGNORE_VALUE},
};

static bool
fault(struct nvrtc_text *log, const char *what, const char *text)
{
    nvrtc_text_print(log, "nvrtc: error: %s: %s\n", what, text);
    return false;
}

/* The row of `text`, and where its value starts (NULL: not in this text). */
static const struct option *
option_find(const char *text, const char **value)
{
    size_t count = sizeof options_table / sizeof *options_table;

    for (size_t i = 0; i < count; i++) {
        const struct option *option = &options_table[i];
        size_t n = strlen(option->name);
        if (strncmp(text, option->name, n) != 0) {
            continue;
        }
        *value = NULL;
        if (text[n] == 0) {
            return option;
        }
        if (option->value == VALUE_JOINED) {
            *value = text + n + strspn(text + n, " ");
            return option;
        }
        if (option->value != VALUE_NONE &&
            (text[n] == '=' || text[n] == ' ')) {
            *value = text + n + 1;
            return option;
        }
    }
    return NULL;
}

static bool
standard_add(struct nvrtc_options *options, const char *value,
             struct nvrtc_text *log)
{
    static const char *const known[] = {"c++11",   "c++14",   "c++17",
                                        "c++20",   "gnu++11", "gnu++14",
                                        "gnu++17", "gnu++20"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strcmp(value, known[i])) {
            nvrtc_words_add(&options->language, "-std=%s", value);
            return true;
        }
    }
    return fault(log, "invalid value for --std (c++11, c++14, c++17, c++20)",
                 value);
}

/* ptxas's own options, separated by commas or blanks: -v and the level of
 * optimisation say something about this device. */
static void
assembler_add(struct nvrtc_options *options, const char *value)
{
    while (*value) {
        size_t n = strcspn(value, ", ");
        if ((n == 2 && !strncmp(value, "-v", n)) ||
            (n == 9 && !strncmp(value, "--verbose", n))) {
            nvrtc_words_add(&options->jit, "--verbose");
        }
        if (n == 3 && !strncmp(value, "-O", 2) && value[2] >= '0' &&
            value[2] <= '3') {
            nvrtc_words_add(&options->jit, "-O%c", value[2]);
        }
        value += n + (value[n] != 0);
    }
}

static bool
level_add(struct nvrtc_options *options, const char *value,
          struct nvrtc_text *log)
{
    if (strlen(value) != 1 || *value < '0' || *value > '4') {
        return fault(log, "invalid optimization level", value);
    }
    nvrtc_words_add(&options->jit, "-O%c", *value == '4' ? '3' : *value);
    return true;
}

static bool
registers_add(struct nvrtc_options *options, const char *value,
              struct nvrtc_text *log)
{
    char *end;
    long count = strtol(value, &end, 10);

    if (*end || end == value || count < 0) {
        return fault(log, "invalid value for --maxrregcount", value);
    }
    nvrtc_words_add(&options->jit, "--max-registers=%ld", count);
    return true;
}

static bool
option_apply(struct nvrtc_options *options, enum option_kind kind,
             const char *value, bool on, struct nvrtc_text *log)
{
    switch (kind) {
    case OPTION_INCLUDE:
        nvrtc_words_add(&options->preprocess, "-I%s", value);
        return true;
    case OPTION_DEFINE:
        nvrtc_words_add(&options->preprocess, "-D%s", value);
        return true;
    case OPTION_UNDEFINE:
        nvrtc_words_add(&options->preprocess, "-U%s", value);
        return true;
    case OPTION_PREINCLUDE:
        nvrtc_words_add(&options->preincludes, "%s", value);
        return true;
    case OPTION_STANDARD:
        return standard_add(options, value, log);
    case OPTION_FMAD:
        nvrtc_words_add(&options->language, "-ffp-contract=%s",
                        on ? "fast" : "off");
        nvrtc_words_add(&options->jit, "--fmad=%d", on);
        return true;
    case OPTION_FAST:
        nvrtc_words_add(&options->jit, "--fast-math");
        return true;
    case OPTION_DEBUG:
        nvrtc_words_add(&options->jit, "-O0");
        nvrtc_words_add(&options->jit, "--debug");
        return true;
    case OPTION_LINES:
        nvrtc_words_add(&options->jit, "--debug");
        return true;
    case OPTION_LEVEL:
        return level_add(options, value, log);
    case OPTION_REGISTERS:
        return registers_add(options, value, log);
    case OPTION_ASSEMBLER:
        assembler_add(options, value);
        return true;
    case OPTION_DEVICE_DEFAULT:
        options->device_default = true;
        return true;
    case OPTION_RELOCATABLE:
        options->relocatable = on;
        return true;
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    case OPTION_IGNORE:
    case OPTION_IGNORE_VALUE:
        return true;
    }
    return true;
}

/* One option; *i moves on where its value is the next text. */
static bool
option_read(struct nvrtc_options *options, int *i, int count,
            const char *const *texts, struct nvrtc_text *log)
{
    const char *text = texts[*i] + strspn(texts[*i], " ");
    const char *value;
    bool on = true;

    if (*text == 0) {
        return true;
    }
    const struct option *option = option_find(text, &value);
    if (option == NULL) {
        return fault(log, "unrecognized option found", text);
    }
    if (option->value == VALUE_BOOL) {
        on = value == NULL || !strcmp(value, "true");
        if (!on && strcmp(value, "false") != 0) {
            return fault(log, "the value must be true or false", text);
        }
    } else if (option->value != VALUE_NONE && value == NULL) {
        if (*i + 1 >= count || texts[*i + 1] == NULL) {
            return fault(log, "a value is missing after option", text);
        }
        value = texts[++*i];
    }
    return option_apply(options, option->kind, value, on, log);
}

bool
nvrtc_options_parse(struct nvrtc_options *options, int count,
                    const char *const *texts, struct nvrtc_text *log)
{
    bool right = true;

    for (int i = 0; i < count; i++) {
        if (texts[i] == NULL) {
            right = fault(log, "option is a null pointer", "");
        } else if (!option_read(options, &i, count, texts, log)) {
            right = false;
        }
    }
    return right;
}

void
nvrtc_options_free(struct nvrtc_options *options)
{
    nvrtc_words_free(&options->language);
    nvrtc_words_free(&options->preprocess);
    nvrtc_words_free(&options->preincludes);
    nvrtc_words_free(&options->jit);
}
