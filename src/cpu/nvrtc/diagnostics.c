/* diagnostics.c - decides which of clang's warnings are errors in NVRTC.
 *
 * Called by frontend_retry.c and compile.c with the messages of a child
 * process. Clang accepts features of later standards, and a few other things,
 * with a warning. Most of them are errors in NVRTC: their warnings become
 * errors in the program's log, at the same position. Warnings about code that
 * NVRTC accepts without a warning are not added to the log. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/diagnostics.h"
#include "cpu/nvrtc/text.h"

static const char warning[] = ": warning: ";
static const char error[] = ": error: ";

/* The groups of clang's warnings about features of later standards. */
static const char *const groups[] = {
    "[-Wc++14-extensions]", "[-Wc++17-extensions]", "[-Wc++20-extensions]",
    "[-Wc++23-extensions]", "[-Wc++14-binary-literal]"};

/* Texts of warnings that do not become errors although their group is in the
 * list `groups`: NVRTC accepts the code in every C++ standard. Template
 * parameters of lambdas are included, since nvcc accepts them. */
static const char *const harmless[] = {
    "passing no argument for the '...'",
    "explicit template parameter list for",
    "template template parameter using 'typename'",
    "label at end of compound statement",
    "'static_assert' with no message",
    "label followed by a declaration",
    "default member initializer for non-static",
    "' attribute is a C++"};

/* Texts of warnings, in other groups than the list `groups`, about code that
 * is an error in NVRTC. */
static const char *const refused[] = {
    "duplicate 'inline' declaration specifier",
    "'shared' attribute only applies to",
    "'constant' attribute only applies to",
    "'noinline' attribute only applies to",
    "constexpr constructor never produces a constant expression"};

/* Texts of warnings about code that NVRTC accepts without a warning. These
 * warnings are not in a group of the list `groups`. */
static const char *const silent[] = {
    "constexpr function never produces a constant expression",
    "[-Wdeprecated-register]"};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Returns true if one of the texts is in the line of `n` bytes. */
static bool
has_one(const char *line, size_t n, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (memmem(line, n, texts[i], strlen(texts[i]))) {
            return true;
        }
    }
    return false;
}

enum verdict { KEEP, DROP, REFUSE };

/* Decides what happens to the warning in a line of `n` bytes. Warnings about
 * headers in the folder `own`, those of the package, never become errors. */
static enum verdict
line_judge(const char *line, size_t n, const char *own)
{
    if (has_one(line, n, groups, COUNT(groups))) {
        bool is_own = *own && !strncmp(line, own, strlen(own));
        return is_own || has_one(line, n, harmless, COUNT(harmless)) ? DROP
                                                                     : REFUSE;
    }
    if (has_one(line, n, refused, COUNT(refused))) {
        return REFUSE;
    }
    return has_one(line, n, silent, COUNT(silent)) ? DROP : KEEP;
}

static bool
has(const char *line, size_t n, const char *text)
{
    return memmem(line, n, text, strlen(text)) != NULL;
}

/* Returns true for clang's line "In file included from ..." before a message,
 * and for the continuation lines of this line. */
static bool
is_inclusion(const char *line)
{
    static const char first[] = "In file included from ";
    static const char next[] = "                 from ";

    return !strncmp(line, first, sizeof first - 1) ||
           !strncmp(line, next, sizeof next - 1);
}

/* Adds the text from `start` to `end` to the log. The last line of the text,
 * at `line`, is a warning; its word "warning" is replaced by "error". */
static void
refusal_add(struct nvrtc_text *log, const char *start, const char *line,
            const char *end)
{
    const char *at =
        memmem(line, (size_t)(end - line), warning, strlen(warning));

    nvrtc_text_add(log, start, (size_t)(at - start));
    nvrtc_text_print(log, "%s", error);
    at += strlen(warning);
    nvrtc_text_add(log, at, (size_t)(end - at));
}

bool
nvrtc_diagnostics_add(struct nvrtc_text *log, const struct nvrtc_text *said,
                      const char *own)
{
    /* Leave out clang's last line, such as "2 errors generated when compiling
     * for sm_70": it names a GPU that the program has not requested. */
    static const char count[] = " generated when compiling for sm_";
    const char *line = said->bytes ? said->bytes : "";
    const char *start = line; /* first line that is not in the log yet */
    enum verdict verdict = KEEP;
    bool any = false;

    while (*line) {
        size_t n = strcspn(line, "\n");
        const char *end = line + n + (line[n] == '\n');
        /* line of source code that clang quotes below a message, or the
         * caret line */
        bool is_quoted = *line == ' ';
        if (is_inclusion(line)) {
            line = end;
            continue;
        }
        if (!is_quoted && has(line, n, warning)) {
            verdict = line_judge(line, n, own);
        } else if (!is_quoted &&
                   (has(line, n, error) || has(line, n, count))) {
            verdict = KEEP;
        }
        if (verdict == REFUSE && !is_quoted && has(line, n, warning)) {
            any = true;
            refusal_add(log, start, line, end);
        } else if (verdict != DROP && !has(line, n, count)) {
            nvrtc_text_add(log, start, (size_t)(end - start));
        }
        line = start = end;
    }
    return any;
}
