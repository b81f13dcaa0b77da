/* execution_spaces.c - excludes kernels from a pragma for device functions.
 *
 * Called by frontend_retry.c. The pragma `clang force_cuda_host_device` makes
 * every function without an execution space (__device__, __global__, ...) a
 * device function. Clang applies it to kernels, too, and then rejects a kernel
 * that is declared twice. Therefore the pragma is ended before each __global__
 * and begun again after the kernel's head (its declaration up to ';' or '{').
 * __global__ may be in a macro of the source; macros of included files are not
 * examined. Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/attributes.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/execution_spaces.h"
#include "cpu/nvrtc/tokens.h"

/* State while the tokens of the source, or those of one macro's text, are
 * read. */
struct token_sequence {
    /* the last token is inside the head of a kernel (its declaration up to ';'
     * or '{') */
    bool in_head;
    int depth; /* number of open parentheses and brackets in the head */
};

struct marker {
    struct nvrtc_edits *edits;
    const char *source;
    /* macros of the source whose text contains __global__ */
    struct nvrtc_macros macros;
};

static void
edit_at(const struct marker *marker, const char *at, const char *text)
{
    nvrtc_edits_add(marker->edits, (size_t)(at - marker->source), 0, "%s",
                    text);
}

static void
token_mark(const struct marker *marker, struct token_sequence *stretch,
           struct nvrtc_token token)
{
    bool word = !stretch->in_head && nvrtc_token_is(token, "__global__");

    if (word) {
        edit_at(marker, token.start,
                "_Pragma(\"clang force_cuda_host_device end\") ");
    }
    if (word || nvrtc_macros_have(&marker->macros, token)) {
        *stretch = (struct token_sequence){.in_head = true};
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

/* Reads the directive whose '#' has just been read. If it is a #define, edits
 * the macro's text. */
static void
directive_mark(struct marker *marker, struct nvrtc_tokens *tokens)
{
    const char *end = tokens->line_end;
    struct token_sequence stretch = {0};

    if (nvrtc_token_read(tokens) && nvrtc_token_is(tokens->last, "define") &&
        nvrtc_token_read(tokens)) {
        struct nvrtc_token name = tokens->last;
        while (tokens->at < end && nvrtc_token_read(tokens) &&
               tokens->last.start < end) {
            token_mark(marker, &stretch, tokens->last);
        }
        if (stretch.in_head && marker->macros.count < NVRTC_MACROS_MOST) {
            marker->macros.names[marker->macros.count++] = name;
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
    struct token_sequence file = {0};

    while (nvrtc_token_read(&tokens)) {
        if (tokens.line_end) {
            directive_mark(&marker, &tokens);
            tokens.line_end = NULL;
        } else {
            token_mark(&marker, &file, tokens.last);
        }
    }
}
