/* launches.c - rewrites launches of kernels by kernels.
 *
 * Called by frontend_retry.c for relocatable code. Clang refuses `<<<...>>>`
 * in device code. A launch k<<<config>>>(arguments) becomes
 *
 *   __pycuda_launch_end(__pycuda_launch(config), (k(arguments), 0))
 *
 * in which the kernel is called like a function: clang selects the overload,
 * deduces template arguments and converts the arguments. The kernel k may be a
 * name, a pointer or any other expression. A source with launches declares
 * kernels as device functions (frontend_retry.c). src/jit/retarget/launches.c
 * replaces the calls of the kernel and of __pycuda_launch_end by a launch.
 *
 * The expression before `<<<` is a postfix expression. Its start is found by
 * reading its tokens backwards. Macros are rewritten in their definitions.
 * Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/launches.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/tokens.h"

/* The tokens of a source. */
struct token_list {
    struct nvrtc_token *token;
    size_t count, capacity;
    bool failed; /* out of memory */
};

static void
list_add(struct token_list *list, struct nvrtc_token token)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        void *more = realloc(list->token, capacity * sizeof *list->token);
        if (more == NULL) {
            list->failed = true;
            return;
        }
        list->token = more;
        list->capacity = capacity;
    }
    list->token[list->count++] = token;
}

/* Reads the tokens of the source and of its macro definitions; skips other
 * directives. */
static void
list_read(struct token_list *list, const char *source)
{
    struct nvrtc_tokens tokens = {
        .at = source, .line_begins = true, .directives = true};

    while (!list->failed && nvrtc_token_read(&tokens)) {
        if (tokens.line_end) {
            const char *end = tokens.line_end;
            tokens.line_end = NULL;
            if (!nvrtc_token_read(&tokens) ||
                !nvrtc_token_is(tokens.last, "define")) {
                tokens.at = end;
            }
            continue;
        }
        list_add(list, tokens.last);
    }
}

static bool
is_mark(const struct token_list *list, size_t i, char mark)
{
    return i < list->count && list->token[i].n == 1 &&
           *list->token[i].start == mark;
}

/* Returns true if token `i` and the next two are three adjacent characters
 * `mark`, as in <<<. */
static bool
is_triple(const struct token_list *list, size_t i, char mark)
{
    for (size_t k = 0; k < 3; k++) {
        if (!is_mark(list, i + k, mark) ||
            list->token[i + k].start != list->token[i].start + k) {
            return false;
        }
    }
    return true;
}

/* Returns the index of the bracket that closes the one at token `i`, or
 * list->count if there is none. */
static size_t
bracket_end(const struct token_list *list, size_t i)
{
    int depth = 0;

    for (; i < list->count; i++) {
        struct nvrtc_token token = list->token[i];
        if (token.n != 1) {
            continue;
        }
        depth += strchr("([{", *token.start) != NULL;
        if (strchr(")]}", *token.start) && --depth == 0) {
            return i;
        }
    }
    return list->count;
}

/* Returns the index of the `>>>` that ends the configuration from token `i`
 * on, or list->count. */
static size_t
configuration_end(const struct token_list *list, size_t i)
{
    for (; i < list->count; i++) {
        if (is_triple(list, i, '>')) {
            return i;
        }
        if (list->token[i].n == 1 && strchr("([{", *list->token[i].start)) {
            i = bracket_end(list, i);
        } else if (list->token[i].n == 1 &&
                   strchr(")]};", *list->token[i].start)) {
            break;
        }
    }
    return list->count;
}

/* ---- finding the token at which an expression starts ---- */

enum { NONE = -1 };

/* Returns the index of the bracket that opens the one at token `i`, or
 * NONE. */
static long
bracket_start(const struct token_list *list, long i)
{
    int depth = 0;

    for (; i >= 0; i--) {
        struct nvrtc_token token = list->token[i];
        if (token.n != 1) {
            continue;
        }
        depth += strchr(")]}", *token.start) != NULL;
        if (strchr("([{", *token.start) && --depth == 0) {
            return i;
        }
    }
    return NONE;
}

static bool
is_name(const struct token_list *list, long i)
{
    return i >= 0 && nvrtc_token_is_name(list->token[i]);
}

/* Returns the index of the name of the template whose arguments end with the
 * '>' at token `i`, or NONE. If a '<' in the arguments is a comparison, the
 * brackets usually do not match, and the result is NONE. */
static long
template_name(const struct token_list *list, long i)
{
    int depth = 0;

    for (; i > 0; i--) {
        struct nvrtc_token token = list->token[i];
        if (token.n != 1) {
            continue;
        }
        if (strchr(")]}", *token.start)) {
            i = bracket_start(list, i);
            if (i == NONE) {
                return NONE;
            }
        } else if (strchr("([{;", *token.start)) {
            return NONE;
        } else if (*token.start == '>') {
            depth++;
        } else if (*token.start == '<' && --depth <= 0 &&
                   is_name(list, i - 1)) {
            return i - 1;
        }
    }
    return NONE;
}

static bool
is_one_of(struct nvrtc_token token, const char *const *words)
{
    for (; *words; words++) {
        if (nvrtc_token_is(token, *words)) {
            return true;
        }
    }
    return false;
}

/* Returns true for a keyword, such as `return`, after which a statement or an
 * expression begins. */
static bool
is_statement_word(const struct token_list *list, long i)
{
    static const char *const words[] = {
        "return", "else", "do", "case", "if",  "while",  "for", "switch",
        "throw",  "and",  "or", "not",  "new", "delete", NULL};

    return is_name(list, i) && is_one_of(list->token[i], words);
}

/* Tests whether the ')' at token `i` ends the head of a statement such as
 * `if (...)`. */
static bool
is_statement_head(const struct token_list *list, long i)
{
    static const char *const words[] = {"if", "while", "for", "switch", NULL};
    long start = bracket_start(list, i);

    return start > 0 && is_one_of(list->token[start - 1], words);
}

/* The bracket at token `start` may belong to a call or an index, as in `f(x)`
 * and `a[i]`. Returns the index of the last token of the called or indexed
 * expression, or NONE if the bracket begins an expression. */
static long
before_bracket(const struct token_list *list, long start)
{
    long i = start - 1;

    if (i < 0 || is_statement_word(list, i)) {
        return NONE;
    }
    if (is_mark(list, (size_t)i, ')')) {
        return is_statement_head(list, i) ? NONE : i;
    }
    return is_name(list, i) || is_mark(list, (size_t)i, ']') ||
                   is_mark(list, (size_t)i, '>')
               ? i
               : NONE;
}

/* If `.`, `->` or `::` precedes the name at token `i`, as in `object.name` and
 * `space::name`, returns the index of the last token before this operator.
 * Otherwise, and for a global name `::name`, returns NONE. Stores in `start`
 * the index at which the expression starts if the result is NONE. */
static long
before_name(const struct token_list *list, long i, long *start)
{
    if (i > 0 && nvrtc_token_is(list->token[i - 1], "template")) {
        i--;
    }
    *start = i;
    if (i > 1 && (is_mark(list, (size_t)i - 1, '.') ||
                  nvrtc_token_is(list->token[i - 1], "->"))) {
        return i - 2;
    }
    if (i < 2 || !is_mark(list, (size_t)i - 1, ':') ||
        !is_mark(list, (size_t)i - 2, ':')) {
        return NONE;
    }
    *start = i - 2;
    bool is_scope =
        (is_name(list, i - 3) && !is_statement_word(list, i - 3)) ||
        (i > 2 && is_mark(list, (size_t)i - 3, '>'));
    return is_scope ? i - 3 : NONE;
}

/* Returns the index of the first token of the postfix expression that ends
 * with token `i`, or NONE if no postfix expression ends there. */
static long
expression_start(const struct token_list *list, long i)
{
    while (i >= 0) {
        long start = i;
        if (is_mark(list, (size_t)i, ')') || is_mark(list, (size_t)i, ']')) {
            start = bracket_start(list, i);
            i = start == NONE ? NONE : before_bracket(list, start);
        } else {
            if (is_mark(list, (size_t)i, '>')) {
                i = template_name(list, i);
            }
            if (!is_name(list, i) || is_statement_word(list, i)) {
                return NONE;
            }
            i = before_name(list, i, &start);
        }
        if (i == NONE) {
            return start;
        }
    }
    return NONE;
}

/* ---- edits ---- */

/* Appends the tokens from index `first` up to, but not including, `end` to
 * `text`, on one line. */
static void
tokens_copy(struct nvrtc_text *text, const struct token_list *list,
            size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct nvrtc_token token = list->token[i];
        bool is_adjacent =
            i > first &&
            token.start == list->token[i - 1].start + list->token[i - 1].n;
        nvrtc_text_print(text, "%s%.*s", i > first && !is_adjacent ? " " : "",
                         (int)token.n, token.start);
    }
}

/* Removes the bytes from `start` to `end` except their line breaks, so that
 * later lines keep their numbers. In a macro, a backslash precedes each line
 * break. */
static void
lines_keep(struct nvrtc_edits *edits, const char *source, const char *start,
           const char *end)
{
    struct nvrtc_text text = {0};

    for (const char *at = start; at < end; at++) {
        if (*at == '\n') {
            nvrtc_text_print(&text, at[-1] == '\\' ? "\\\n" : "\n");
        }
    }
    edits->failed |= text.failed;
    nvrtc_edits_add(edits, (size_t)(start - source), (size_t)(end - start),
                    "%s", text.bytes ? text.bytes : "");
    nvrtc_text_free(&text);
}

/* Adds the edits for the launch whose `<<<` is at token `open`. Returns false
 * if the tokens around it are no launch. */
static bool
launch_mark(struct nvrtc_edits *edits, const char *source,
            const struct token_list *list, size_t open)
{
    size_t close = configuration_end(list, open + 3);
    long start = expression_start(list, (long)open - 1);

    if (start == NONE || close == list->count ||
        !is_mark(list, close + 3, '(')) {
        return false;
    }
    size_t end = bracket_end(list, close + 3);
    if (end == list->count) {
        return false;
    }
    struct nvrtc_text text = {0};
    nvrtc_text_print(&text, "__pycuda_launch_end(__pycuda_launch(");
    tokens_copy(&text, list, open + 3, close);
    edits->failed |= text.failed;
    nvrtc_edits_add(edits, (size_t)(list->token[start].start - source), 0,
                    "%s), (", text.bytes ? text.bytes : "");
    nvrtc_text_free(&text);
    lines_keep(edits, source, list->token[open].start,
               list->token[close + 2].start + 1);
    nvrtc_edits_add(edits, (size_t)(list->token[end].start + 1 - source), 0,
                    ", 0))");
    return true;
}

size_t
nvrtc_launches_mark(struct nvrtc_edits *edits, const char *source)
{
    struct token_list list = {0};
    size_t found = 0;

    if (strstr(source, "<<<") == NULL) {
        return 0;
    }
    list_read(&list, source);
    for (size_t i = 1; !list.failed && i < list.count; i++) {
        if (is_triple(&list, i, '<')) {
            found += launch_mark(edits, source, &list, i);
            i += 2;
        }
    }
    edits->failed |= list.failed;
    free(list.token);
    return found;
}

void
nvrtc_launches_explain(struct nvrtc_text *log)
{
    static const char mark[] = ": error: reference to __global__ function '";
    static const char said[] =
        ": error: device-side kernel launch could not be processed as the "
        "required runtime APIs are not declared";
    struct nvrtc_text text = {0};

    if (log->bytes == NULL || strstr(log->bytes, mark) == NULL) {
        return;
    }
    for (const char *line = log->bytes; *line;) {
        size_t n = strcspn(line, "\n");
        const char *at = memmem(line, n, mark, sizeof mark - 1);
        const char *quote = line + n + (line[n] != 0);

        /* the next line of the log quotes the source line of the error */
        if (at && memmem(quote, strcspn(quote, "\n"), "<<<", 3)) {
            nvrtc_text_print(&text, "%.*s%s", (int)(at - line), line, said);
        } else {
            nvrtc_text_add(&text, line, n);
        }
        nvrtc_text_add(&text, "\n", line[n] != 0);
        line = quote;
    }
    if (text.failed) {
        nvrtc_text_free(&text);
        return;
    }
    nvrtc_text_free(log);
    *log = text;
}
