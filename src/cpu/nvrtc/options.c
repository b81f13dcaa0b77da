/* options.c - applies NVRTC's compiler options to a compilation.
 *
 * Called by compile.c. option_rows.c has the table; unknown options are
 * errors, as in NVRTC. All state is in the options structure, which one thread
 * uses.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/option_rows.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/text.h"

/* NVRTC has __float128 from this architecture on. */
#define FLOAT128_SINCE 100

static bool
standard_add(struct nvrtc_options *options, const char *value,
             struct nvrtc_text *log)
{
    /* Values of -std= and clang's flag for each. c++03 selects C++11, since
     * the package's headers need at least C++11. */
    static const struct {
        const char *name, *flag;
    } known[] = {{"c++03", "-std=c++11"},
                 {"c++11", "-std=c++11"},
                 {"c++14", "-std=c++14"},
                 {"c++17", "-std=c++17"},
                 {"c++20", "-std=c++20"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strcmp(value, known[i].name)) {
            nvrtc_strings_add(&options->language, "%s", known[i].flag);
            if (!strcmp(value, "c++20")) {
                /* clang 19 reports an aggregate in parentheses, T(1), as an
                 * extension although it is valid in C++20 */
                nvrtc_strings_add(&options->language, "-Wno-c++20-extensions");
            }
            return true;
        }
    }
    return nvrtc_option_fault(
        log,
        "invalid value for --std(-std): %s; it must be c++03, c++11, c++14, "
        "c++17 or c++20",
        value);
}

static bool
arch_set(struct nvrtc_options *options, const char *value,
         struct nvrtc_text *log)
{
    size_t n = strlen(value);

    options->arch = nvrtc_option_arch(value);
    options->is_real = !strncmp(value, "sm_", 3);
    options->arch_suffix = n && strchr("af", value[n - 1]) ? value[n - 1] : 0;
    return options->arch ||
           nvrtc_option_fault(
               log,
               "invalid value for --gpu-architecture (-arch): '%s'; it must "
               "be like sm_90 or compute_90",
               value);
}

/* ---- precompiled headers: the file that --use-pch names must exist, but is
 * not read, since pch.c has its own cache ---- */

static bool
pch_missing(struct nvrtc_options *options, struct nvrtc_text *log,
            const char *what, const char *path)
{
    nvrtc_text_print(log, "%s \"%s\"\n", what, path);
    options->result = NVRTC_ERROR_COMPILATION;
    return false;
}

static bool
pch_use(struct nvrtc_options *options, const char *path,
        struct nvrtc_text *log)
{
    if (access(path, R_OK)) {
        return pch_missing(
            options, log,
            "Catastrophic error: cannot open precompiled header file", path);
    }
    return true;
}

static bool
pch_dir_check(struct nvrtc_options *options, const char *path,
              struct nvrtc_text *log)
{
    struct stat found;

    if (stat(path, &found) || !S_ISDIR(found.st_mode)) {
        return pch_missing(options, log,
                           "Command-line error: invalid PCH directory:", path);
    }
    return true;
}

/* Stores the value of an option in `*text`. Returns false, with an error in
 * the log, if the value is empty. */
static bool
text_set(const char **text, const struct option_row *row, const char *value,
         struct nvrtc_text *log)
{
    *text = value;
    return *value || nvrtc_option_fault(log,
                                        "must specify file name with %s flag "
                                        "(%s=filename)",
                                        row->brief, row->brief);
}

/* ---- single options ---- */

static void
macro_add(struct nvrtc_options *options, const char *name)
{
    nvrtc_strings_add(&options->preprocess, "-D%s", name);
}

/* Applies an option about code generation. Returns false for other options. */
static bool
code_apply(struct nvrtc_options *options, enum option_kind kind,
           const char *value, bool on)
{
    switch (kind) {
    case OPTION_FMAD:
        nvrtc_strings_add(&options->language, "-ffp-contract=%s",
                          on ? "fast" : "off");
        nvrtc_strings_add(&options->jit, "--fmad=%d", on);
        return true;
    case OPTION_FLUSH:
        nvrtc_strings_add(&options->jit, "--ftz=%d", on);
        options->flush = on;
        return true;
    case OPTION_FAST:
        nvrtc_strings_add(&options->jit, "--fast-math");
        return true;
    case OPTION_DEBUG:
        options->debug = true;
        macro_add(options, "__CUDACC_DEBUG__");
        nvrtc_strings_add(&options->jit, "--debug");
        return true;
    case OPTION_DOPT:
        options->optimized = true;
        return true;
    case OPTION_LINES:
        nvrtc_strings_add(&options->jit, "--debug");
        return true;
    case OPTION_LEVEL:
        nvrtc_strings_add(&options->jit, "-O%c", *value == '4' ? '3' : *value);
        return true;
    case OPTION_REGISTERS:
        if (atol(value) > 0) {
            nvrtc_strings_add(&options->jit, "--max-registers=%ld",
                              atol(value));
        }
        return true;
    case OPTION_RELOCATABLE:
        options->relocatable = on;
        options->whole_program = !on;
        return true;
    case OPTION_PCH_MESSAGES:
        options->is_pch_quiet = !on;
        return true;
    default:
        return false;
    }
}

/* Applies an option that has no value and concerns the source or the kind of
 * output. Returns false for other options. */
static bool
flag_apply(struct nvrtc_options *options, enum option_kind kind)
{
    switch (kind) {
    case OPTION_DEVICE_DEFAULT:
        options->device_default = true;
        return true;
    case OPTION_LTO:
        options->output = NVRTC_OUTPUT_LTO;
        return true;
    case OPTION_OPTIX:
        options->output = NVRTC_OUTPUT_OPTIX;
        return true;
    case OPTION_PCH:
        options->pch = true;
        return true;
    case OPTION_WHOLE:
        macro_add(options, "__CUDACC_EWP__");
        return true;
    case OPTION_MINIMAL:
        macro_add(options, "__CUDACC_RTC_MINIMAL__");
        return true;
    case OPTION_INT128:
        macro_add(options, "__CUDACC_RTC_INT128__");
        return true;
    case OPTION_FLOAT128:
        options->float128 = true;
        return true;
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    case OPTION_SYNTAX:
        options->syntax_only = true;
        return true;
    default:
        return false;
    }
}

static bool
folder_has(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);

    return n < PATH_MAX && access(path, R_OK) == 0;
}

/* Returns true for a folder of a CUDA toolkit. Some of NVIDIA's headers, such
 * as cuda_fp16.h, do not compile here. So the folders of the package, which
 * has headers of the same names, are searched before such a folder. */
static bool
folder_is_nvidias(const char *folder)
{
    /* Pairs of headers. A folder that has both headers of a pair is a folder
     * of NVIDIA's toolkit. One header is not enough to recognize it, since a
     * program may have a header with the first name. */
    static const char *const signs[][2] = {
        {"cuda_runtime_api.h", "crt/host_defines.h"},
        {"curand_kernel.h", "curand_mtgp32_kernel.h"},
        {"thrust/version.h", "thrust/detail/config.h"},
        {"cub/version.cuh", "cub/config.cuh"},
        {"cuda/std/version", "cuda/std/detail/__config"}};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (folder_has(folder, signs[i][0]) &&
            folder_has(folder, signs[i][1])) {
            return true;
        }
    }
    return false;
}

/* Applies an option about macros, include folders, the C++ standard, the
 * target architecture, diagnostics, precompiled headers, time reports or the
 * assembler. Returns false, with a message in `log`, if the value is
 * invalid. */
static bool
source_apply(struct nvrtc_options *options, const struct option_row *row,
             const char *value, struct nvrtc_text *log)
{
    switch (row->kind) {
    case OPTION_INCLUDE:
        nvrtc_strings_add(&options->preprocess, "%s%s",
                          folder_is_nvidias(value) ? "-idirafter" : "-I",
                          value);
        return true;
    case OPTION_DEFINE:
        macro_add(options, value);
        return true;
    case OPTION_UNDEFINE:
        nvrtc_strings_add(&options->preprocess, "-U%s", value);
        return true;
    case OPTION_PREINCLUDE:
        nvrtc_strings_add(&options->preincludes, "%s", value);
        return true;
    case OPTION_STANDARD:
        return standard_add(options, value, log);
    case OPTION_ARCH:
        return arch_set(options, value, log);
    case OPTION_DIAGNOSTIC:
        nvrtc_option_diagnostic(options, row, value);
        return true;
    case OPTION_TIME:
        return text_set(&options->times, row, value, log);
    case OPTION_TRACE:
        return text_set(&options->trace, row, value, log);
    case OPTION_CREATE_PCH:
        return text_set(&options->create_pch, row, value, log);
    case OPTION_USE_PCH:
        return pch_use(options, value, log);
    case OPTION_PCH_DIR:
        return pch_dir_check(options, value, log);
    case OPTION_ASSEMBLER:
        if (nvrtc_ptxas_options_apply(options, value, log)) {
            return true;
        }
        options->result = NVRTC_ERROR_COMPILATION;
        return false;
    default:
        return true;
    }
}

/* Returns the value of an option: `value` if the option's text contains it, or
 * else the next text. In the second case, advances *i. Returns NULL, with an
 * error in the log, if there is no value. */
static const char *
value_take(const struct option_row *row, const char *value, int *i, int count,
           const char *const *texts, struct nvrtc_text *log)
{
    if (value || row->value == VALUE_NONE) {
        return value ? value : "";
    }
    if (row->value != VALUE_EQUALS && *i + 1 < count && texts[*i + 1]) {
        return texts[++*i];
    }
    if (row->value == VALUE_NUMBER) {
        return "0";
    }
    if (row->value == VALUE_BOOL) {
        nvrtc_option_fault(log, "%s (%s) expects true or false", row->name,
                           row->brief);
    } else if (row->value == VALUE_EQUALS) {
        nvrtc_option_fault(log, "unrecognized option %s found: write %s=value",
                           row->name, row->brief);
    } else {
        nvrtc_option_fault(log, "%s (%s) expects a value", row->name,
                           row->brief);
    }
    return NULL;
}

/* Applies the option `text`, which is texts[*i]. Increments *i if the option's
 * value is the next element of `texts`. */
static bool
option_read(struct nvrtc_options *options, int *i, int count,
            const char *const *texts, const char *text, struct nvrtc_text *log)
{
    const char *spelling, *value;
    const struct option_row *row = nvrtc_option_find(text, &spelling, &value);

    if (row == NULL) {
        return nvrtc_option_fault(log, "unrecognized option %s found", text);
    }
    if (row->value == VALUE_NONE && value &&
        strcmp(row->name, "--no-cache") != 0) {
        return nvrtc_option_fault(log, "%s (%s) does not accept any argument",
                                  row->name, row->brief);
    }
    value = value_take(row, value, i, count, texts, log);
    if (value == NULL || !nvrtc_option_check(row, value, log)) {
        return false;
    }
    if (!strcmp(row->name, "--frandom-seed") && *value == 0) {
        return nvrtc_option_fault(log, "must specify seed value with "
                                       "-frandom-seed flag "
                                       "(-frandom-seed=seed)");
    }
    bool on = strcmp(value, "false") != 0;
    return code_apply(options, row->kind, value, on) ||
           flag_apply(options, row->kind) ||
           source_apply(options, row, value, log);
}

/* Applies the option texts[*i], whose leading and trailing blanks are ignored.
 * Advances *i if the option's value is the next text. */
static bool
text_read(struct nvrtc_options *options, int *i, int count,
          const char *const *texts, struct nvrtc_text *log)
{
    const char *text = texts[*i] + strspn(texts[*i], " ");
    size_t n = strlen(text);

    while (n && text[n - 1] == ' ') {
        n--;
    }
    if (n == 0) {
        return true;
    }
    /* The values of options point into the copies in options->trimmed, which
     * exist as long as `options`. */
    nvrtc_strings_add(&options->trimmed, "%.*s", (int)n, text);
    if (options->trimmed.failed) {
        return nvrtc_option_fault(log, "out of memory");
    }
    text = options->trimmed.word[options->trimmed.count - 1];
    return option_read(options, i, count, texts, text, log);
}

/* Called after all options are parsed: applies options whose effect depends on
 * other options. Returns false if options contradict each other. */
static bool
options_finish(struct nvrtc_options *options, struct nvrtc_text *log)
{
    bool lto = options->output == NVRTC_OUTPUT_LTO;

    if (lto && options->whole_program) {
        return nvrtc_option_fault(log,
                                  "-dlto is not compatible with -rdc=false");
    }
    options->relocatable |= lto;
    if (options->relocatable) {
        macro_add(options, "__CUDACC_RDC__");
    }
    options->relocatable |= options->output == NVRTC_OUTPUT_OPTIX;
    if (options->debug && !options->optimized) {
        nvrtc_strings_add(&options->jit, "-O0");
    }
    if (options->float128 && options->arch < FLOAT128_SINCE) {
        return nvrtc_option_fault(log,
                                  "option --device-float128 is not supported "
                                  "on architectures earlier than sm_%d",
                                  FLOAT128_SINCE);
    }
    return true;
}

/* Returns true if an append to one of the lists has failed for lack of
 * memory. */
static bool
options_failed(const struct nvrtc_options *options)
{
    return options->language.failed || options->preprocess.failed ||
           options->preincludes.failed || options->diagnostics.failed ||
           options->jit.failed || options->entries.failed ||
           options->trimmed.failed;
}

nvrtcResult
nvrtc_options_parse(struct nvrtc_options *options, int count,
                    const char *const *texts, struct nvrtc_text *log)
{
    bool right = true;

    options->result = NVRTC_ERROR_INVALID_OPTION;
    for (int i = 0; i < count; i++) {
        if (texts[i] == NULL) {
            right = nvrtc_option_fault(log, "option is a null pointer");
        } else if (!text_read(options, &i, count, texts, log)) {
            right = false;
        }
    }
    right = options_finish(options, log) && right;
    if (options_failed(options)) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    return right ? NVRTC_SUCCESS : options->result;
}

void
nvrtc_options_free(struct nvrtc_options *options)
{
    nvrtc_strings_free(&options->language);
    nvrtc_strings_free(&options->preprocess);
    nvrtc_strings_free(&options->preincludes);
    nvrtc_strings_free(&options->diagnostics);
    nvrtc_strings_free(&options->jit);
    nvrtc_strings_free(&options->entries);
    nvrtc_strings_free(&options->trimmed);
}
