/* rewrite.c - declarations that NVRTC takes and clang refuses, written anew.
 *
 * Called by compile.c with what the front end said.  It names the places; a
 * rule looks at the source there and changes it if it understands it:
 *
 * - Shared variables whose type has a constructor, which is not run, become
 *   references (see memory.h; each instance of a template has a place of its
 *   own):  __shared__ T name[n];  struct place; T (&name)[n] = ...<place>();
 * - So do those of dynamic size that C++ and extern "C" functions both
 *   declare:  extern __shared__ T name[];  T (&name)[] = ...();
 *   Sources with lambdas that capture by value would copy what a reference
 *   names, and are left as they are.
 * - typedef struct { ... } T with functions in it: the struct is called T.
 * - `static` goes where an earlier declaration was without it.
 * - The 0 that a pointer is compared with (p > 0) becomes a null pointer.
 * - A variable whose initialisation a switch or a goto jumps over is declared
 *   first, and assigned to there:  T name; name = ...;
 * - #pragma unroll before what is no loop, and a second one, are left out, and
 *   so is __device__ beside __shared__.
 *
 * No edit moves a line.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/nvrtc.h"

/* One thing that the front end said. */
struct remark {
    const char *source;
    const char *at;   /* its place in the source */
    const char *said; /* from the message on, to the end of the log */
    int round, number;
};

typedef bool rule_fn(const struct remark *remark, struct nvrtc_edits *edits);

/* ---- words of a source ---- */

static bool
in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool
begins(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

/* Does the line that ends before `end` belong to the preprocessor, or end in
 * a comment? */
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

/* The last `word` before `name` in its declaration, or NULL; `name` is not in
 * a list of several.  Words within brackets are none of it. */
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
        if (depth == 0 && begins(at, word) && !in_name(at[length]) &&
            (at == source || !in_name(at[-1]))) {
            return at;
        }
    }
    return NULL;
}

static const char *
name_end(const char *name)
{
    while (in_name(*name)) {
        name++;
    }
    return name;
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

static const char *
space_skip(const char *at)
{
    while (isspace((unsigned char)*at) || begins(at, "/*") ||
           begins(at, "//")) {
        const char *end = begins(at, "/*")   ? strstr(at + 2, "*/")
                          : begins(at, "//") ? strchr(at, '\n')
                                             : at;
        if (end == NULL) {
            return at + strlen(at);
        }
        at = end + (begins(end, "*/") ? 2 : 1);
    }
    return at;
}

/* A lambda that captures by value copies what a reference names. */
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

/* The semicolon behind an expression; NULL: there is a list, or none. */
static const char *
expression_end(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        if (*at == '"' || *at == '\'' || *at == '#') {
            return NULL; /* not read here */
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
word_drop(struct nvrtc_edits *edits, const struct remark *remark,
          const char *word)
{
    const char *at = word_before(remark->source, remark->at, word);

    if (at) {
        nvrtc_edits_add(edits, (size_t)(at - remark->source), strlen(word),
                        " ");
    }
}

/* ---- the rules ---- */

/* A shared variable becomes a reference to `value`, with `first` in place of
 * the qualifier; false: not understood. */
static bool
reference_write(const struct remark *remark, struct nvrtc_edits *edits,
                const char *first, const char *value)
{
    static const char shared[] = "__shared__";
    const char *source = remark->source, *behind = name_end(remark->at);
    const char *qualifier = word_before(source, remark->at, shared);
    const char *end = end_find(behind);

    if (qualifier == NULL || end == NULL || behind == remark->at ||
        captures_by_value(source)) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(qualifier - source), strlen(shared), "%s",
                    first);
    nvrtc_edits_add(edits, (size_t)(remark->at - source), 0, "(&");
    nvrtc_edits_add(edits, (size_t)(behind - source), 0, ")");
    nvrtc_edits_add(edits, (size_t)(end - source), 0, " = %s", value);
    return true;
}

static bool
constructor_rule(const struct remark *remark, struct nvrtc_edits *edits)
{
    char first[64], value[64];

    snprintf(first, sizeof first, "struct __pycuda_place_%d_%d;",
             remark->round, remark->number);
    snprintf(value, sizeof value,
             "__pycuda_shared_place<__pycuda_place_%d_%d>()", remark->round,
             remark->number);
    if (!reference_write(remark, edits, first, value)) {
        return false;
    }
    word_drop(edits, remark, "static");
    return true;
}

static bool
linkage_rule(const struct remark *remark, struct nvrtc_edits *edits)
{
    const char *what = strchr(remark->said, '\'');

    what = what ? strchr(what + 1, '\'') : NULL;
    if (what == NULL ||
        !begins(what, "' has a different language linkage\n") ||
        !word_before(remark->source, remark->at, "extern") ||
        !reference_write(remark, edits, " ", "__pycuda_dynamic_place()")) {
        return false;
    }
    word_drop(edits, remark, "extern");
    return true;
}

static bool
static_rule(const struct remark *remark, struct nvrtc_edits *edits)
{
    size_t before = edits->count;

    word_drop(edits, remark, "static");
    return edits->count > before;
}

/* The place is behind `struct`; a note says what the typedef's name is. */
static bool
typedef_rule(const struct remark *remark, struct nvrtc_edits *edits)
{
    static const char note[] = ": note: type is given name '";
    const char *name = strstr(remark->said, note);

    if (name == NULL || remark->at == remark->source ||
        !in_name(remark->at[-1])) {
        return false;
    }
    name += strlen(note);
    nvrtc_edits_add(edits, (size_t)(remark->at - remark->source), 0, " %.*s",
                    (int)(name_end(name) - name), name);
    return name_end(name) > name;
}

/* The place is the operator's. */
static bool
pointer_rule(const struct remark *remark, struct nvrtc_edits *edits)
{
    const char *at = remark->at, *end;

    if (strstr(remark->said, "('int'") == strchr(remark->said, '(') ||
        strstr(remark->said, "('long'") == strchr(remark->said, '(')) {
        end = at;
        while (end > remark->source && isspace((unsigned char)end[-1])) {
            end--;
        }
        for (at = end; at > remark->source && in_name(at[-1]);) {
            at--;
        }
    } else {
        at += strspn(at, "<>=");
        at += strspn(at, " \t");
        end = name_end(at);
    }
    if (*at != '0' && !begins(at, "NULL")) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(at - remark->source), (size_t)(end - at),
                    "__pycuda_null()");
    return true;
}

/* A note names the variable.  What is constant becomes static, which may be
 * jumped over.  Else what is assigned has to be what it is initialised with:
 * a scalar, or bytes of its own type. */
static bool
jump_rule(const struct remark *remark, struct nvrtc_edits *edits)
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
    const char *word = "static ";
    if (constant == NULL) {
        constant = word_before(source, name, "const");
        word = "static constexpr ";
    }
    if (constant && !memchr(constant, '*', (size_t)(name - constant))) {
        nvrtc_edits_add(edits, (size_t)(constant - source), 0, "%s", word);
        return true;
    }
    int name_length = (int)(behind - name), length = (int)(end - sign - 1);
    const char *type = word_before(source, name, "auto");
    if (type) {
        nvrtc_edits_add(edits, (size_t)(type - source), strlen("auto"),
                        "__decay(__typeof__(%.*s))", length, sign + 1);
    }
    nvrtc_edits_add(edits, (size_t)(sign - source), 1,
                    "; static_assert(__pycuda_is_assigned<decltype(%.*s), "
                    "decltype(__pycuda_value(%.*s))>, \"\"); %.*s =",
                    name_length, name, length, sign + 1, name_length, name);
    return true;
}

/* The place is behind the pragma, or in it. */
static bool
unroll_rule(const struct remark *remark, struct nvrtc_edits *edits)
{
    const char *at = remark->at + strcspn(remark->at, "\n");

    while (at-- > remark->source) {
        const char *word = at + 1 + strspn(at + 1, " \t");
        if (*at == '#' && begins(word, "pragma")) {
            word += strlen("pragma");
            word += strspn(word, " \t");
            if (!begins(word, "unroll")) {
                return false;
            }
            nvrtc_edits_add(edits, (size_t)(at - remark->source), 0, "//");
            return true;
        }
    }
    return false;
}

/* The place is the word's. */
static bool
device_rule(const struct remark *remark, struct nvrtc_edits *edits)
{
    static const char device[] = "__device__", shared[] = "__shared__";
    const char *at = remark->at, *end = at + strcspn(at, ";{}");
    const char *found = strstr(at, shared);

    if (!begins(at, device) || ((found == NULL || found >= end) &&
                                !word_before(remark->source, at, shared))) {
        return false;
    }
    nvrtc_edits_add(edits, (size_t)(at - remark->source), strlen(device), " ");
    return true;
}

static const struct {
    const char *said;
    rule_fn *rule;
} rules[] = {
    {": error: initialization is not supported for __shared__ variables",
     constructor_rule},
    {": error: declaration of '", linkage_rule},
    {": error: static declaration of '", static_rule},
    {": error: anonymous non-C-compatible type given name for linkage "
     "purposes by typedef declaration after its linkage was computed",
     typedef_rule},
    {": error: ordered comparison between pointer and zero", pointer_rule},
    {": note: jump bypasses variable initialization", jump_rule},
    {": error: expected a for, while, or do-while loop to follow '#pragma "
     "unroll",
     unroll_rule},
    {": error: incompatible directives '#pragma unroll", unroll_rule},
    {": error: duplicate directives '#pragma unroll", unroll_rule},
    {": error: __constant__, __device__, and __managed__ are not allowed on "
     "non-static local variables",
     device_rule},
};

/* ---- the front end's log ---- */

/* Where a line begins, by the numbers of the last #line; NULL: nowhere. */
static const char *
line_find(const char *source, long line)
{
    const char *found = NULL, *end;

    for (long number = 1; source; source = end ? end + 1 : NULL) {
        end = strchr(source, '\n');
        if (begins(source, "#line ")) {
            number = strtol(source + strlen("#line "), NULL, 10);
        } else if (number++ == line) {
            found = source;
        }
    }
    return found;
}

/* Reads NAME:LINE:COLUMN of a line of the log; false: it has none. */
static bool
remark_read(struct remark *remark, const char *name, const char *said)
{
    size_t length = strlen(name);
    char *end;

    if (strncmp(said, name, length) != 0 || said[length] != ':') {
        return false;
    }
    const char *line =
        line_find(remark->source, strtol(said + length + 1, &end, 10));
    long column = *end == ':' ? strtol(end + 1, &end, 10) : 0;
    if (line == NULL || column < 1 || column > (long)strcspn(line, "\n") + 1) {
        return false;
    }
    remark->at = line + column - 1;
    remark->said = end;
    return true;
}

/* Each instance of a template has the same remark. */
static bool
said_before(const char *log, const char *line)
{
    size_t length = strcspn(line, "\n");

    for (; log < line; log = strchr(log, '\n') + 1) {
        if (strncmp(log, line, length) == 0 && log[length] == '\n') {
            return true;
        }
    }
    return false;
}

char *
nvrtc_rewrite(const struct nvrtc_text *log, const char *name,
              const char *source, int round)
{
    struct remark remark = {.source = source, .round = round};
    struct nvrtc_edits edits = {0};
    bool any = false;

    for (const char *line = log->bytes; line && *line;) {
        if (remark_read(&remark, name, line) &&
            !said_before(log->bytes, line)) {
            for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
                remark.number++;
                any |= begins(remark.said, rules[i].said) &&
                       rules[i].rule(&remark, &edits);
            }
        }
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
    char *text = any ? nvrtc_edits_make(&edits, source) : NULL;
    nvrtc_edits_free(&edits);
    return text;
}
