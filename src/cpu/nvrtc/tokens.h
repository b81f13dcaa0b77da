/* tokens.h - reading a source token by token.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_TOKENS_H
#define PYCUDA_CPU_NVRTC_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

struct nvrtc_token {
    const char *start; /* NULL: none */
    size_t n;
};

/* Set `at` to the source and `line_begins` to true. */
struct nvrtc_tokens {
    const char *at;
    bool line_begins;
    bool directives;      /* read them too, instead of passing over */
    const char *line_end; /* of the last directive; NULL: none was read */
    struct nvrtc_token before, last;
};

/* Reads the next token into `last`, and what was there into `before`; false:
 * the source ends.  A directive begins with the token '#', and its other
 * tokens lie before `line_end`. */
bool nvrtc_token_read(struct nvrtc_tokens *tokens);
bool nvrtc_token_is(struct nvrtc_token token, const char *text);
/* Is it a name or keyword? */
bool nvrtc_token_is_name(struct nvrtc_token token);

#endif
