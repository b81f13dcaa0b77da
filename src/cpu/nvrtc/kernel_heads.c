/* kernel_heads.c - reports kernels and variables that NVRTC refuses.
 *
 * Called by frontend_retry.c for the text of a source. Clang accepts kernels
 * that are noexcept, constexpr, static members and so on; NVRTC does not. All
 * declarations outside function bodies are read token by token. The "head" of
 * a declaration is its text up to ';' or '{'. Before the head of a kernel that
 * NVRTC refuses, a pragma is inserted that makes the front end report an
 * error. The same is done for variables whose memory spaces (__shared__,
 * __constant__, ...) NVRTC refuses. Kernels whose name NVRTC mangles in spite
 * of extern "C" get extern "C++" (kernel_linkage.c). Kernels that are declared
 * by a macro with parameters, included files, and sources that name
 * __PYCUDA_CPU__ are not examined. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/attributes.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/kernel_heads.h"
#include "cpu/nvrtc/kernel_linkage.h"
#include "cpu/nvrtc/tokens.h"

enum { SCOPES_MOST = 64 };

/* Kinds of braces outside function bodies: of a class, of an unnamed
 * namespace, of extern "C", and others. */
enum scope { SCOPE_OTHER, SCOPE_CLASS, SCOPE_UNNAMED, SCOPE_C };

/* The parameter of a function that is being read. */
struct parameter {
    bool is_const, is_grid_constant, is_reference, is_rvalue, has_default;
    bool is_list, has_space;
    bool
        /* The parameter's type contains a word such as int. (A type that is
         * only a name may be a typedef for a const type.) */
        is_number;
};

/* The head of the declaration that is being read: summary of the tokens since
 * the last ';', '{' or '}' outside function bodies. */
struct head {
    const char *start;
    /* If the declaration is that of a kernel: the first reason why NVRTC
     * refuses it, or NULL. */
    const char *refusal;
    /* If the declaration is that of a kernel: the first reason why NVRTC
     * refuses one of its parameters, or NULL. */
    const char *refusal_of_parameters;
    /* If the declaration is that of a kernel or a device function: the reason
     * why NVRTC refuses one of its attributes, or NULL. */
    const char *misplaced;
    bool is_kernel, is_device, is_template, is_friend, is_class, is_scope,
        is_auto, is_static;
    /* the tokens `extern` and `"C"` in the head; empty tokens if it has
     * none */
    struct nvrtc_token word_extern, literal_c;
    /* name of the declared function: the token before its list of
     * parameters */
    struct nvrtc_token name;
    /* is_managed: the head has the word __managed__; is_fixed: it has the word
     * __shared__ or __constant__ */
    bool is_managed, is_fixed;
    bool has_bounds, has_registers;
    /* the head has a list in parentheses, so it does not declare a plain
     * variable */
    bool has_list;
    bool has_parameters; /* the '(' of the list of parameters was read */
    bool in_parameters;
    int depth;  /* number of open parentheses and brackets */
    int angles; /* number of open '<' of template arguments */
    struct parameter parameter;
};

struct reader {
    struct nvrtc_tokens tokens;
    struct nvrtc_edits *edits;
    const char *source;
    /* macros of the source whose text contains __global__ */
    struct nvrtc_macros macros;
    struct head head;
    /* kinds of the open braces, such as that of a class; scopes[1] is the
     * outermost brace */
    enum scope scopes[SCOPES_MOST];
    size_t depth;
    struct nvrtc_linkage linkage; /* prototypes of kernels with extern "C" */
    /* The source has an #if, or a macro with a brace. In this case the class
     * or namespace of a declaration is unknown, since all branches of an #if
     * are read and macros are not expanded. */
    bool has_unsure_scopes;
};

/* Words in a kernel's head, outside its parameters, that NVRTC refuses. */
static const struct {
    const char *word, *refusal;
} refused_words[] = {
    {"noexcept", "a __global__ function cannot have an exception "
                 "specification"},
    {"throw", "a __global__ function cannot have an exception "
              "specification"},
    {"constexpr", "a __global__ function cannot be constexpr"},
    {"consteval", "a __global__ function cannot be consteval"},
    {"operator", "an operator cannot be a __global__ function"}};

/* Words that may be in the head of a kernel, and whose parentheses contain
 * their own arguments and not the kernel's parameters. */
static const char *const attributes[] = {
    "__attribute__", "__launch_bounds__", "__maxnreg__",
    "__align__",     "__block_size__",    "__cluster_dims__",
    "alignas",       "decltype",          "noexcept",
    "throw",         "requires",          "explicit"};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool
is_among(struct nvrtc_token token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nvrtc_token_is(token, words[i])) {
            return true;
        }
    }
    return false;
}

/* Stores `text` in *reason if `wrong` is true and there is no earlier
 * reason. */
static void
refuse(const char **reason, bool wrong, const char *text)
{
    if (wrong && *reason == NULL) {
        *reason = text;
    }
}

/* ---- parameters ---- */

static void
parameter_end(struct head *head)
{
    const struct parameter *one = &head->parameter;
    const char **reason = &head->refusal_of_parameters;

    refuse(reason, one->is_rvalue && !head->is_template,
           "a __global__ function cannot have a parameter with rvalue "
           "reference type");
    refuse(reason, one->is_list,
           "a __global__ function cannot have a parameter with type "
           "std::initializer_list");
    refuse(reason,
           one->is_grid_constant &&
               ((one->is_number && !one->is_const) || one->is_reference),
           "a parameter with __grid_constant__ must have a const type and be "
           "no reference");
    if (one->has_space) {
        head->misplaced = "an attribute such as __shared__ does not apply to "
                          "a parameter";
    } else if (one->is_grid_constant && !head->is_kernel) {
        head->misplaced = "__grid_constant__ is only allowed for parameters "
                          "of a __global__ function";
    }
    head->parameter = (struct parameter){0};
}

static void
parameter_take(struct head *head, const struct nvrtc_tokens *tokens)
{
    static const char *const spaces[] = {"__shared__", "__constant__",
                                         "__device__", "__managed__"};
    static const char *const numbers[] = {
        "int", "unsigned", "float", "char", "double", "long", "bool", "short"};
    struct parameter *one = &head->parameter;
    struct nvrtc_token token = tokens->last;
    char c = *token.start;

    if (one->has_default) {
        return;
    }
    head->angles += c == '<';
    head->angles -= c == '>' && token.n == 1 && head->angles > 0;
    if (head->depth != 1 || head->angles > 0) {
        return;
    }
    one->has_default = c == '=';
    one->is_rvalue |= c == '&' && nvrtc_token_is(tokens->before, "&");
    one->is_reference |= c == '&';
    one->is_const |= nvrtc_token_is(token, "const");
    one->is_grid_constant |= nvrtc_token_is(token, "__grid_constant__");
    one->is_list |= nvrtc_token_is(token, "initializer_list");
    one->is_number |= is_among(token, numbers, COUNT(numbers));
    one->has_space |= is_among(token, spaces, COUNT(spaces));
}

/* ---- heads ---- */

static void
name_take(struct reader *reader, struct nvrtc_token token)
{
    static const char *const classes[] = {"class", "struct", "union"};
    static const char *const trailing[] = {
        "const", "volatile", "noexcept", "throw",        "override",
        "final", "requires", "try",      "__attribute__"};
    struct head *head = &reader->head;

    if (head->has_parameters && !is_among(token, trailing, COUNT(trailing))) {
        /* a name follows the list in parentheses, so the list has the
         * arguments of a macro and is not a list of parameters */
        head->refusal_of_parameters = head->misplaced = NULL;
        head->has_parameters = false;
    }

    head->is_kernel |= nvrtc_token_is(token, "__global__") ||
                       nvrtc_macros_have(&reader->macros, token);
    head->is_device |= nvrtc_token_is(token, "__device__");
    head->is_managed |= nvrtc_token_is(token, "__managed__");
    head->is_fixed |= nvrtc_token_is(token, "__shared__") ||
                      nvrtc_token_is(token, "__constant__");
    head->is_friend |= nvrtc_token_is(token, "friend");
    head->is_static |= nvrtc_token_is(token, "static");
    head->is_auto |= nvrtc_token_is(token, "auto");
    head->is_class |=
        !head->has_parameters && is_among(token, classes, COUNT(classes));
    head->is_scope |= nvrtc_token_is(token, "namespace");
    head->has_bounds |= nvrtc_token_is(token, "__launch_bounds__");
    head->has_registers |= nvrtc_token_is(token, "__maxnreg__");
    for (size_t i = 0; i < COUNT(refused_words); i++) {
        refuse(&head->refusal, nvrtc_token_is(token, refused_words[i].word),
               refused_words[i].refusal);
    }
}

/* Called after the word `template` was read. Skips the template's parameters
 * in <...>. */
static void
template_skip(struct reader *reader)
{
    struct nvrtc_tokens *tokens = &reader->tokens;
    struct nvrtc_tokens lookahead = *tokens;
    int angles = 0, depth = 0;

    reader->head.is_template = true;
    if (!nvrtc_token_read(&lookahead) || *lookahead.last.start != '<') {
        /* template f<int>(...): an explicit instantiation */
        reader->head.is_template = false;
        return;
    }
    do {
        char c = nvrtc_token_read(tokens) ? *tokens->last.start : 0;
        depth += c && strchr("([{", c);
        depth -= c && strchr(")]}", c);
        angles += c == '<' && depth == 0;
        angles -= c == '>' && depth == 0;
        if (c == 0) {
            return;
        }
    } while (angles > 0);
}

static void
head_take(struct reader *reader)
{
    struct head *head = &reader->head;
    struct nvrtc_token token = reader->tokens.last;
    char c = *token.start;

    if (head->start == NULL) {
        head->start = token.start;
    }
    if (head->in_parameters && head->depth == 1 &&
        (c == ')' || (c == ',' && head->angles == 0))) {
        parameter_end(head);
        head->angles = 0;
        head->in_parameters = c == ',';
    }
    if (c == '(' && head->depth == 0 &&
        nvrtc_token_is_name(reader->tokens.before) &&
        !is_among(reader->tokens.before, attributes, COUNT(attributes))) {
        /* The list that begins here has the function's parameters. An earlier
         * list in parentheses was the argument list of a macro. */
        head->refusal_of_parameters = head->misplaced = NULL;
        head->angles = 0;
        head->parameter = (struct parameter){0};
        head->has_parameters = head->in_parameters = true;
        head->name = reader->tokens.before;
    }
    head->has_list |=
        c == '(' && head->depth == 0 &&
        !is_among(reader->tokens.before, attributes, COUNT(attributes));
    head->depth += token.n == 1 && strchr("([", c) != NULL;
    head->depth -= token.n == 1 && strchr(")]", c) != NULL;
    if (head->in_parameters) {
        parameter_take(head, &reader->tokens);
    } else if (nvrtc_token_is(token, "template")) {
        template_skip(reader);
    } else if (nvrtc_token_is(token, "\"C\"") &&
               nvrtc_token_is(reader->tokens.before, "extern")) {
        head->word_extern = reader->tokens.before;
        head->literal_c = token;
    } else if (head->depth == 0 && nvrtc_token_is_name(token)) {
        name_take(reader, token);
    } else if (nvrtc_token_is(token, "->")) {
        head->is_auto = false;
    }
}

/* Returns true if a preprocessor directive may be between the two positions. A
 * declaration there may then be a mixture of several #if branches. */
static bool
has_directive(const char *start, const char *end)
{
    return memchr(start, '#', (size_t)(end - start)) != NULL;
}

static bool
is_inside(const struct reader *reader, enum scope scope)
{
    for (size_t i = 1; i <= reader->depth; i++) {
        if (reader->scopes[i] == scope) {
            return true;
        }
    }
    return false;
}

/* Called for each head of a declaration that NVRTC accepts. If it declares a
 * kernel, passes it to kernel_linkage.c. */
static void
head_link(struct reader *reader, bool has_body)
{
    const struct head *head = &reader->head;
    struct nvrtc_kernel kernel = {
        .name = head->name,
        .end = reader->tokens.last.start,
        .start = head->start,
        .word_extern = head->word_extern,
        .literal_c = head->literal_c,
        .is_c = head->literal_c.start || is_inside(reader, SCOPE_C),
        .is_static = head->is_static,
        .is_unnamed = is_inside(reader, SCOPE_UNNAMED),
        .has_body = has_body};

    if (head->is_kernel && head->has_parameters && !head->is_template &&
        !head->is_friend && !reader->has_unsure_scopes) {
        nvrtc_linkage_take(&reader->linkage, reader->edits, reader->source,
                           &kernel);
    }
}

/* Returns the reason why NVRTC refuses a variable, or NULL. */
static const char *
variable_refuse(const struct head *head, bool in_class)
{
    bool has_space = head->is_device || head->is_managed || head->is_fixed;

    if (head->has_list || head->is_class) {
        return NULL;
    }
    if (head->is_managed && head->is_fixed) {
        return "a __managed__ variable cannot be __shared__ or __constant__";
    }
    return in_class && head->is_static && has_space
               ? "a static data member cannot have a memory space"
               : NULL;
}

/* Called at the ';' or '{' that ends the head of a declaration. If NVRTC
 * refuses the declaration, inserts a pragma that makes the front end report an
 * error. */
static void
head_end(struct reader *reader, bool has_body)
{
    struct head *head = &reader->head;
    bool in_class = reader->scopes[reader->depth] == SCOPE_CLASS &&
                    !reader->has_unsure_scopes;

    refuse(&head->refusal, head->is_auto,
           "a __global__ function must not have a deduced return type");
    refuse(&head->refusal, in_class && !head->is_friend,
           "a __global__ function cannot be a member function");
    refuse(&head->refusal, head->is_friend && has_body,
           "a __global__ function cannot be defined in a friend declaration");
    refuse(&head->refusal, head->has_bounds && head->has_registers,
           "__launch_bounds__ and __maxnreg__ exclude each other");
    refuse(&head->refusal, head->refusal_of_parameters != NULL,
           head->refusal_of_parameters);
    const char *reason =
        head->is_kernel ? head->refusal : variable_refuse(head, in_class);
    if (head->misplaced && (head->is_kernel || head->is_device)) {
        reason = head->misplaced;
    }
    if (head->start && has_directive(head->start, reader->tokens.last.start)) {
        return;
    }
    if (reason) {
        nvrtc_edits_add(reader->edits, (size_t)(head->start - reader->source),
                        0, "_Pragma(\"GCC error \\\"%s\\\"\") ", reason);
    } else {
        head_link(reader, has_body);
    }
}

/* Called after a '{' was read: skips the body of a function, or an
 * initializer, up to the matching '}'. */
static void
body_skip(struct nvrtc_tokens *tokens)
{
    for (int depth = 1; depth > 0 && nvrtc_token_read(tokens);) {
        depth += *tokens->last.start == '{';
        depth -= *tokens->last.start == '}';
    }
}

/* Called after the '{' of a class, namespace or block of extern "C" was read.
 * Returns its kind. */
static enum scope
scope_of(const struct reader *reader, bool is_class)
{
    struct nvrtc_token before = reader->tokens.before;

    if (is_class) {
        return SCOPE_CLASS;
    }
    if (nvrtc_token_is(before, "\"C\"")) {
        return SCOPE_C;
    }
    return nvrtc_token_is(before, "namespace") ? SCOPE_UNNAMED : SCOPE_OTHER;
}

/* Handles '{': enters a class, a namespace or a block of extern "C", or skips
 * the body of a function. Returns false if braces are nested too deeply. */
static bool
brace_take(struct reader *reader)
{
    struct head *head = &reader->head;

    /* a '{' inside parentheses belongs to a default argument */
    if (head->depth > 0) {
        body_skip(&reader->tokens);
        return true;
    }
    head_end(reader, true);
    bool is_class = head->is_class && !head->has_parameters;
    /* true if the block is extern "C" {...} or extern "C++" {...} */
    bool is_block =
        reader->tokens.before.start && *reader->tokens.before.start == '"';
    if (!is_class && !head->is_scope && !is_block) {
        body_skip(&reader->tokens);
    } else if (++reader->depth == SCOPES_MOST) {
        return false;
    } else {
        reader->scopes[reader->depth] = scope_of(reader, is_class);
    }
    *head = (struct head){0};
    return true;
}

/* Returns the end of the preprocessor directive at `at`, including its
 * continuation lines. */
static const char *
directive_end(const char *at)
{
    const char *end = at + strcspn(at, "\n");

    while (*end && end[-1] == '\\') {
        end += 1 + strcspn(end + 1, "\n");
    }
    return end;
}

/* Returns true if the source has a preprocessor directive that begins with
 * `word` and contains one of the characters `marks` and the text `name`.
 * `marks` or `name` may be NULL, which matches every directive. */
static bool
has_directive_with(const char *source, const char *word, const char *marks,
                   const char *name)
{
    for (const char *at = source; (at = strchr(at, '#')); at++) {
        const char *start = at + 1 + strspn(at + 1, " \t");
        const char *end = directive_end(start);
        size_t n = (size_t)(end - start);

        if (!strncmp(start, word, strlen(word)) &&
            (!marks || strcspn(start, marks) < n) &&
            (!name || memmem(start, n, name, strlen(name)))) {
            return true;
        }
    }
    return false;
}

void
nvrtc_kernel_heads_mark(struct nvrtc_edits *edits, const char *source)
{
    struct reader reader = {.tokens = {.at = source, .line_begins = true},

                            .edits = edits,
                            .source = source};

    if (strstr(source, "__PYCUDA_CPU__")) {
        return;
    }
    bool has_branches = has_directive_with(source, "if", NULL, NULL);
    reader.has_unsure_scopes =
        has_branches || has_directive_with(source, "define", "{}", NULL);
    /* Find the macros that contain __global__: the head of a kernel may use
     * such a macro. If an #if or #undef may change macros, or if a macro
     * contains a whole kernel, no macro is examined. */
    if (!has_branches && !has_directive_with(source, "undef", NULL, NULL) &&
        !has_directive_with(source, "define", ";{", "__global__")) {
        nvrtc_macros_find(&reader.macros, source, "__global__");
    }
    while (nvrtc_token_read(&reader.tokens)) {
        char c = *reader.tokens.last.start;
        if (c == '{') {
            if (!brace_take(&reader)) {
                return;
            }
        } else if (c == '}' || (c == ';' && reader.head.depth <= 0)) {
            head_end(&reader, false);
            reader.depth -= c == '}' && reader.depth > 0;
            reader.head = (struct head){0};
        } else {
            head_take(&reader);
        }
    }
}
