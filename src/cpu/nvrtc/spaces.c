/* spaces.c - excludes kernels while all functions are device functions.
 *
 * Called by attempts.c. A pragma makes every function without an execution
 * space a device function. Clang then applies that space to kernels, too, and
 * rejects a kernel's second declaration. Therefore the pragma ends before each
 * __global__ and begins again after the kernel's head. __global__ may be in a
 * macro of the source; macros of included files are not examined. Thread-safe,
 * without state.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/nvrtc/nvrtc.h"
#include "cpu/nvrtc/tokens.h"

#define MACROS_MOST 64

/* A sequence of tokens: the file, or the text of a macro. */
struct stretch {
    bool in_head; /* inside the head of a kernel */
    int depth;    /* nesting depth of its parentheses */
};

struct marker {
    struct nvrtc_edits *edits;
    const char *source;
    struct nvrtc_token macros[MACROS_MOST]; /* macros that begin a kernel */
    size_t macro_count;
};

static bool
begins_kernel(const struct marker *marker, struct nvrtc_token token)
{
    for (size_t i = 0; i < marker->macro_count; i++) {
        if (marker->macros[i].n == token.n &&
            !memcmp(marker->macros[i].start, token.start, token.n)) {
            return true;
        }
    }
    return false;
}

static void
edit_at(const struct marker *marker, const char *at, const char *text)
{
    nvrtc_edits_add(marker->edits, (size_t)(at - marker->source), 0, "%s",
                    text);
}

static void
token_mark(const struct marker *marker, struct stretch *stretch,
           struct nvrtc_token token)
{
    bool word = nvrtc_token_is(token, "__global__");

    if (word) {
        edit_at(marker, token.start,
                "_Pragma(\"clang force_cuda_host_device end\") ");
    }
    if (word || begins_kernel(marker, token)) {
        *stretch = (struct stretch){.in_head = true};
    } else if (stretch->in_head && token.n == 1) {
        stretch->depth += strchr("([", *token.start) != NULL;
        stretch->depth -= strchr(")]", *token.start) != NULL;
        if (stretch->depth == 0 && strchr(";{", *token.start)) {
            edit_at(marker, token.start + 1,
                    " _Pragma(\"clang force_cuda_host_device begin\")");
            stretch->in_head = false;
        }
    }
}

/* Edits the text of a macro, if the directive that has just begun defines
 * one. */
static void
directive_mark(struct marker *marker, struct nvrtc_tokens *tokens)
{
    const char *end = tokens->line_end;
    struct stretch stretch = {0};

    if (nvrtc_token_read(tokens) && nvrtc_token_is(tokens->last, "define") &&
        nvrtc_token_read(tokens)) {
        struct nvrtc_token name = tokens->last;
        while (tokens->at < end && nvrtc_token_read(tokens) &&
               tokens->last.start < end) {
            token_mark(marker, &stretch, tokens->last);
        }
        if (stretch.in_head && marker->macro_count < MACROS_MOST) {
            marker->macros[marker->macro_count++] = name;
        }
    }
    tokens->at = end;
}

void
nvrtc_kernels_mark(struct nvrtc_edits *edits, const char *source)
{
    struct nvrtc_tokens tokens = {
        .at = source, .line_begins = true, .directives = true};
    struct marker marker = {.edits = edits, .source = source};
    struct stretch file = {0};

    while (nvrtc_token_read(&tokens)) {
        if (tokens.line_end) {
            directive_mark(&marker, &tokens);
            tokens.line_end = NULL;
        } else {
            token_mark(&marker, &file, tokens.last);
        }
    }
}
