/* guides.c - deduction guides of the source become the device's.
 *
 * Called by compile.c for the text of a source.  `box(T) -> box<T>;` needs no
 * annotation for nvcc; clang takes it for the host's and passes over it.  The
 * source is read as tokens: what stands within comments, literals and
 * directives is no guide.  Any thread; nothing is kept.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "cpu/nvrtc/nvrtc.h"

#define OPEN_MOST 64 /* deeper parentheses are not looked at */

struct token {
    const char *start; /* NULL: none */
    size_t n;
};

/* What stands before a parenthesis: a name and the token before that. */
struct call {
    struct token name, before;
};

struct reader {
    const char *at;
    bool line_begins;
    struct token before, last;
    struct call open[OPEN_MOST], closed; /* closed: by `last`, if that is ) */
    size_t depth;
};

/* ---- tokens ---- */

static bool
is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (byte & 0x80);
}

static bool
is_text(struct token token, const char *text)
{
    return token.start && token.n == strlen(text) &&
           !memcmp(token.start, text, token.n);
}

static bool
is_name(struct token token)
{
    return token.start && is_word_byte(*token.start) &&
           !isdigit((unsigned char)*token.start);
}

/* The end of a line that does not go on. */
static const char *
line_end(const char *at)
{
    while (*at && *at != '\n') {
        at += at[0] == '\\' && at[1] ? 2 : 1;
    }
    return at;
}

/* Past blanks, comments and directives. */
static void
blank_pass(struct reader *reader)
{
    for (;;) {
        const char *at = reader->at;
        if (isspace((unsigned char)*at)) {
            reader->line_begins = reader->line_begins || *at == '\n';
            reader->at++;
        } else if (!strncmp(at, "//", 2) ||
                   (*at == '#' && reader->line_begins)) {
            reader->at = line_end(at);
        } else if (!strncmp(at, "/*", 2)) {
            const char *end = strstr(at + 2, "*/");
            reader->at = end ? end + 2 : at + strlen(at);
        } else {
            return;
        }
    }
}

/* The end of R"x(...)x"; `at` is at its first quote. */
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

/* A name or number, with a raw string that may follow its last letter. */
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

/* false: the source ends. */
static bool
token_read(struct reader *reader)
{
    blank_pass(reader);
    const char *at = reader->at, *end = at + 1;

    if (*at == 0) {
        return false;
    }
    if (is_word_byte(*at)) {
        end = word_end(at);
    } else if (*at == '"' || *at == '\'') {
        end = quoted_end(at);
    } else if (!strncmp(at, "->", 2)) {
        end = at + 2;
    }
    reader->line_begins = false;
    reader->before = reader->last;
    reader->last = (struct token){at, (size_t)(end - at)};
    reader->at = end;
    return true;
}

/* ---- guides ---- */

/* Keeps what stands before each parenthesis that is open. */
static void
parenthesis_note(struct reader *reader, struct token before_name)
{
    switch (*reader->last.start) {
    case '(':
        if (reader->depth < OPEN_MOST) {
            reader->open[reader->depth] =
                (struct call){reader->before, before_name};
        }
        reader->depth++;
        break;
    case ')':
        reader->closed = (struct call){0};
        if (reader->depth && --reader->depth < OPEN_MOST) {
            reader->closed = reader->open[reader->depth];
        }
        break;
    }
}

/* A guide begins a declaration, after template<...> or `explicit` perhaps. */
static bool
may_begin(const struct call *call)
{
    struct token before = call->before;

    return is_name(call->name) &&
           (before.start == NULL || is_text(before, "explicit") ||
            (before.n == 1 && strchr(">;{}:)", *before.start)));
}

/* Behind the arrow: the same name, its arguments, and the end.  By value: the
 * reading goes on behind the arrow. */
static bool
arguments_follow(struct reader reader, struct token name)
{
    if (!token_read(&reader) || reader.last.n != name.n ||
        memcmp(reader.last.start, name.start, name.n) != 0 ||
        !token_read(&reader) || *reader.last.start != '<') {
        return false;
    }
    while (token_read(&reader) && !strchr(";{}", *reader.last.start)) {
    }
    return is_text(reader.last, ";") && is_text(reader.before, ">");
}

/* Has an arrow just been read that is a guide's? */
static bool
is_guide(const struct reader *reader)
{
    return is_text(reader->last, "->") && is_text(reader->before, ")") &&
           may_begin(&reader->closed) &&
           arguments_follow(*reader, reader->closed.name);
}

void
nvrtc_guides_mark(struct nvrtc_text *marked, const char *source)
{
    struct reader reader = {.at = source, .line_begins = true};
    struct token before_name = {0};
    const char *copied = source;
    bool arrows = strstr(source, "->") != NULL;

    while (arrows && token_read(&reader)) {
        if (is_guide(&reader)) {
            const char *start = reader.closed.name.start;
            nvrtc_text_add(marked, copied, (size_t)(start - copied));
            nvrtc_text_print(marked, "__host__ __device__ ");
            copied = start;
        }
        parenthesis_note(&reader, before_name);
        before_name = reader.before;
    }
    nvrtc_text_add(marked, copied, strlen(copied));
}
