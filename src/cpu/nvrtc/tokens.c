/* tokens.c - reads a source as tokens.
 *
 * Called by all files of this folder that examine a source as tokens, such as
 * dialect.c. Comments are skipped, and directives as well unless the caller
 * requests them. A literal, also a raw one, is one token. Thread-safe, without
 * state.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "cpu/nvrtc/tokens.h"

static bool
is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (byte & 0x80);
}

bool
nvrtc_token_is(struct nvrtc_token token, const char *text)
{
    return token.start && token.n == strlen(text) &&
           !memcmp(token.start, text, token.n);
}

bool
nvrtc_token_is_name(struct nvrtc_token token)
{
    return token.start && is_word_byte(*token.start) &&
           !isdigit((unsigned char)*token.start);
}

/* Returns the end of the line at `at`, including its continuation lines (after
 * a backslash). */
static const char *
line_end(const char *at)
{
    while (*at && *at != '\n') {
        at += at[0] == '\\' && at[1] ? 2 : 1;
    }
    return at;
}

static const char *
comment_end(const char *at)
{
    if (at[1] == '/') {
        return line_end(at);
    }
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

/* Skips blanks, comments and directives. If tokens->directives is true, stops
 * at the '#' of a directive. */
static void
blank_skip(struct nvrtc_tokens *tokens)
{
    for (;;) {
        const char *at = tokens->at;
        if (isspace((unsigned char)*at)) {
            tokens->line_begins = tokens->line_begins || *at == '\n';
            tokens->at++;
        } else if (at[0] == '\\' && at[1] == '\n') {
            tokens->at += 2;
        } else if (!strncmp(at, "//", 2) || !strncmp(at, "/*", 2)) {
            tokens->at = comment_end(at);
        } else if (*at == '#' && tokens->line_begins && !tokens->directives) {
            tokens->at = line_end(at);
        } else {
            return;
        }
    }
}

/* Returns the end of a raw string such as R"x(...)x"; `at` is its first
 * quote. */
static const char *
raw_end(const char *at)
{
    size_t n = strcspn(at + 1, "(");
    const char *end = at + 1 + n;

    while ((end = strchr(end, ')'))) {
        end++;
        if (!strncmp(end, at + 1, n) && end[n] == '"') {
            return end + n + 1;
        }
    }
    return at + strlen(at);
}

static const char *
quoted_end(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote && *at != '\n') {
        at += at[0] == '\\' && at[1] ? 2 : 1;
    }
    return at + (*at == quote);
}

/* Returns the end of the name or number at `at`. If the name is the prefix of
 * a raw string, such as R"x(...)x", returns the end of the string. */
static const char *
word_end(const char *at)
{
    bool number = isdigit((unsigned char)*at);

    while (is_word_byte(*at) ||
           (number && *at == '\'' && is_word_byte(at[1]))) {
        at++;
    }
    return at[-1] == 'R' && *at == '"' ? raw_end(at) : at;
}

bool
nvrtc_token_read(struct nvrtc_tokens *tokens)
{
    blank_skip(tokens);
    const char *at = tokens->at, *end = at + 1;

    if (*at == 0) {
        return false;
    }
    if (is_word_byte(*at)) {
        end = word_end(at);
    } else if (*at == '"' || *at == '\'') {
        end = quoted_end(at);
    } else if (!strncmp(at, "->", 2)) {
        end = at + 2;
    } else if (*at == '#' && tokens->line_begins) {
        tokens->line_end = line_end(at);
    }
    tokens->line_begins = false;
    tokens->before = tokens->last;
    tokens->last = (struct nvrtc_token){at, (size_t)(end - at)};
    tokens->at = end;
    return true;
}
