/* space_places.c - corrects memory spaces that clang would apply to a type.
 *
 * Called by frontend_retry.c for the text of a source. In `struct P {...}
 * __constant__ c;` NVRTC applies the memory space __constant__ to the variable
 * c. Clang applies it to the class P, where it has no meaning, and c gets no
 * memory space. After an empty attribute, as in `struct P {...} [[]]
 * __constant__ c;`, clang applies the memory space to c, too, so [[]] is
 * inserted. A memory space in a typedef is removed, since NVRTC ignores it,
 * with a warning. Included files and sources that name __PYCUDA_CPU__ are not
 * changed. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/space_places.h"
#include "cpu/nvrtc/tokens.h"

enum { BRACES_MOST = 256 };

/* The declaration that is being read, or the rest of it after a '}'. */
struct declaration {
    bool is_typedef;
    /* the declaration contains struct, class, union or enum, and after that no
     * '(' or '=' */
    bool has_class;
    /* the previous token, apart from attributes, is the '}' of a class */
    bool is_after;
};

struct reader {
    struct nvrtc_tokens tokens;
    struct nvrtc_edits *edits;
    const char *source;
    struct declaration now;
    /* the enclosing declarations: their '{' was read, their '}' was not yet */
    struct declaration outer[BRACES_MOST];
    size_t depth;
};

static bool
is_one_of(struct nvrtc_token token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nvrtc_token_is(token, words[i])) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(token, words)                                               \
    is_one_of(token, words, sizeof(words) / sizeof *(words))

static const char *const attributes[] = {"__align__", "__attribute__",
                                         "alignas"};

/* Skips the argument list of an attribute if a '(' follows. */
static void
arguments_skip(struct nvrtc_tokens *tokens)
{
    struct nvrtc_tokens lookahead = *tokens;
    int depth = 0;

    if (!nvrtc_token_read(&lookahead) || *lookahead.last.start != '(') {
        return;
    }
    do {
        if (!nvrtc_token_read(tokens)) {
            return;
        }
        depth += *tokens->last.start == '(';
        depth -= *tokens->last.start == ')';
    } while (depth > 0);
}

/* Called when the parser has consumed a memory-space specifier such as
 * __shared__. Removes the specifier from a typedef. If the specifier follows
 * the '}' of a class, inserts an empty attribute list [[]] before it. */
static void
space_take(struct reader *reader)
{
    struct nvrtc_token space = reader->tokens.last;
    size_t at = (size_t)(space.start - reader->source);

    if (reader->now.is_typedef) {
        nvrtc_edits_add(reader->edits, at, space.n, "%*s", (int)space.n, "");
    } else if (reader->now.is_after) {
        nvrtc_edits_add(reader->edits, at, 0, "[[]] ");
        reader->now.is_after = false;
    }
}

static void
word_take(struct reader *reader)
{
    static const char *const spaces[] = {"__device__", "__shared__",
                                         "__constant__", "__managed__"};
    static const char *const classes[] = {"struct", "class", "union", "enum"};
    struct nvrtc_token token = reader->tokens.last;
    struct declaration *now = &reader->now;

    if (IS_ONE_OF(token, spaces)) {
        space_take(reader);
    } else if (IS_ONE_OF(token, attributes)) {
        arguments_skip(&reader->tokens);
    } else {
        now->is_after = false;
        now->is_typedef |= nvrtc_token_is(token, "typedef");
        now->has_class |= IS_ONE_OF(token, classes);
    }
}

/* Updates the state for a token that is not a name: a brace, semicolon,
 * parenthesis or operator. */
static void
mark_take(struct reader *reader)
{
    struct declaration *now = &reader->now;
    char c = *reader->tokens.last.start;

    if (c == '{') {
        reader->outer[reader->depth++ % BRACES_MOST] = *now;
        *now = (struct declaration){0};
    } else if (c == '}') {
        struct declaration outer = {0};
        if (reader->depth > 0) {
            outer = reader->outer[--reader->depth % BRACES_MOST];
        }
        *now = (struct declaration){.is_typedef =
                                        outer.is_typedef && outer.has_class,
                                    .is_after = outer.has_class};
    } else if (c == ';') {
        *now = (struct declaration){0};
    } else {
        now->is_after = false;
        now->has_class &= c != '(' && c != '=';
    }
}

void
nvrtc_space_places_mark(struct nvrtc_edits *edits, const char *source)
{
    struct reader reader = {.tokens = {.at = source, .line_begins = true},
                            .edits = edits,
                            .source = source};

    if (strstr(source, "__PYCUDA_CPU__")) {
        return;
    }
    while (nvrtc_token_read(&reader.tokens)) {
        if (nvrtc_token_is_name(reader.tokens.last)) {
            word_take(&reader);
        } else {
            mark_take(&reader);
        }
    }
}
