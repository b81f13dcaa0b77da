/* function_bodies.c - errors in templates that are never instantiated.
 *
 * Called by frontend_retry.c. NVRTC parses the body of a function template, or
 * of a member function of a class template, when it is instantiated; clang
 * already parses it at the template's definition. Therefore a body with an
 * error is replaced by `static_assert(false)`, which is an error only if the
 * template is instantiated. Bodies in included files are not replaced. Without
 * state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/function_bodies.h"
#include "cpu/nvrtc/rewrite.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/tokens.h"

enum { ERRORS_MOST = 64, SCOPES_MOST = 64 };

struct scope {
    /* position in the source of the opening brace of the scope (the text
     * between two braces) */
    const char *open;
    bool template; /* the scope is a template, or inside one */
    bool function; /* the scope is a function body, or inside one */
};

/* Summary of the tokens since the last semicolon or brace. If an opening brace
 * follows, the tokens may be the declaration of a function or class. */
struct head {
    int angles, parentheses;
    bool template, class, parameters;
};

struct reader {
    const char *errors[ERRORS_MOST];
    size_t error_count, replaced;
    /* scopes of the open braces, outermost first; scopes[0] is the whole
     * file */
    struct scope scopes[SCOPES_MOST];
    size_t depth;
    struct head head;
    struct nvrtc_edits *edits;
    const char *source;
};

/* Stores the position in the source of each error in the log. Returns false if
 * there are no errors, too many, or errors in other files. */
static bool
errors_read(struct reader *reader, const struct nvrtc_text *log,
            const char *name)
{
    struct nvrtc_remark remark = {.source = reader->source};

    for (const char *line = log->bytes; line; line = nvrtc_line_next(line)) {
        size_t n = strcspn(line, "\n");
        const char *error = memmem(line, n, "error: ", strlen("error: "));
        if (error == NULL || *line == ' ') {
            continue;
        }
        if (reader->error_count == ERRORS_MOST ||
            !nvrtc_remark_read(&remark, name, line) ||
            !nvrtc_begins(remark.said, ": error: ")) {
            return false;
        }
        reader->errors[reader->error_count++] = remark.at;
    }
    return reader->error_count > 0;
}

/* Replaces a function body by `static_assert(false)`, and keeps its line
 * breaks so that later code keeps its line numbers. */
static void
body_replace(struct reader *reader, const char *open, const char *end)
{
    struct nvrtc_text text = {0};

    nvrtc_text_print(&text, "{ static_assert(false, \"refused\"); ");
    for (const char *at = open; at < end; at++) {
        if (*at == '\n') {
            nvrtc_text_add(&text, "\n", 1);
        }
    }
    nvrtc_text_print(&text, "}");
    if (text.failed) {
        reader->edits->failed = true;
    } else {
        nvrtc_edits_add(reader->edits, (size_t)(open - reader->source),
                        (size_t)(end - open), "%s", text.bytes);
    }
    nvrtc_text_free(&text);
}

static void
body_end(struct reader *reader, const struct scope *scope, const char *end)
{
    size_t inside = 0;

    for (size_t i = 0; i < reader->error_count; i++) {
        inside += reader->errors[i] > scope->open && reader->errors[i] < end;
    }
    if (inside) {
        body_replace(reader, scope->open, end);
        reader->replaced += inside;
    }
}

static void
head_read(struct head *head, struct nvrtc_token token)
{
    static const char *const classes[] = {"class", "struct", "union", "enum",
                                          "namespace"};

    if (nvrtc_token_is_name(token)) {
        bool outside = head->angles <= 0 && head->parentheses == 0;
        head->template |= nvrtc_token_is(token, "template");
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
            head->class |= outside && nvrtc_token_is(token, classes[i]);
        }
        return;
    }
    for (size_t i = 0; i < token.n && head->parentheses == 0; i++) {
        head->angles += token.start[i] == '<';
        head->angles -= token.start[i] == '>';
    }
    head->parameters |= *token.start == '(';
    head->parentheses += *token.start == '(';
    head->parentheses -= *token.start == ')';
}

/* Updates the open scopes for one token. At the end of a template's function
 * body, replaces the body if it has an error. Returns false if braces do not
 * match or are nested too deeply. */
static bool
token_take(struct reader *reader, struct nvrtc_token token)
{
    const struct head *head = &reader->head;
    struct scope *scope = &reader->scopes[reader->depth];

    if (*token.start == '{') {
        if (reader->depth + 1 == SCOPES_MOST) {
            return false;
        }
        reader->scopes[++reader->depth] = (struct scope){
            .open = token.start,
            .template = scope->template || head->template,
            .function = scope->function || (head->parameters && !head->class),
        };
    } else if (*token.start == '}') {
        if (reader->depth == 0) {
            return false;
        }
        if (scope->template && scope->function && !scope[-1].function) {
            body_end(reader, scope, token.start + 1);
        }
        reader->depth--;
    } else if (*token.start != ';') {
        head_read(&reader->head, token);
        return true;
    }
    reader->head = (struct head){0};
    return true;
}

char *
nvrtc_bodies_replace(const struct nvrtc_text *log, const char *name,
                     const char *source)
{
    struct nvrtc_edits edits = {0};
    struct reader reader = {.source = source, .edits = &edits};
    struct nvrtc_tokens tokens = {.at = source, .line_begins = true};
    char *text = NULL;
    bool well = errors_read(&reader, log, name);

    while (well && nvrtc_token_read(&tokens)) {
        well = token_take(&reader, tokens.last);
    }
    if (well && reader.replaced == reader.error_count) {
        text = nvrtc_edits_make(&edits, source);
    }
    nvrtc_edits_free(&edits);
    return text;
}
