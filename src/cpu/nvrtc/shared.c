/* shared.c - shared variables whose type has a constructor.
 *
 * Called by compile.c.  nvcc and NVRTC let such a variable be and run no
 * constructor; clang refuses the source.  Where it did, the declarations that
 * it names are written anew:
 *
 *     __shared__ T name[n];
 *     struct place; T (&name)[n] = __pycuda_shared_place<place>();
 *
 * (See memory.h; each instance of a template has a place of its own.)  A
 * statement that declares several variables, or one that is not understood,
 * is left as it is, and so is a source with lambdas that capture by value.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/nvrtc.h"

static const char REFUSED[] =
    ": error: initialization is not supported for __shared__ variables";
static const char SHARED[] = "__shared__";
static const char STATIC[] = "static";

/* What is done at a byte of the source. */
enum { DROP = 1, OPEN = 2, CLOSE = 4, PLACE = 8, INITIALISE = 16 };

static bool
in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool
word_at(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

/* Where a line begins, by the numbers of the last #line; NULL: nowhere. */
static const char *
line_find(const char *source, long line)
{
    const char *found = NULL, *end;

    for (long number = 1; source; source = end ? end + 1 : NULL) {
        end = strchr(source, '\n');
        if (word_at(source, "#line ")) {
            number = strtol(source + strlen("#line "), NULL, 10);
        } else if (number++ == line) {
            found = source;
        }
    }
    return found;
}

/* The __shared__ of the statement whose first name is at `name`. */
static const char *
qualifier_find(const char *source, const char *name)
{
    int depth = 0;

    for (const char *at = name; at-- > source;) {
        if (strchr(";{}", *at) || (*at == ',' && depth == 0)) {
            return NULL;
        }
        depth += strchr(">)]", *at) != NULL;
        depth -= strchr("<([", *at) != NULL;
        if (word_at(at, SHARED)) {
            return at;
        }
    }
    return NULL;
}

/* The semicolon behind a name and its brackets. */
static const char *
end_find(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        depth += *at == '[';
        depth -= *at == ']';
        if (depth == 0 && *at != ']' && !isspace((unsigned char)*at)) {
            return *at == ';' ? at : NULL;
        }
    }
    return NULL;
}

/* Marks what is to be done for the variable at `name`. */
static bool
declaration_mark(const char *source, const char *name, unsigned char *marks)
{
    const char *qualifier = qualifier_find(source, name), *behind = name;

    while (in_name(*behind)) {
        behind++;
    }
    const char *end = end_find(behind);
    if (qualifier == NULL || end == NULL || behind == name) {
        return false;
    }
    memset(marks + (qualifier - source), DROP, strlen(SHARED));
    marks[qualifier - source] |= PLACE;
    while (qualifier > source && isspace((unsigned char)qualifier[-1])) {
        qualifier--;
    }
    if ((size_t)(qualifier - source) >= strlen(STATIC) &&
        word_at(qualifier - strlen(STATIC), STATIC)) {
        memset(marks + (qualifier - source) - strlen(STATIC), DROP,
               strlen(STATIC));
    }
    marks[name - source] |= OPEN;
    marks[behind - 1 - source] |= CLOSE;
    marks[end - source] |= INITIALISE;
    return true;
}

/* Marks what a line of the front end's log is about. */
static bool
line_mark(const struct _nvrtcProgram *program, const char *said,
          unsigned char *marks)
{
    size_t length = strlen(program->name);
    char *end;

    if (strncmp(said, program->name, length) != 0 || said[length] != ':') {
        return false;
    }
    const char *line =
        line_find(program->source, strtol(said + length + 1, &end, 10));
    long column = *end == ':' ? strtol(end + 1, &end, 10) : 0;
    if (line == NULL || column < 1 || !word_at(end, REFUSED) ||
        column > (long)strcspn(line, "\n")) {
        return false;
    }
    return declaration_mark(program->source, line + column - 1, marks);
}

static char *
source_write(const char *source, const unsigned char *marks)
{
    struct nvrtc_text text = {0};
    int place = 0;

    for (size_t i = 0; source[i]; i++) {
        if (marks[i] & OPEN) {
            nvrtc_text_add(&text, "(&", 2);
        }
        if (marks[i] & PLACE) {
            nvrtc_text_print(&text, "struct __pycuda_place_%d;", ++place);
        }
        if (marks[i] & INITIALISE) {
            nvrtc_text_print(
                &text, " = __pycuda_shared_place<__pycuda_place_%d>()", place);
        }
        nvrtc_text_add(&text, marks[i] & DROP ? " " : source + i, 1);
        if (marks[i] & CLOSE) {
            nvrtc_text_add(&text, ")", 1);
        }
    }
    if (text.failed) {
        nvrtc_text_free(&text);
    }
    return text.bytes;
}

/* A lambda that captures by value copies what a reference names. */
static bool
captures_by_value(const char *source)
{
    for (; *source; source++) {
        if (*source == '[' && source[1 + strspn(source + 1, " \t\n")] == '=') {
            return true;
        }
    }
    return false;
}

char *
nvrtc_shared_write(const struct _nvrtcProgram *program)
{
    const char *line = program->log.bytes;

    if (line == NULL || strstr(line, REFUSED) == NULL ||
        captures_by_value(program->source)) {
        return NULL;
    }
    unsigned char *marks = calloc(strlen(program->source) + 1, 1);
    bool any = false;
    while (marks && line) {
        any |= line_mark(program, line, marks);
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
    char *source = any ? source_write(program->source, marks) : NULL;
    free(marks);
    return source;
}
