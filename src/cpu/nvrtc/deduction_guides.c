/* deduction_guides.c - marks the deduction guides of a source as __device__.
 *
 * Called by frontend_retry.c for the text of a source. nvcc accepts `box(T) ->
 * box<T>;` without an annotation; clang regards it as a host function and
 * ignores it. The source is read as tokens, so that comments, literals and
 * directives are skipped. Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/deduction_guides.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/tokens.h"

/* Maximum depth of nested parentheses; deeper ones are ignored. */
#define OPEN_CALLS_MAX 64

/* The two tokens before a '(' in the source: a name, and the token before this
 * name. */
struct call {
    struct nvrtc_token name, before;
};

struct reader {
    struct nvrtc_tokens tokens;
    struct call open[OPEN_CALLS_MAX];
    struct call closed; /* the call whose ')' was read last */
    size_t depth;
};

/* Processes the last token if it is a parenthesis: '(' pushes the name before
 * it to reader->open, ')' pops the name to reader->closed. */
static void
parenthesis_record(struct reader *reader, struct nvrtc_token before_name)
{
    switch (*reader->tokens.last.start) {
    case '(':
        if (reader->depth < OPEN_CALLS_MAX) {
            reader->open[reader->depth] =
                (struct call){reader->tokens.before, before_name};
        }
        reader->depth++;
        break;
    case ')':
        reader->closed = (struct call){0};
        if (reader->depth && --reader->depth < OPEN_CALLS_MAX) {
            reader->closed = reader->open[reader->depth];
        }
        break;
    }
}

/* Returns true if a deduction guide can begin after the token before
 * call->name: after the end of a declaration, after `explicit`, or after the
 * '>' of template<...>. */
static bool
may_begin(const struct call *call)
{
    struct nvrtc_token before = call->before;

    return nvrtc_token_is_name(call->name) &&
           (before.start == NULL || nvrtc_token_is(before, "explicit") ||
            (before.n == 1 && strchr(">;{}:)", *before.start)));
}

/* Returns true if the next tokens are `name<...>;`, as after the arrow of the
 * guide `name(T) -> name<T>;`. `tokens` is a copy, so the caller's position is
 * unchanged. */
static bool
arguments_follow(struct nvrtc_tokens tokens, struct nvrtc_token name)
{
    if (!nvrtc_token_read(&tokens) || tokens.last.n != name.n ||
        memcmp(tokens.last.start, name.start, name.n) != 0 ||
        !nvrtc_token_read(&tokens) || *tokens.last.start != '<') {
        return false;
    }
    while (nvrtc_token_read(&tokens) && !strchr(";{}", *tokens.last.start)) {
    }
    return nvrtc_token_is(tokens.last, ";") &&
           nvrtc_token_is(tokens.before, ">");
}

/* Returns true if the last token is the arrow of a deduction guide. */
static bool
is_guide(const struct reader *reader)
{
    return nvrtc_token_is(reader->tokens.last, "->") &&
           nvrtc_token_is(reader->tokens.before, ")") &&
           may_begin(&reader->closed) &&
           arguments_follow(reader->tokens, reader->closed.name);
}

void
nvrtc_deduction_guides_mark(struct nvrtc_edits *edits, const char *source)
{
    struct reader reader = {.tokens = {.at = source, .line_begins = true}};
    struct nvrtc_token before_name = {0};
    bool arrows = strstr(source, "->") != NULL;

    while (arrows && nvrtc_token_read(&reader.tokens)) {
        if (is_guide(&reader)) {
            nvrtc_edits_add(edits, (size_t)(reader.closed.name.start - source),
                            0, "__host__ __device__ ");
        }
        parenthesis_record(&reader, before_name);
        before_name = reader.tokens.before;
    }
}
