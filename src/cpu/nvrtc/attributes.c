/* attributes.c - gives all space attributes of a source the same spelling, and
 * finds macros that contain a given word.
 *
 * Called by frontend_retry.c for the text of a source. A memory or execution
 * space such as __constant__ may also be written as a GNU attribute:
 * __attribute__((constant, used)). Such a list is rewritten as __constant__
 * __attribute__((used)), so that the code that examines or edits sources finds
 * one spelling of each space. Included files are not changed. If the new text
 * is shorter than the old one, it is padded with blanks, so that the columns
 * of later code do not change. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/attributes.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/tokens.h"

/* ---- lists of attributes ---- */

static const char *const spaces[] = {"global", "device",   "host",
                                     "shared", "constant", "managed"};

/* If the attribute `name` is a memory or execution space of CUDA, returns it
 * without underscores: "shared" for `shared` or `__shared__`. Otherwise
 * returns NULL. */
static const char *
space_find(struct nvrtc_token name)
{
    if (name.n > 4 && !memcmp(name.start, "__", 2) &&
        !memcmp(name.start + name.n - 2, "__", 2)) {
        name = (struct nvrtc_token){name.start + 2, name.n - 4};
    }
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (nvrtc_token_is(name, spaces[i])) {
            return spaces[i];
        }
    }
    return NULL;
}

/* The attributes of one __attribute__((...)) list, as source text. */
struct list {
    /* attributes that are CUDA's memory or execution spaces, as text:
     * "__device__ __shared__ " */
    struct nvrtc_text spaces;
    /* all other attributes of the list, as text: "used, aligned(4)" */
    struct nvrtc_text others;
};

/* Adds an attribute to the list. Its text begins with the token `name` and
 * ends at `end`. */
static void
attribute_add(struct list *list, struct nvrtc_token name, const char *end)
{
    const char *space;

    if (name.start == NULL) {
        return;
    }
    space = name.start + name.n == end ? space_find(name) : NULL;
    if (space) {
        nvrtc_text_print(&list->spaces, "__%s__ ", space);
    } else {
        nvrtc_text_print(&list->others, "%s%.*s",
                         list->others.length ? ", " : "",
                         (int)(end - name.start), name.start);
    }
}

/* Reads the attributes after the word __attribute__ into `list`, up to the
 * last parenthesis. Returns false if they are not in double parentheses. */
static bool
list_read(struct list *list, struct nvrtc_tokens *tokens)
{
    struct nvrtc_token name = {0};
    int depth = 0;

    do {
        const char *end = tokens->last.start + tokens->last.n;
        if (!nvrtc_token_read(tokens)) {
            return false;
        }
        char c = *tokens->last.start;
        depth += c == '(';
        depth -= c == ')';
        if (depth < 2 && c != '(' && c != ')') {
            return false;
        }
        if ((depth == 2 && c == ',') || (depth == 1 && c == ')')) {
            attribute_add(list, name, end);
            name = (struct nvrtc_token){0};
        } else if (depth == 2 && name.start == NULL && c != '(') {
            name = tokens->last;
        }
    } while (depth > 0);
    return true;
}

/* Called after the word __attribute__ was read. If the list after it contains
 * a memory or execution space of CUDA, adds an edit that rewrites the list. */
static void
list_mark(struct nvrtc_edits *edits, const char *source,
          struct nvrtc_tokens *tokens)
{
    const char *start = tokens->last.start;
    struct nvrtc_tokens lookahead = *tokens;
    struct list list = {0};

    bool well = list_read(&list, &lookahead);
    size_t length = (size_t)(lookahead.at - start);
    if (well && list.spaces.length && !memchr(start, '\n', length)) {
        if (list.others.length) {
            nvrtc_text_print(&list.spaces, "__attribute__((%s)) ",
                             list.others.bytes);
        }
        int pad = (int)length - (int)list.spaces.length;
        nvrtc_edits_add(edits, (size_t)(start - source), length, "%s%*s",
                        list.spaces.bytes, pad > 0 ? pad : 0, "");
        edits->failed |= list.spaces.failed || list.others.failed;
        *tokens = lookahead;
    }
    nvrtc_text_free(&list.spaces);
    nvrtc_text_free(&list.others);
}

/* Returns true if the source has its own definition of a word such as
 * __device__, as in #define __device__ __attribute__((device)). */
static bool
defines_space(const char *source)
{
    struct nvrtc_tokens tokens = {
        .at = source, .line_begins = true, .directives = true};

    while (nvrtc_token_read(&tokens)) {
        if (nvrtc_token_is(tokens.before, "define") &&
            *tokens.last.start == '_' && space_find(tokens.last)) {
            return true;
        }
    }
    return false;
}

void
nvrtc_attributes_mark(struct nvrtc_edits *edits, const char *source)
{
    struct nvrtc_tokens tokens = {
        .at = source, .line_begins = true, .directives = true};

    if (strstr(source, "__attribute") == NULL || defines_space(source)) {
        return;
    }
    while (nvrtc_token_read(&tokens)) {
        if (nvrtc_token_is(tokens.last, "__attribute__") ||
            nvrtc_token_is(tokens.last, "__attribute")) {
            list_mark(edits, source, &tokens);
        }
    }
}

/* ---- macros ---- */

static bool
tokens_equal(struct nvrtc_token one, struct nvrtc_token other)
{
    return one.n == other.n && !memcmp(one.start, other.start, one.n);
}

bool
nvrtc_macros_have(const struct nvrtc_macros *macros, struct nvrtc_token name)
{
    for (size_t i = 0; i < macros->count; i++) {
        if (tokens_equal(macros->names[i], name)) {
            return true;
        }
    }
    return false;
}

/* Reads the tokens of a macro's text up to `end`. Returns true if a token is
 * `word` or the name of a macro in `macros`. */
static bool
text_has(const struct nvrtc_macros *macros, struct nvrtc_tokens *tokens,
         const char *end, const char *word)
{
    while (tokens->at < end && nvrtc_token_read(tokens) &&
           tokens->last.start < end) {
        if (nvrtc_token_is(tokens->last, word) ||
            nvrtc_macros_have(macros, tokens->last)) {
            return true;
        }
    }
    return false;
}

void
nvrtc_macros_find(struct nvrtc_macros *macros, const char *source,
                  const char *word)
{
    struct nvrtc_tokens tokens = {
        .at = source, .line_begins = true, .directives = true};

    while (nvrtc_token_read(&tokens)) {
        const char *end = tokens.line_end;
        tokens.line_end = NULL;
        if (end == NULL || !nvrtc_token_read(&tokens) ||
            !nvrtc_token_is(tokens.last, "define") ||
            !nvrtc_token_read(&tokens)) {
            continue;
        }
        struct nvrtc_token name = tokens.last;
        if (name.start[name.n] != '(' &&
            text_has(macros, &tokens, end, word) &&
            macros->count < NVRTC_MACROS_MOST) {
            macros->names[macros->count++] = name;
        }
    }
}
