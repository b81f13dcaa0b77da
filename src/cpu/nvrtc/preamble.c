/* preamble.c - finds the preamble: the leading includes of a source.
 *
 * Called by compile.c. Includes of package headers at the beginning of a
 * source have the same meaning in every source, so pch.c can precompile them.
 * The preamble ends at the first line that is not a plain include of a package
 * header, such as a macro, a condition or an include of the user's header. The
 * preamble also ends at a line that this file cannot classify; the remaining
 * lines are then compiled as text. The preamble is empty if an option gives
 * the package's headers another meaning. Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/nvrtc/cccl.h"
#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/preamble.h"
#include "cpu/nvrtc/text.h"

/* First line of a source that pycuda.compiler has wrapped in extern "C". */
static const char linkage[] = "extern \"C\" {\n";
static const char directive_line[] = "#line ";

struct reader {
    const char *at;
    const char *headers;
    const struct nvrtc_options *options;
    /* the preamble includes a header that is long enough to be worth
     * precompiling */
    bool costly;
};

/* ---- lines ---- */

/* Returns true if the `n` bytes may contain a line continuation: a backslash,
 * or "??", which may begin the trigraph for a backslash. */
static bool
may_continue(const char *text, size_t n)
{
    return memchr(text, '\\', n) || memmem(text, n, "??", 2);
}

/* Skips a comment. Returns false if there is none or its end is uncertain. */
static bool
comment_skip(struct reader *reader)
{
    const char *at = reader->at, *end = NULL;

    if (!strncmp(at, "//", 2)) {
        end = at + strcspn(at, "\n");
    } else if (!strncmp(at, "/*", 2)) {
        end = strstr(at + 2, "*/");
        end = end ? end + 2 : NULL;
    }
    if (end == NULL || may_continue(at, (size_t)(end - at))) {
        return false;
    }
    reader->at = end;
    return true;
}

static void
blank_skip(struct reader *reader)
{
    do {
        reader->at += strspn(reader->at, " \t\r\n");
    } while (comment_skip(reader));
}

/* Skips a line directive such as `#line 1 "kernel.cu"`. */
static void
line_directive_skip(struct reader *reader)
{
    size_t n = strcspn(reader->at, "\n");

    if (!strncmp(reader->at, directive_line, sizeof directive_line - 1) &&
        !may_continue(reader->at, n) && !memmem(reader->at, n, "/*", 2)) {
        reader->at += n;
    }
}

/* ---- includes ---- */

struct name {
    char text[128];
    bool quoted;
};

/* Reads `#include <name>` up to the end of the line, or up to a comment.
 * Returns false if the line is no such directive. */
static bool
include_read(struct reader *reader, struct name *name)
{
    static const char word[] = "include";
    const char *at = reader->at;

    if (*at++ != '#') {
        return false;
    }
    at += strspn(at, " \t");
    if (strncmp(at, word, sizeof word - 1) != 0) {
        return false;
    }
    at += sizeof word - 1;
    at += strspn(at, " \t");
    name->quoted = *at == '"';
    if (*at != '<' && *at != '"') {
        return false;
    }
    at++;
    size_t n = strcspn(at, "<>\"\\? \t\r\n");
    if (at[n] != (name->quoted ? '"' : '>') || n >= sizeof name->text) {
        return false;
    }
    snprintf(name->text, sizeof name->text, "%.*s", (int)n, at);
    at += n + 1;
    at += strspn(at, " \t\r");
    if (*at != '\n' && *at != 0 && strncmp(at, "//", 2) != 0) {
        return false;
    }
    reader->at = at;
    return true;
}

/* ---- owner of a header ---- */

/* Returns true if CCCL is used and the header is CCCL's, or one of the
 * package's additions to it. */
static bool
is_cccl(const struct reader *reader, const char *name)
{
    const char *cccl = reader->options->cccl;
    bool found = cccl && nvrtc_cccl_contains(cccl, name);

    for (const char *const *dir = nvrtc_cccl_dirs; cccl && *dir; dir++) {
        found = found || nvrtc_headers_contain(reader->headers, *dir, name);
    }
    return found;
}

/* Returns true for a header of the package or CCCL, and sets reader->costly if
 * the header is worth precompiling. Headers that are only in the first folder
 * of nvrtc_header_dirs replace headers of the C library; they are so short
 * that precompiling them saves no time. */
static bool
is_ours(struct reader *reader, const struct name *name)
{
    const char *const *dirs = nvrtc_header_dirs;
    const char *text = name->text;
    bool found = nvrtc_headers_contain(reader->headers, *dirs, text);
    bool costly =
        !strncmp(text, "pycuda-", 7) &&
        nvrtc_headers_among(reader->headers, &reader->options->preprocess) &&
        nvrtc_headers_contain(reader->headers, ".", text);

    if (text[0] == '/' || strstr(text, "..") ||
        (name->quoted && access(text, F_OK) == 0)) {
        return false;
    }
    while (*++dirs) {
        costly = costly || nvrtc_headers_contain(reader->headers, *dirs, text);
    }
    costly = costly || is_cccl(reader, text);
    reader->costly = reader->costly || costly;
    return found || costly;
}

/* Returns true if `folder` has headers with names of the package's headers,
 * or, if CCCL is used, with names of CCCL's headers. */
static bool
is_shadowing(const struct reader *reader, const char *folder)
{
    return nvrtc_headers_shadowed(reader->headers, folder) ||
           (reader->options->cccl && nvrtc_cccl_contains(folder, "cub"));
}

/* Returns true if the options do not change the meaning of the headers. */
static bool
options_allow(const struct reader *reader, const char *folder)
{
    const struct nvrtc_strings *words = &reader->options->preprocess;

    if (reader->options->device_default ||
        (folder[0] && is_shadowing(reader, folder))) {
        return false;
    }
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->word[i];
        if (!strncmp(word, "-I", 2) &&
            !nvrtc_headers_are_only(reader->headers, word) &&
            !(reader->options->cccl && nvrtc_cccl_is_include(word)) &&
            is_shadowing(reader, word + 2)) {
            return false;
        }
    }
    return nvrtc_headers_undefined(reader->headers, words) &&
           (reader->options->cccl == NULL || nvrtc_cccl_undefined(words));
}

void
nvrtc_preamble_read(struct nvrtc_text *lines, const char *source,
                    const char *headers, const struct nvrtc_options *options,
                    const char *folder)
{
    struct reader reader = {source, headers, options, false};
    size_t n = sizeof linkage - 1;
    bool wrapped = !strncmp(source, linkage, n);
    struct name name;

    if (wrapped) {
        nvrtc_text_print(lines, "%s", linkage);
        reader.at += n;
    }
    line_directive_skip(&reader);
    blank_skip(&reader);
    while (include_read(&reader, &name) && is_ours(&reader, &name)) {
        nvrtc_text_print(lines, "#include <%s>\n", name.text);
        blank_skip(&reader);
    }
    if (wrapped) {
        nvrtc_text_print(lines, "}\n");
    }
    if (!reader.costly || lines->failed || !options_allow(&reader, folder)) {
        nvrtc_text_free(lines);
    }
}
