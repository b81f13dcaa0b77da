/* constant_writes.c - finds assignments to __constant__ variables.
 *
 * Called by compile.c before the front end. In NVRTC the name of a
 * __constant__ variable of scalar type is not a modifiable lvalue: `c = 1` and
 * `++c` are errors, also in code that is never executed, while `*&c = 1` and
 * references to c are accepted. If the source has such a name next to an
 * operator that modifies its operand, the front end also compiles a copy of
 * the source in which these variables are const. Clang's errors about the
 * __constant__ variables in this copy become errors of the program. Without
 * state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/attributes.h"
#include "cpu/nvrtc/constant_writes.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/function_bodies.h"
#include "cpu/nvrtc/job.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/rewrite.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/tokens.h"

enum { NAMES_MOST = 256 };

/* Comment that is inserted before the name of each variable which is const
 * only in the copy of the source. It distinguishes these variables from those
 * that the program declares const. */
static const char mark[] = "/*constant*/";

struct constants {
    /* names of the __constant__ variables found so far */
    struct nvrtc_token names[NAMES_MOST];
    size_t count;
    /* macros of the source whose text contains __constant__ */
    struct nvrtc_macros macros;
    struct nvrtc_edits *edits;
    const char *source;
};

static bool
is_among(const struct nvrtc_token *names, size_t count,
         struct nvrtc_token name)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i].n == name.n &&
            !memcmp(names[i].start, name.start, name.n)) {
            return true;
        }
    }
    return false;
}

static void
insert(struct constants *all, const char *at, const char *text)
{
    nvrtc_edits_add(all->edits, (size_t)(at - all->source), 0, "%s", text);
}

/* ---- declarations ---- */

/* What declaration_read has read of a declaration of a __constant__ variable
 * so far. */
struct declaration {
    int depth;     /* number of open parentheses, brackets and braces */
    int angles;    /* number of open '<' of template arguments of the type */
    bool is_named; /* the name of the declarator was read */
    bool is_initialized; /* the initializer of the declarator was read */
    bool is_pointer;     /* a '*' precedes the declarator's name */
    bool is_type;        /* the next braces are the body of a class or enum */
};

/* Adds the variable to the list of __constant__ variables, and edits the copy
 * of the source so that it declares the variable const. */
static void
variable_add(struct constants *all, struct declaration *at,
             struct nvrtc_token name)
{
    at->is_named = true;
    if (all->count < NAMES_MOST) {
        all->names[all->count++] = name;
        insert(all, name.start, mark);
        insert(all, name.start, at->is_pointer ? "const " : "");
    }
}

/* Called at the end of a declarator. Adds the initializer `= {}` if there is
 * none, since C++ requires one for a const variable. */
static void
declarator_end(struct constants *all, struct declaration *at, const char *end)
{
    if (at->is_named && !at->is_initialized) {
        insert(all, end, " = {}");
    }
    at->is_named = at->is_initialized = at->is_pointer = false;
}

/* Skips the body of a class or enum, whose opening brace was read. */
static void
body_skip(struct nvrtc_tokens *tokens)
{
    for (int depth = 1; depth && nvrtc_token_read(tokens);) {
        depth += *tokens->last.start == '{';
        depth -= *tokens->last.start == '}';
    }
}

static void
token_take(struct constants *all, struct declaration *at,
           struct nvrtc_tokens *tokens)
{
    static const char *const types[] = {"enum", "class", "struct", "union"};
    char c = *tokens->last.start;
    bool is_end =
        strchr("=;,{[", c) || (c == ')' && at->is_pointer && at->depth == 1);

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        at->is_type |= nvrtc_token_is(tokens->last, types[i]);
    }
    if (c == '{' && at->is_type && !at->is_named) {
        at->is_type = false;
        body_skip(tokens);
        return;
    }
    if (is_end && !at->is_named && at->angles == 0 &&
        at->depth <= (c == ')') && nvrtc_token_is_name(tokens->before)) {
        variable_add(all, at, tokens->before);
    }
    if (at->depth == 0 && at->angles == 0 && (c == ';' || c == ',')) {
        declarator_end(all, at, tokens->last.start);
    }
    at->is_initialized |= at->depth == 0 && (c == '=' || c == '{');
    at->is_pointer |= c == '*' && !at->is_named;
    at->depth += strchr("([{", c) != NULL;
    at->depth -= strchr(")]}", c) != NULL;
    /* in an initializer, '<' and '>' are comparisons or shifts */
    if (!at->is_named && !at->is_initialized) {
        at->angles += c == '<';
        at->angles -= c == '>' && at->angles > 0;
    }
}

/* Skips the next token; if it is an opening bracket or parenthesis, skips
 * everything up to the closing one. */
static void
group_skip(struct nvrtc_tokens *tokens)
{
    int depth = 0;

    do {
        if (!nvrtc_token_read(tokens)) {
            return;
        }
        depth += strchr("([", *tokens->last.start) != NULL;
        depth -= strchr(")]", *tokens->last.start) != NULL;
    } while (depth > 0);
}

/* Skips the attributes after the word __constant__: [[...]] and
 * __attribute__((...)). */
static void
attributes_skip(struct nvrtc_tokens *tokens)
{
    struct nvrtc_tokens lookahead = *tokens;

    while (nvrtc_token_read(&lookahead)) {
        if (*lookahead.last.start == '[') {
            lookahead = *tokens;
        } else if (!nvrtc_token_is(lookahead.last, "__attribute__")) {
            return;
        }
        group_skip(&lookahead);
        *tokens = lookahead;
    }
}

/* Reads the rest of a declaration after the word __constant__, which may also
 * follow the variable: int c __constant__ = 1; */
static void
declaration_read(struct constants *all, struct nvrtc_tokens *tokens)
{
    struct declaration at = {0};
    struct nvrtc_token name = tokens->before;
    struct nvrtc_tokens lookahead = *tokens;

    if (nvrtc_token_is_name(name) && nvrtc_token_read(&lookahead) &&
        strchr(";=,{", *lookahead.last.start)) {
        /* `name` precedes the word __constant__. So variable_add has to insert
         * `const` directly before the name, as for a pointer. */
        at.is_pointer = true;
        variable_add(all, &at, name);
    } else {
        attributes_skip(tokens);
        insert(all, tokens->at, " const ");
    }
    while (nvrtc_token_read(tokens)) {
        if (nvrtc_token_is(tokens->last, "__attribute__")) {
            struct nvrtc_token before = tokens->before;
            group_skip(tokens);
            /* Skip the attribute: the last token is set back to the token
             * before the attribute, so that the code that follows sees the
             * declaration without it. */
            tokens->last = before;
            continue;
        }
        token_take(all, &at, tokens);
        if (at.depth <= 0 && *tokens->last.start == ';') {
            return;
        }
    }
}

/* ---- writes ---- */

/* Returns true if an operator that modifies its left operand begins here:
 * = += <<= and so on, but not == or <=. */
static bool
is_assignment(const char *at)
{
    if (nvrtc_begins(at, "<<=") || nvrtc_begins(at, ">>=")) {
        return true;
    }
    return (*at == '=' && at[1] != '=') ||
           (*at && strchr("+-*/%&|^", *at) && at[1] == '=');
}

static bool
is_increment(const char *at)
{
    return nvrtc_begins(at, "++") || nvrtc_begins(at, "--");
}

/* Returns true if the token is the name of a variable at its __constant__
 * declaration, rather than at a use of the variable. */
static bool
is_declared(const struct constants *all, struct nvrtc_token name)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->names[i].start == name.start) {
            return true;
        }
    }
    return false;
}

/* Returns the position after the closing parentheses and template arguments
 * that follow a name. */
static const char *
operand_end(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n)");
        if (nvrtc_begins(at, "/*") && strstr(at, "*/")) {
            at = strstr(at, "*/") + 2;
            continue;
        }
        const char *end = *at == '<' ? strchr(at, '>') : NULL;
        if (end == NULL || nvrtc_begins(at, "<<=") ||
            memchr(at, ';', (size_t)(end - at))) {
            return at;
        }
        at = end + 1;
    }
}

/* Returns true if ++ or -- precedes the name. Only blanks, opening parentheses
 * and scopes (as in ns::name) may be between the two. */
static bool
is_after_increment(const char *source, const char *name)
{
    while (name > source &&
           (strchr(" \t\r\n(:", name[-1]) || nvrtc_in_name(name[-1]))) {
        name--;
    }
    return name - source >= 2 && is_increment(name - 2);
}

/* Returns true if the last token may be the name of a __constant__ variable
 * and an operator next to it modifies the variable. In the text of a macro,
 * any name is accepted, since it may be a parameter of the macro and stand for
 * a __constant__ variable. */
static bool
is_candidate(const struct constants *all, const struct nvrtc_tokens *tokens,
             bool in_macro)
{
    struct nvrtc_token name = tokens->last;

    if (!nvrtc_token_is_name(name) || is_declared(all, name) ||
        (!in_macro && !is_among(all->names, all->count, name))) {
        return false;
    }
    const char *after = operand_end(name.start + name.n);
    return is_assignment(after) || is_increment(after) ||
           is_after_increment(all->source, name.start);
}

/* Finds the declarations of __constant__ variables and makes them const in
 * the copy of the source. Returns true if the source may modify such a
 * variable. */
static bool
source_read(struct constants *all)
{
    struct nvrtc_tokens tokens = {.at = all->source, .line_begins = true};
    const char *line_end = NULL;

    nvrtc_macros_find(&all->macros, all->source, "__constant__");
    while (nvrtc_token_read(&tokens)) {
        if (nvrtc_token_is(tokens.last, "__constant__") ||
            nvrtc_macros_have(&all->macros, tokens.last)) {
            declaration_read(all, &tokens);
        }
    }
    tokens = (struct nvrtc_tokens){
        .at = all->source, .line_begins = true, .directives = true};
    while (all->count && nvrtc_token_read(&tokens)) {
        line_end = tokens.line_end ? tokens.line_end : line_end;
        tokens.line_end = NULL;
        if (is_candidate(all, &tokens, tokens.last.start < line_end)) {
            return true;
        }
    }
    return false;
}

/* ---- errors of the front end ---- */

/* Returns true if the text of an error names a scalar type for its variable:
 * 'const int', 'const my' (aka 'const int'). Returns false for enums and
 * pointers: for them, the front end's text does not tell whether the variable
 * is a scalar or an array. */
static bool
is_scalar(const char *said)
{
    static const char *const words[] = {
        "const", "volatile", "bool",     "char",     "short",  "int",
        "long",  "unsigned", "float",    "double",   "signed", "wchar_t",
        "_Bool", "char16_t", "__int128", "char32_t", "char8_t"};
    const char *end = said + strcspn(said, "\n");
    const char *quote = memrchr(said, '\'', (size_t)(end - said));
    const char *at =
        quote ? memrchr(said, '\'', (size_t)(quote - said)) : NULL;

    if (at == NULL) {
        return false;
    }
    while (++at < quote) {
        size_t n = strcspn(at, " '");
        bool is_word = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            is_word |= strlen(words[i]) == n && nvrtc_begins(at, words[i]);
        }
        if (!is_word) {
            return false;
        }
        at += n;
    }
    return true;
}

/* Returns true if the operator at `at` modifies a variable as a whole, as in
 * `c = 1`: its operand is just a name, and not a member, an element or another
 * expression. */
static bool
is_direct(const char *source, const char *at)
{
    if (is_increment(at) && nvrtc_in_name(at[2 + strspn(at + 2, " \t\n(:")])) {
        const char *name = at + 2;
        while (*name && (nvrtc_in_name(*name) || strchr(" \t\n(:", *name))) {
            name++;
        }
        return !*name || !strchr(".[-", *name) || is_assignment(name);
    }
    while (at > source && strchr(" \t\n)", at[-1])) {
        at--;
    }
    if (at > source && at[-1] == '>') {
        /* the operand is an instance of a variable template, name<...> */
        return true;
    }
    const char *end = at;
    while (at > source && nvrtc_in_name(at[-1])) {
        at--;
    }
    while (at > source && strchr(" \t\n", at[-1])) {
        at--;
    }
    return end > at && (at == source || at[-1] != '.') &&
           (at - source < 2 || !nvrtc_begins(at - 2, "->"));
}

/* Returns true if the error is inside a function template. */
static bool
is_in_template(const struct nvrtc_job *job, const char *source,
               const char *line)
{
    struct nvrtc_text one = {0};

    nvrtc_text_add(&one, line, strcspn(line, "\n") + 1);
    char *text = nvrtc_bodies_replace(&one, job->program->name, source);
    nvrtc_text_free(&one);
    bool is_in = text != NULL;
    free(text);
    return is_in;
}

/* An error about a const variable in the front end's log, with the information
 * of the notes that follow it. */
struct finding {
    const char *line; /* start of the error's line in the log */
    struct nvrtc_remark error;
    /* the error is in the text of a macro that the source uses */
    bool in_macro;
    /* the variable is const only in the copy of the source */
    bool is_constant;
};

/* Returns true if the comment in the string `mark` directly precedes the
 * declared name at `at`, or precedes `const` and this name. */
static bool
is_marked(const char *source, const char *at)
{
    static const char pointer[] = "const ";

    if (at - source >= (long)strlen(pointer) &&
        nvrtc_begins(at - strlen(pointer), pointer)) {
        at -= strlen(pointer);
    }
    return at - source >= (long)strlen(mark) &&
           nvrtc_begins(at - strlen(mark), mark);
}

/* Fills `found` from the notes that follow the error at `line` of the log.
 * Returns the line of the next error, or NULL at the end of the log. */
static const char *
finding_read(struct finding *found, const char *name, const char *line)
{
    static const char declared[] = "declared const here";
    struct nvrtc_remark note = found->error;

    found->line = line;
    for (line = nvrtc_line_next(line); line; line = nvrtc_line_next(line)) {
        if (!nvrtc_remark_read(&note, name, line)) {
            continue;
        }
        if (nvrtc_begins(note.said, ": error: ")) {
            break;
        }
        if (nvrtc_begins(note.said, ": note: expanded from macro")) {
            found->in_macro = true;
        }
        bool is_declaration = memmem(note.said, strcspn(note.said, "\n"),
                                     declared, sizeof declared - 1) != NULL;
        is_declaration &= nvrtc_begins(note.said, ": note: variable '");
        found->is_constant |=
            is_declaration && is_marked(note.source, note.at);
    }
    return line;
}

/* Reports the front end's errors about assignments to __constant__ variables.
 * Assignments in templates are not reported, since they are errors only if the
 * template is instantiated. Returns true if a template has such an
 * assignment. */
static bool
errors_report(struct nvrtc_job *job, const char *source,
              const struct nvrtc_text *said, nvrtcResult *result)
{
    static const char words[] = ": error: cannot assign to variable '";
    const char *name = job->program->name;
    bool is_open = false;

    for (const char *line = said->bytes; line;) {
        struct finding found = {.error = {.source = source}};
        if (!nvrtc_remark_read(&found.error, name, line) ||
            !nvrtc_begins(found.error.said, words)) {
            line = nvrtc_line_next(line);
            continue;
        }
        const char *next = finding_read(&found, name, line);
        if (found.is_constant &&
            (is_scalar(found.error.said) ||
             (!found.in_macro && is_direct(source, found.error.at)))) {
            const char *variable = found.error.said + strlen(words);
            if (is_in_template(job, source, line)) {
                is_open = true;
            } else {
                *result = NVRTC_ERROR_COMPILATION;
                nvrtc_text_print(
                    &job->program->log,
                    "%.*s: error: expression must be a modifiable lvalue: "
                    "'%.*s' is __constant__, kernels can't assign to it\n",
                    (int)(found.error.said - line), line,
                    (int)strcspn(variable, "'"), variable);
            }
        }
        line = next;
    }
    return is_open;
}

nvrtcResult
nvrtc_job_constants(struct nvrtc_job *job)
{
    struct nvrtc_edits edits = {0};
    struct constants all = {.edits = &edits, .source = job->marked};
    struct nvrtc_text said = {0};
    nvrtcResult result = NVRTC_SUCCESS;
    bool is_open = false;

    bool is_written = source_read(&all);
    char *text = is_written ? nvrtc_edits_make(&edits, job->marked) : NULL;
    if (text) {
        nvrtc_job_syntax(job, text, &said);
        is_open = errors_report(job, text, &said, &result);
    }
    if (all.count && !is_open) {
        nvrtc_strings_add(&job->options.jit, "--constant-writes");
    }
    free(text);
    nvrtc_text_free(&said);
    nvrtc_edits_free(&edits);
    return result;
}
