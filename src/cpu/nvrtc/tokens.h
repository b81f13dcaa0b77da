/* tokens.h - reads a source token by token. Thread-safe.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_TOKENS_H
#define PYCUDA_CPU_NVRTC_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

struct nvrtc_token {
    const char *start; /* start of the token in the source; NULL: no token */
    size_t n;
};

/* State of a token reader. To begin, set `at` to the start of the source and
 * `line_begins` to true; `at` then advances. */
struct nvrtc_tokens {
    const char *at;
    bool line_begins;
    /* true: preprocessor directives (#...) are read as tokens; false: they are
     * skipped */
    bool directives;
    /* end of the preprocessor directive that the reader has entered last;
     * NULL: no directive so far */
    const char *line_end;
    struct nvrtc_token before, last;
};

/* Reads the next token into `last`, and moves the previous one to `before`.
 * Returns false at the end of the source. A directive begins with the token
 * '#', and its other tokens end at `line_end`. */
bool nvrtc_token_read(struct nvrtc_tokens *tokens);
/* Returns true if the token equals the text. */
bool nvrtc_token_is(struct nvrtc_token token, const char *text);
/* Returns true for a name or keyword. */
bool nvrtc_token_is_name(struct nvrtc_token token);

#endif
