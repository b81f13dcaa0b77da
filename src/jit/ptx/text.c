/* text.c - parses the text of PTX, one statement at a time.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/ptx/ptx.h"
#include "jit/text.h"

const char *
ptx_skip(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            if (!end) {
                return at; /* The comment has no end. The caller then fails to
                            * parse its first character. */
            }
            at = end + 2;
        } else {
            return at;
        }
    }
}

static bool
is_word(char letter)
{
    return isalnum((unsigned char)letter) || (letter && strchr("_$%", letter));
}

/* Allocates `bytes` bytes in the arena of the reader. */
static char *
take_bytes(struct ptx *ptx, size_t bytes)
{
    struct ptx_arena *arena = &ptx->names;
    if (bytes > arena->size - arena->used) {
        arena->size = bytes < PTX_ARENA ? PTX_ARENA : bytes;
        arena->bytes = jit_allocate(arena->size);
        arena->used = 0;
    }
    arena->used += bytes;
    return arena->bytes + arena->used - bytes;
}

const char *
ptx_join_words(struct ptx *ptx, const char *first, size_t length,
               const char *second)
{
    size_t more = strlen(second);
    char *name = take_bytes(ptx, length + more + 1);
    memcpy(name, first, length);
    memcpy(name + length, second, more);
    name[length + more] = 0;
    return name;
}

const char *
ptx_read_word(struct ptx *ptx, const char *at, const char **word,
              const char *more)
{
    size_t n = 0;
    while (is_word(at[n]) || (at[n] && strchr(more, at[n]))) {
        n++;
    }
    if (!n) {
        return NULL;
    }
    *word = ptx_join_words(ptx, at, n, "");
    return at + n;
}

const char *
ptx_read_integer(struct ptx *ptx, const char *at, uint64_t *value)
{
    bool binary = at[0] == '0' && (at[1] == 'b' || at[1] == 'B');
    const char *digits = binary ? at + 2 : at;
    char *end;

    if (!isdigit((unsigned char)*digits)) {
        return NULL;
    }
    errno = 0;
    *value = strtoull(digits, &end, binary ? 2 : 0);
    if (errno == ERANGE) {
        ptx_fail(ptx, "a constant has more than 64 bits");
        return NULL;
    }
    return end == digits ? NULL : end + (*end == 'U');
}

const char *
ptx_read_number(struct ptx *ptx, const char *at, struct ptx_operand *operand)
{
    bool negative = *at == '-';
    const char *digits = at + negative;
    char *end;
    if (!isdigit((unsigned char)*digits)) {
        return NULL;
    }
    if (digits[0] == '0' && digits[1] && strchr("fFdD", digits[1])) {
        operand->kind = PTX_FLOAT;
        operand->width = strchr("fF", digits[1]) ? 32 : 64;
        size_t count = strspn(digits + 2, "0123456789abcdefABCDEF");
        if (count != operand->width / 4) {
            ptx_fail(ptx, "0%c is followed by %zu hexadecimal digits, not %d",
                     digits[1], count, (int)operand->width / 4);
            return NULL;
        }
        operand->bits = strtoull(digits + 2, &end, 16);
        if (negative) {
            operand->bits ^= 1ull << (operand->width - 1);
        }
        return end;
    }
    const char *fraction = digits + strspn(digits, "0123456789");
    if (*fraction == '.' || *fraction == 'e') {
        double value = strtod(digits, &end);
        operand->kind = PTX_FLOAT;
        operand->width = 64;
        memcpy(&operand->bits, &value, sizeof value);
        operand->bits ^= negative ? 1ull << 63 : 0;
        return end;
    }
    operand->kind = PTX_INTEGER;
    at = ptx_read_integer(ptx, digits, &operand->bits);
    operand->bits = negative ? -operand->bits : operand->bits;
    return at;
}

/* Reads a list in braces and adds its names to those of the operand. */
static const char *
read_list(struct ptx *ptx, const char *at, struct ptx_operand *operand)
{
    do {
        if (operand->count == PTX_MAX_ELEMENTS) {
            return NULL;
        }
        at = ptx_read_word(ptx, ptx_skip(at + 1),
                           &operand->names[operand->count++], ".-");
        at = at ? ptx_skip(at) : "";
    } while (*at == ',');
    return *at == '}' ? at + 1 : NULL;
}

/* Reads an address operand: [name + offset], or for a texture [name,
 * {coordinates}]. */
static const char *
read_address(struct ptx *ptx, const char *at, struct ptx_operand *operand)
{
    operand->kind = PTX_ADDRESS;
    operand->count = 1;
    at = ptx_skip(at + 1);
    at = ptx_read_word(ptx, at, &operand->names[0], "");
    at = at ? ptx_read_offset(ptx, at, &operand->offset) : NULL;
    if (at && *at == ',') {
        at = ptx_skip(at + 1);
        at = *at == '{' ? read_list(ptx, at, operand) : NULL;
        at = at ? ptx_skip(at) : NULL;
    }
    return at && *at == ']' ? at + 1 : NULL;
}

/* Tests whether a constant expression begins here: after signs, such as in
 * -(2 + 3), there is a digit or a parenthesis. */
static bool
begins_number(const char *at)
{
    while (*at && strchr("-+~!", *at)) {
        at = ptx_skip(at + 1);
    }
    return isdigit((unsigned char)*at) || *at == '(';
}

/* Reads the index of an array element, from the bracket on: [4], [register]
 * or [register + 4]. */
static const char *
read_index(struct ptx *ptx, const char *at, struct ptx_operand *operand)
{
    operand->kind = PTX_ELEMENT;
    operand->count = 2;
    operand->names[1] = "";
    at = ptx_skip(at + 1);
    if (begins_number(at)) {
        struct ptx_operand index = {0};
        at = ptx_read_expression(ptx, at, &index);
        operand->offset = (int64_t)index.bits;
        at = index.kind == PTX_INTEGER ? at : NULL;
    } else {
        at = ptx_read_word(ptx, at, &operand->names[1], ".");
        at = at ? ptx_read_offset(ptx, at, &operand->offset) : NULL;
    }
    at = at ? ptx_skip(at) : NULL;
    return at && *at == ']' ? at + 1 : NULL;
}

static const char *
read_operand(struct ptx *ptx, const char *at, struct ptx_operand *operand)
{
    *operand = (struct ptx_operand){0};
    operand->names[0] = "";
    if (*at == '[') {
        return read_address(ptx, at, operand);
    }
    if (*at == '{') {
        operand->kind = PTX_VECTOR;
        return read_list(ptx, at, operand);
    }
    if (begins_number(at)) {
        return ptx_read_expression(ptx, at, operand);
    }
    operand->kind = PTX_REGISTER;
    operand->count = 1;
    /* `!p` is the negation of a predicate, and `-r` an operand of vmad. The
     * mark '!' or '-' becomes the first character of the operand's name. */
    bool marked = *at == '!' || *at == '-';
    const char *word;
    const char *end = ptx_read_word(ptx, ptx_skip(at + marked), &word, ".<>");
    if (end && marked) {
        word = ptx_join_words(ptx, at, 1, word);
    }
    operand->names[0] = end ? word : "";
    if (end && !marked && *ptx_skip(end) == '[') {
        return read_index(ptx, ptx_skip(end), operand);
    }
    return end ? ptx_read_offset(ptx, end, &operand->offset) : NULL;
}

static const char *
read_operands(struct ptx *ptx, const char *at, struct ptx_statement *statement)
{
    at = ptx_skip(at);
    while (*at && *at != ';') {
        if (statement->operand_count == PTX_MAX_OPERANDS) {
            return NULL;
        }
        at = read_operand(ptx, at,
                          &statement->operands[statement->operand_count++]);
        if (!at) {
            return NULL;
        }
        at = ptx_skip(at);
        if (*at == ',' || *at == '|') {
            at = ptx_skip(at + 1);
        } else if (*at && *at != ';') {
            return NULL;
        }
    }
    return at;
}

/* Reads the modifiers of an operation, such as .cc.u32 of add.cc.u32. */
static const char *
read_modifiers(struct ptx *ptx, const char *at,
               struct ptx_statement *statement)
{
    while (at) {
        const char *next = ptx_skip(at);
        if (*next != '.') {
            break;
        }
        if (statement->modifier_count == PTX_MAX_MODIFIERS) {
            return NULL;
        }
        at = ptx_read_word(ptx, next + 1,
                           &statement->modifiers[statement->modifier_count++],
                           ":");
    }
    return at;
}

/* Returns the end of a directive, which is its semicolon. The directives .loc
 * and .file end with their line. */
static const char *
directive_end(const char *name, const char *at)
{
    if (strcmp(name, "loc") == 0 || strcmp(name, "file") == 0) {
        return at + strcspn(at, "\n");
    }
    bool quoted = false;
    for (; *at && (quoted || *at != ';'); at++) {
        quoted ^= *at == '"';
    }
    return at;
}

/* Returns true for operations such as call, whose operands have their own
 * syntax. */
static bool
has_raw_operands(const struct ptx_statement *statement, bool dotted)
{
    static const char *const directives[] = {"reg", NULL};
    if (!dotted) {
        return strcmp(statement->operation, "call") == 0;
    }
    for (size_t i = 0; directives[i]; i++) {
        if (strcmp(statement->operation, directives[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* Called after a label. If the label is the name of a list of labels (such as
 * .branchtargets) or of a function prototype, reads the list or prototype. */
static const char *
read_targets(const char *at, struct ptx_statement *statement)
{
    static const char *const directives[] = {".branchtargets", ".calltargets",
                                             ".callprototype"};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        size_t length = strlen(directives[i]);
        if (strncmp(at, directives[i], length) == 0) {
            statement->kind = PTX_TARGETS;
            statement->raw = at + length;
            at += strcspn(at, ";");
            return at + (*at == ';');
        }
    }
    return at;
}

/* Parses the rest of a statement, from its operation on. */
static const char *
read_instruction(struct ptx *ptx, const char *at,
                 struct ptx_statement *statement)
{
    bool dotted = *at == '.';
    at = ptx_read_word(ptx, at + dotted, &statement->operation, "");
    if (at && !dotted && *ptx_skip(at) == ':') {
        statement->kind = PTX_LABEL;
        return read_targets(ptx_skip(ptx_skip(at) + 1), statement);
    }
    if (at && has_raw_operands(statement, dotted)) {
        statement->kind = dotted ? PTX_DIRECTIVE : PTX_CALL;
        if (!dotted) {
            at = read_modifiers(ptx, at, statement);
        }
        statement->raw = at;
        at = at ? directive_end(statement->operation, at) : NULL;
        return at && *at == ';' ? at + 1 : at;
    }
    at = at ? read_modifiers(ptx, at, statement) : NULL;
    at = at ? read_operands(ptx, at, statement) : NULL;
    return at && *at == ';' ? at + 1 : at;
}

bool
ptx_parse(struct ptx *ptx, const char **text, struct ptx_statement *statement)
{
    *statement = (struct ptx_statement){.predicate = "", .operation = ""};
    const char *at = ptx_skip(*text);
    if (*at == '{' || *at == '}') {
        statement->kind = *at == '{' ? PTX_OPEN : PTX_CLOSE;
        *text = at + 1;
        return true;
    }
    if (*at == '@') {
        statement->inverted = at[1] == '!';
        at = ptx_read_word(ptx, ptx_skip(at + 1 + statement->inverted),
                           &statement->predicate, "");
        at = at ? ptx_skip(at) : NULL;
    }
    if (at && *at == ';') {
        at++;
    } else if (at && *at) {
        at = read_instruction(ptx, at, statement);
    }
    if (!at) {
        return ptx_fail(ptx, "its syntax is not supported");
    }
    *text = at;
    return true;
}

bool
ptx_parse_type(const char *text, struct ptx_type *type)
{
    if (strcmp(text, "pred") == 0) {
        *type = (struct ptx_type){'p', 1};
        return true;
    }
    char *end;
    *type = (struct ptx_type){text[0], 0};
    if (!strchr("busf", text[0]) || !isdigit((unsigned char)text[1])) {
        return false;
    }
    type->bits = (unsigned)strtoul(text + 1, &end, 10);
    bool known = type->bits == 8 || type->bits == 16 || type->bits == 32 ||
                 type->bits == 64 ||
                 (type->bits == 128 && type->letter == 'b');
    return known && !*end && !(type->letter == 'f' && type->bits == 8);
}

bool
ptx_has(const struct ptx_statement *statement, const char *modifier)
{
    for (unsigned i = 0; i < statement->modifier_count; i++) {
        if (strcmp(statement->modifiers[i], modifier) == 0) {
            return true;
        }
    }
    return false;
}

bool
ptx_is_word(const char *list, const char *word)
{
    char quoted[64];

    snprintf(quoted, sizeof quoted, " %s ", word);
    return strstr(list, quoted) != NULL;
}

bool
ptx_has_row_col(const struct ptx_statement *statement)
{
    for (unsigned i = 0; i + 1 < statement->modifier_count; i++) {
        if (strcmp(statement->modifiers[i], "row") == 0 &&
            strcmp(statement->modifiers[i + 1], "col") == 0) {
            return true;
        }
    }
    return false;
}

bool
ptx_only(const struct ptx_statement *statement, const char *words)
{
    for (unsigned i = 0; i < statement->modifier_count; i++) {
        struct ptx_type type;
        const char *own = statement->modifiers[i];
        bool hint =
            ptx_is_word(" ld st atom red cp prefetch createpolicy "
                        "applypriority ",
                        statement->operation) &&
            (strncmp(own, "L1::", 4) == 0 || strncmp(own, "L2::", 4) == 0);
        if (!ptx_parse_type(own, &type) && !hint && !ptx_is_word(words, own)) {
            return false;
        }
    }
    return true;
}
