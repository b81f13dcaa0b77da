/* rewrite_rules.c - the rules by which rejected declarations are rewritten.
 *
 * Called by rewrite.c, which describes the rules. A rule examines the source
 * at the position of an error and edits code that it recognizes. Without
 * state.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/rewrite.h"

/* ---- parsing of a source ---- */

bool
nvrtc_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool
nvrtc_begins(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

/* Returns true if the line that ends at `end` is a preprocessor directive,
 * continues in the next line, or contains a // comment. */
static bool
is_no_code(const char *source, const char *end)
{
    const char *line = end;

    while (line > source && line[-1] != '\n') {
        line--;
    }
    for (const char *at = line; at + 1 < end; at++) {
        if (at[0] == '/' && at[1] == '/') {
            return true;
        }
    }
    line += strspn(line, " \t");
    return *line == '#' || (end > line && end[-1] == '\\');
}

/* Searches backwards from `name` to the start of its declaration and returns
 * the first `word` found, or NULL. Text inside brackets is skipped. The search
 * also ends at a comma, as in `int a, name`. */
static const char *
word_before(const char *source, const char *name, const char *word)
{
    size_t length = strlen(word);
    int depth = 0;

    for (const char *at = name; at-- > source;) {
        bool label =
            *at == ':' && at[1] != ':' && (at == source || at[-1] != ':');
        if (strchr(";{}", *at) || (*at == ',' && depth == 0) || label ||
            (*at == '\n' && is_no_code(source, at)) ||
            (*at == '/' && at > source && at[-1] == '*')) {
            return NULL;
        }
        depth += strchr(">)]", *at) != NULL;
        depth -= strchr("<([", *at) != NULL;
        if (depth == 0 && nvrtc_begins(at, word) &&
            !nvrtc_in_name(at[length]) &&
            (at == source || !nvrtc_in_name(at[-1]))) {
            return at;
        }
    }
    return NULL;
}

static const char *
name_end(const char *name)
{
    while (nvrtc_in_name(*name)) {
        name++;
    }
    return name;
}

/* Returns true if `at` is in a preprocessor directive, including its
 * continuation lines. */
static bool
is_directive(const char *source, const char *at)
{
    for (;;) {
        while (at > source && at[-1] != '\n') {
            at--;
        }
        if (at - source < 2 || at[-2] != '\\') {
            return at[strspn(at, " \t")] == '#';
        }
        at--;
    }
}

/* Returns the end of a variable's name, which in a macro's text may be pasted
 * from several parts: name##2. */
static const char *
variable_end(const char *source, const char *name)
{
    const char *end = name_end(name);

    while (end > name && is_directive(source, name)) {
        const char *more = end + strspn(end, " \t");
        if (!nvrtc_begins(more, "##")) {
            break;
        }
        more += 2;
        more += strspn(more, " \t");
        end = name_end(more);
    }
    return end;
}

/* `at` is the end of a declared name. Returns the position of the semicolon
 * after the name's brackets, or the end of the line if `at` is in a macro's
 * text. Returns NULL if other code follows. */
static const char *
end_find(const char *source, const char *at)
{
    int depth = 0;

    for (bool macro = is_directive(source, at); *at; at++) {
        depth += *at == '[';
        depth -= *at == ']';
        if (depth == 0 && macro && (*at == '\n' || *at == '\\')) {
            return at;
        }
        if (depth == 0 && *at != ']' && !isspace((unsigned char)*at)) {
            return *at == ';' ? at : NULL;
        }
    }
    return NULL;
}

static const char *
space_skip(const char *at)
{
    while (isspace((unsigned char)*at) || nvrtc_begins(at, "/*") ||
           nvrtc_begins(at, "//")) {
        const char *end = nvrtc_begins(at, "/*")   ? strstr(at + 2, "*/")
                          : nvrtc_begins(at, "//") ? strchr(at, '\n')
                                                   : at;
        if (end == NULL) {
            return at + strlen(at);
        }
        at = end + (nvrtc_begins(end, "*/") ? 2 : 1);
    }
    return at;
}

/* Returns true if the source has a lambda with [=]. Such a lambda would copy a
 * shared variable that has been rewritten as a reference. */
static bool
captures_by_value(const char *source)
{
    for (; *source; source++) {
        if (*source == '[' && *space_skip(source + 1) == '=') {
            return true;
        }
    }
    return false;
}

/* Returns the position of the semicolon after the expression at `at`. Returns
 * NULL if a comma or closing bracket ends the expression, or if it contains a
 * literal in quotes. */
static const char *
expression_end(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        if (*at == '"' || *at == '\'' || *at == '#') {
            /* a literal or directive, which this function does not parse */
            return NULL;
        }
        if (depth == 0 && (*at == ';' || *at == ',')) {
            return *at == ';' ? at : NULL;
        }
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        if (depth < 0) {
            return NULL;
        }
    }
    return NULL;
}

static void
word_drop(struct nvrtc_edits *edits, const struct nvrtc_remark *remark,
          const char *word)
{
    const char *at = word_before(remark->source, remark->at, word);

    if (at) {
        nvrtc_edits_add(edits, (size_t)(at - remark->source), strlen(word),
                        " ");
    }
}

/* ---- rules ---- */

/* Returns the position of `__shared__`, or of a macro that is defined as
 * `__shared__` only, in the declaration before `name`; *length is the length
 * of this word. Returns NULL if the declaration has neither. */
static const char *
shared_find(const char *source, const char *name, size_t *length)
{
    static const char shared[] = "__shared__", define[] = "define";
    char word[64];

    for (const char *at = source; (at = strstr(at, shared)); at++) {
        const char *end = at;
        while (end > source && (end[-1] == ' ' || end[-1] == '\t')) {
            end--;
        }
        const char *start = end;
        while (start > source && nvrtc_in_name(start[-1])) {
            start--;
        }
        *length = (size_t)(end - start);
        snprintf(word, sizeof word, "%.*s", (int)*length, start);
        const char *before = word_before(source, name, word);
        if (*length && *length < sizeof word && before &&
            is_directive(source, at) &&
            start - source > (ptrdiff_t)sizeof define &&
            !strncmp(start - sizeof define, define, sizeof define - 1) &&
            strchr("\n",
                   at[strlen(shared) + strspn(at + strlen(shared), " \t")])) {
            return before;
        }
    }
    *length = strlen(shared);
    return word_before(source, name, shared);
}

static bool
is_word(const char *at, const char *end, const char *const *words)
{
    for (; *words; words++) {
        if (nvrtc_begins(at, *words) && at + strlen(*words) == end) {
            return true;
        }
    }
    return false;
}

/* Attributes whose arguments follow in parentheses. */
static const char *const attributes[] = {"alignas", "_Alignas", "__align__",
                                         "__attribute__", NULL};

static const char *
space_back(const char *source, const char *at)
{
    while (at > source && isspace((unsigned char)at[-1])) {
        at--;
    }
    return at;
}

/* `end` is the position after a closing bracket. Returns the position of the
 * matching opening bracket. */
static const char *
brackets_back(const char *source, const char *end)
{
    int depth = 0;

    do {
        end--;
        depth += (*end == ')') - (*end == '(');
    } while (depth && end > source);
    return end;
}

/* Returns the start of the type name that ends directly before `at`, such as
 * space::type<int> in `space::type<int> __shared__ name`. Returns `at` if
 * there is none. */
static const char *
type_start(const char *source, const char *at)
{
    const char *end = space_back(source, at), *start = end;
    int depth = 0;

    while (start > source &&
           (depth || nvrtc_in_name(start[-1]) || strchr(":>", start[-1]))) {
        start--;
        depth += (*start == '>') - (*start == '<');
    }
    return start == end || *start == ':' || depth ? at : start;
}

/* Returns the start of the declaration that contains the word at `at`: skips
 * backwards over attributes, qualifiers and a type name. */
static const char *
declaration_start(const char *source, const char *at)
{
    static const char *const qualifiers[] = {"static", "const", "volatile",
                                             NULL};

    for (;;) {
        const char *end = space_back(source, at);
        bool list = end > source && end[-1] == ')';
        if (list) {
            end = space_back(source, brackets_back(source, end));
        }
        const char *word = end;
        while (word > source && nvrtc_in_name(word[-1])) {
            word--;
        }
        if (!is_word(word, end, list ? attributes : qualifiers)) {
            return list ? at : type_start(source, at);
        }
        at = word;
    }
}

/* Adds edits that turn the declaration of a shared variable, `__shared__ T
 * name[n];`, into `<first> T (&name)[n] = <value>;`, the declaration of a
 * reference. Returns false if the declaration does not have this form, or if
 * the source has a lambda that captures by value. */
static bool
reference_write(const struct nvrtc_remark *remark, struct nvrtc_edits *edits,
                const char *first, const char *value)
{
    const char *source = remark->source;
    const char *behind = variable_end(source, remark->at);
    size_t length;
    const char *qualifier = shared_find(source, remark->at, &length);
    const char *end = end_find(source, behind);

    if (qualifier == NULL || end == NULL || behind == remark->at ||
        captures_by_value(source)) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(qualifier - source), length, " ");
    nvrtc_edits_add(edits,
                    (size_t)(declaration_start(source, qualifier) - source), 0,
                    "%s", first);
    nvrtc_edits_add(edits, (size_t)(remark->at - source), 0, "(&");
    nvrtc_edits_add(edits, (size_t)(behind - source), 0, ")");
    nvrtc_edits_add(edits, (size_t)(end - source), 0, " = %s", value);
    return true;
}

static bool
constructor_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    const char *name = remark->at;
    int length = (int)(variable_end(remark->source, name) - name);
    char place[256], first[300], value[600];

    /* Each shared variable needs its own memory, so its
     * __pycuda_shared_place<> is instantiated with a struct type that is
     * declared for this purpose only. The struct's name contains the
     * variable's name: a macro that declares variables then uses a different
     * struct each time. */
    snprintf(place, sizeof place, "__pycuda_place_%d_%d%s%.*s", remark->round,
             remark->number, is_directive(remark->source, name) ? "_##" : "_",
             length, name);
    snprintf(first, sizeof first, "struct %s;", place);
    snprintf(value, sizeof value,
             "__pycuda_shared_place<%s, __alignof__(%.*s)>()", place, length,
             name);
    if (!reference_write(remark, edits, first, value)) {
        return false;
    }
    word_drop(edits, remark, "static");
    return true;
}

static bool
dynamic_write(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    if (!word_before(remark->source, remark->at, "extern") ||
        !reference_write(remark, edits, " ", "__pycuda_dynamic_place()")) {
        return false;
    }
    word_drop(edits, remark, "extern");
    return true;
}

/* Corrects `extern __shared__ T name;`, a shared variable of dynamic size that
 * is not declared as name[]. remark->at is the word `__shared__`. The
 * variable's name is the last word before brackets, a comma, '=' or the
 * semicolon. */
static bool
extern_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    struct nvrtc_remark at_name = *remark;
    const char *end = remark->at + strcspn(remark->at, ";[{},=");

    while (end > remark->at && isspace((unsigned char)end[-1])) {
        end--;
    }
    while (end > remark->at && nvrtc_in_name(end[-1])) {
        end--;
    }
    at_name.at = end;
    return dynamic_write(&at_name, edits);
}

static bool
linkage_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    const char *what = strchr(remark->said, '\'');

    what = what ? strchr(what + 1, '\'') : NULL;
    return what &&
           nvrtc_begins(what, "' has a different language linkage\n") &&
           dynamic_write(remark, edits);
}

static bool
static_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    size_t before = edits->count;

    word_drop(edits, remark, "static");
    return edits->count > before;
}

/* Gives the struct in `typedef struct {...} T` the name T. remark->at is the
 * position after `struct`; a note after the error has the name T. */
static bool
typedef_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    static const char note[] = ": note: type is given name '";
    const char *name = strstr(remark->said, note);

    if (name == NULL || remark->at == remark->source ||
        !nvrtc_in_name(remark->at[-1])) {
        return false;
    }
    name += strlen(note);
    nvrtc_edits_add(edits, (size_t)(remark->at - remark->source), 0, " %.*s",
                    (int)(name_end(name) - name), name);
    return name_end(name) > name;
}

/* Replaces the 0 in a comparison of a pointer, such as p > 0, by a null
 * pointer. remark->at is the comparison operator. */
static bool
pointer_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    const char *at = remark->at, *end;

    if (strstr(remark->said, "('int'") == strchr(remark->said, '(') ||
        strstr(remark->said, "('long'") == strchr(remark->said, '(')) {
        end = at;
        while (end > remark->source && isspace((unsigned char)end[-1])) {
            end--;
        }
        for (at = end; at > remark->source && nvrtc_in_name(at[-1]);) {
            at--;
        }
    } else {
        at += strspn(at, "<>=");
        at += strspn(at, " \t");
        end = name_end(at);
    }
    if (*at != '0' && !nvrtc_begins(at, "NULL")) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(at - remark->source), (size_t)(end - at),
                    "__pycuda_null()");
    return true;
}

/* Returns true if clang's log reports an assignment to the constant variable
 * `name` as an error. `length` is the length of the name in bytes. */
static bool
is_assigned_to(const struct nvrtc_remark *remark, const char *name, int length)
{
    char said[300];

    snprintf(said, sizeof said, "cannot assign to variable '%.*s'", length,
             name);
    return strstr(remark->log, said) != NULL;
}

/* Rewrites `T name = value;` as `T name; name = value;`, where `sign` is the
 * '=' and `end` the semicolon. A static_assert ensures that assignment has the
 * same effect as initialization: T is a scalar or has a trivial copy. */
static void
assignment_write(const struct nvrtc_remark *remark, struct nvrtc_edits *edits,
                 const char *name, const char *sign, const char *end)
{
    const char *source = remark->source;
    const char *type = word_before(source, name, "auto");
    int name_length = (int)(name_end(name) - name);
    int length = (int)(end - sign - 1);

    if (type) {
        nvrtc_edits_add(edits, (size_t)(type - source), strlen("auto"),
                        "__decay(__typeof__(%.*s))", length, sign + 1);
    }
    nvrtc_edits_add(edits, (size_t)(sign - source), 1,
                    "; static_assert(__pycuda_is_assigned<decltype(%.*s), "
                    "decltype(__pycuda_value(%.*s))>, \"\"); %.*s =",
                    name_length, name, length, sign + 1, name_length, name);
}

/* Returns true if the word is preceded by a '*'. */
static bool
is_pointer(const char *source, const char *word)
{
    while (word > source && isspace((unsigned char)word[-1])) {
        word--;
    }
    return word > source && word[-1] == '*';
}

/* Corrects a switch or goto that jumps over the initialization of a variable;
 * remark->at is the variable's name. A constant becomes `static constexpr`,
 * whose initialization may be jumped over. If the front end then reports that
 * its value is not known at compile time, run_time_rule reverts this. Other
 * variables are initialized by an assignment. */
static bool
jump_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    const char *source = remark->source, *name = remark->at;
    const char *behind = name_end(name);
    const char *sign = behind + strspn(behind, " \t");
    const char *before = name;
    const char *end = *sign == '=' && sign[1] != '=' && behind > name
                          ? expression_end(sign + 1)
                          : NULL;

    while (before > source && isspace((unsigned char)before[-1])) {
        before--;
    }
    if (end == NULL || before == source || strchr("&,", before[-1])) {
        return false;
    }
    const char *constant = word_before(source, name, "constexpr");
    bool known = constant != NULL;
    if (constant == NULL) {
        constant = word_before(source, name, "const");
    }
    if (constant && memchr(constant, '*', (size_t)(name - constant))) {
        /* `const T *name` declares no constant: the pointer may change */
        constant = NULL;
    }
    if (constant && is_pointer(source, constant)) {
        if (is_assigned_to(remark, name, (int)(behind - name))) {
            return false;
        }
        nvrtc_edits_add(edits, (size_t)(constant - source), strlen("const"),
                        " ");
        constant = NULL;
    }
    if (known && constant) {
        nvrtc_edits_add(edits, (size_t)(constant - source), 0, "static ");
    } else if (constant && !word_before(source, name, "static")) {
        nvrtc_edits_add(edits, (size_t)(constant - source), 0,
                        "static constexpr ");
    } else {
        assignment_write(remark, edits, name, sign, end);
    }
    return true;
}

/* Replaces `static constexpr const`, which jump_rule has written in an earlier
 * rewrite, by an assignment, since the value is only known at run time.
 * remark->at is the variable's name. */
static bool
run_time_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    static const char guess[] = "static constexpr const";
    const char *source = remark->source, *name = remark->at;
    const char *start = word_before(source, name, "static");
    const char *sign = name_end(name) + strspn(name_end(name), " \t");
    const char *end = *sign == '=' ? expression_end(sign + 1) : NULL;

    if (start == NULL || !nvrtc_begins(start, guess) || end == NULL ||
        is_assigned_to(remark, name, (int)(name_end(name) - name))) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(start - source), strlen(guess), " ");
    assignment_write(remark, edits, name, sign, end);
    return true;
}

/* Returns the position after the bracket that closes the one at `list`. */
static const char *
brackets_skip(const char *list)
{
    int depth = 0;

    for (const char *at = list; *at; at++) {
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        if (depth == 0) {
            return at + 1;
        }
    }
    return list + strlen(list);
}

/* Skips attributes that have an argument list, such as `alignas(16)`, and the
 * white space before and after each of them. */
static const char *
attributes_skip(const char *at)
{
    for (at = space_skip(at);;) {
        const char *end = name_end(at), *list = space_skip(end);
        if (!is_word(at, end, attributes) || *list != '(') {
            return at;
        }
        at = space_skip(brackets_skip(list));
    }
}

/* Returns true if a type follows the attributes at `at`. Returns false if only
 * the variable's name follows, as in `float4 alignas(16) name`, which NVRTC
 * rejects. */
static bool
is_before_type(const char *at)
{
    at = attributes_skip(at);
    const char *end = space_skip(name_end(at));
    if (end == at) {
        return nvrtc_begins(at, "::");
    }
    /* a type with parentheses, as in decltype(x) name or float (*name)[2] */
    if (*end == '(') {
        const char *next = space_skip(end + 1);
        return nvrtc_begins(at, "decltype") || nvrtc_begins(at, "__typeof") ||
               *next == '*' || *next == '&';
    }
    return nvrtc_in_name(*end) || nvrtc_begins(end, "::") ||
           (*end && strchr("<*&{", *end));
}

/* Replaces `alignas` between other specifiers by `_Alignas`. remark->at is the
 * word `alignas`. */
static bool
alignas_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    static const char word[] = "alignas";
    static const char *const earlier[] = {
        "extern", "static", "const",    "volatile", "constexpr", "mutable",
        "inline", "signed", "unsigned", "short",    "long"};
    const char *source = remark->source, *at = remark->at;
    bool any = false;

    for (size_t i = 0; i < sizeof earlier / sizeof *earlier; i++) {
        if (word_before(source, at, earlier[i])) {
            /* NVRTC also rejects alignas after one of these specifiers, so the
             * error remains */
            return false;
        }
    }
    if (!is_directive(source, at) && !is_before_type(at)) {
        return false;
    }
    while (nvrtc_begins(at, word) &&
           !nvrtc_edits_touch(edits, (size_t)(at - source))) {
        const char *list = space_skip(at + strlen(word));
        nvrtc_edits_add(edits, (size_t)(at - source), strlen(word),
                        "_Alignas");
        any = true;
        at = *list == '(' ? space_skip(brackets_skip(list)) : list;
    }
    return any;
}

/* Puts a blank and a prefix before a name that directly follows a literal, as
 * in 1name. The result is an undeclared name, which is no error if the
 * preprocessor discards it. remark->at is the name. */
static bool
suffix_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    if (!nvrtc_in_name(*remark->at)) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(remark->at - remark->source), 0,
                    " CUDA_needs_a_space_before_");
    return true;
}

/* Removes `__device__` from the declaration of a `__shared__` variable.
 * remark->at is the word `__device__`. */
static bool
device_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    static const char device[] = "__device__", shared[] = "__shared__";
    const char *at = remark->at, *end = at + strcspn(at, ";{}");
    const char *found = strstr(at, shared);

    if (!nvrtc_begins(at, device) ||
        ((found == NULL || found >= end) &&
         !word_before(remark->source, at, shared))) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(at - remark->source), strlen(device), " ");
    return true;
}

/* `at` is the last part of a qualified name, such as `name` in
 * space::type<int>::name. Returns the start of the qualified name. */
static const char *
qualified_start(const char *source, const char *at)
{
    while (at - source > 2 && at[-1] == ':' && at[-2] == ':') {
        at -= 2;
        int depth = 0;
        while (at > source &&
               (depth || nvrtc_in_name(at[-1]) || at[-1] == '>')) {
            at--;
            depth += (*at == '>') - (*at == '<');
        }
    }
    return at;
}

/* Corrects a definition without the execution space of its declaration. The
 * first rewrite adds __device__. If the error remains, the second rewrite also
 * adds __host__. */
static bool
space_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    static const char device[] = " __device__ ";
    const char *start = qualified_start(remark->source, remark->at);
    bool tried = start - remark->source >= (ptrdiff_t)strlen(device) &&
                 nvrtc_begins(start - strlen(device), device);

    if (!nvrtc_in_name(*remark->at)) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(start - remark->source), 0, "%s",
                    tried ? "__host__ " : device);
    return true;
}

const struct nvrtc_rule nvrtc_rules[] = {
    {": error: initialization is not supported for __shared__ variables",
     constructor_rule},
    {": error: declaration of '", linkage_rule},
    {": error: static declaration of '", static_rule},
    {": error: anonymous non-C-compatible type given name for linkage "
     "purposes by typedef declaration after its linkage was computed",
     typedef_rule},
    {": error: ordered comparison between pointer and zero", pointer_rule},
    {": note: jump bypasses variable initialization", jump_rule},
    {": error: constexpr variable '", run_time_rule},
    {": error: out-of-line definition of '", space_rule},
    {": error: no function template matches function template specialization",
     space_rule},
    {": error: no variable template matches", space_rule},
    {": error: __shared__ variable '", extern_rule},
    {": error: an attribute list cannot appear here", alignas_rule},
    {": error: 'alignas' attribute cannot be applied to types", alignas_rule},
    {": error: invalid suffix on literal", suffix_rule},
    {": error: expected a for, while, or do-while loop to follow '#pragma "
     "unroll",
     nvrtc_unroll_rule},
    {": error: expected unqualified-id", nvrtc_stray_unroll_rule},
    {": error: incompatible directives '#pragma unroll", nvrtc_unroll_rule},
    {": error: duplicate directives '#pragma unroll", nvrtc_unroll_rule},
    {": error: __constant__, __device__, and __managed__ are not allowed on "
     "non-static local variables",
     device_rule},
    {": error: invalid % escape in inline assembly string",
     nvrtc_percent_rule},
    {NULL, NULL},
};
