/* text.c - parses the text of inline PTX, one statement at a time.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/ptx/ptx.h"

/* Returns the text after blanks and comments, and after braces if `braces` is
 * set. Braces open scopes. Registers remain declared after their scope here,
 * which does no harm. */
static const char *
skip(const char *at, bool braces)
{
    for (;;) {
        if (isspace((unsigned char)*at) ||
            (braces && (*at == '{' || *at == '}'))) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
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

/* Copies a word: letters, digits, "_$%" and the characters of `more`. Returns
 * the text after it, or NULL if the word is empty or too long. */
static const char *
read_word(const char *at, char *word, const char *more)
{
    size_t n = 0;
    while (is_word(at[n]) || (at[n] && strchr(more, at[n]))) {
        n++;
    }
    if (!n || n >= PTX_NAME) {
        return NULL;
    }
    memcpy(word, at, n);
    word[n] = 0;
    return at + n;
}

/* Parses a number such as 12, -3, 0x1fU, 1.5, or the bits of a float in
 * hexadecimal: 0f3F800000, 0d.... */
static const char *
read_number(const char *at, struct ptx_operand *operand)
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
        operand->bits = strtoull(digits + 2, &end, 16);
        if (negative) {
            operand->bits ^= 1ull << (operand->width - 1);
        }
        return end;
    }
    operand->kind = PTX_INTEGER;
    operand->bits = strtoull(digits, &end, 0);
    if (*end == '.' || *end == 'e') {
        double value = strtod(digits, &end);
        operand->kind = PTX_FLOAT;
        operand->width = 64;
        memcpy(&operand->bits, &value, sizeof value);
        operand->bits ^= negative ? 1ull << 63 : 0;
        return end;
    }
    operand->bits = negative ? -operand->bits : operand->bits;
    return end + (*end == 'U');
}

static const char *
read_address(const char *at, struct ptx_operand *operand)
{
    operand->kind = PTX_ADDRESS;
    at = read_word(skip(at + 1, false), operand->names[0], "");
    if (!at) {
        return NULL;
    }
    operand->count = 1;
    at = skip(at, false);
    if (*at == '+' || *at == '-') {
        bool negative = *at == '-';
        char *end;
        at = skip(at + 1, false);
        negative ^= *at == '-';
        uint64_t distance = strtoull(at + (*at == '-'), &end, 0);
        operand->offset = (int64_t)(negative ? -distance : distance);
        at = skip(end, false);
    }
    return *at == ']' ? at + 1 : NULL;
}

static const char *
read_vector(const char *at, struct ptx_operand *operand)
{
    operand->kind = PTX_VECTOR;
    do {
        if (operand->count == PTX_MAX_ELEMENTS) {
            return NULL;
        }
        at = read_word(skip(at + 1, false), operand->names[operand->count++],
                       ".");
        at = at ? skip(at, false) : "";
    } while (*at == ',');
    return *at == '}' ? at + 1 : NULL;
}

static const char *
read_operand(const char *at, struct ptx_operand *operand)
{
    *operand = (struct ptx_operand){0};
    if (*at == '[') {
        return read_address(at, operand);
    }
    if (*at == '{') {
        return read_vector(at, operand);
    }
    if (isdigit((unsigned char)*at) || *at == '-') {
        return read_number(at, operand);
    }
    operand->kind = PTX_REGISTER;
    operand->count = 1;
    return read_word(at, operand->names[0], ".<>");
}

static const char *
read_operands(const char *at, struct ptx_statement *statement)
{
    at = skip(at, false);
    while (*at && *at != ';') {
        if (statement->operand_count == PTX_MAX_OPERANDS) {
            return NULL;
        }
        at =
            read_operand(at, &statement->operands[statement->operand_count++]);
        if (!at) {
            return NULL;
        }
        at = skip(at, false);
        if (*at == ',' || *at == '|') {
            at = skip(at + 1, false);
        } else if (*at && *at != ';') {
            return NULL;
        }
    }
    return at;
}

/* Reads the operation and its modifiers, such as add.cc.u32. For the
 * declaration `.reg .b32 a, b;` the operation is ".reg". */
static const char *
read_operation(const char *at, struct ptx_statement *statement)
{
    at = read_word(at + (*at == '.'), statement->operation, "");
    while (at) {
        const char *next = skip(at, false);
        if (*next != '.') {
            break;
        }
        if (statement->modifier_count == PTX_MAX_MODIFIERS) {
            return NULL;
        }
        at = read_word(next + 1,
                       statement->modifiers[statement->modifier_count++], ":");
    }
    return at;
}

bool
ptx_parse(struct ptx *ptx, const char **text, struct ptx_statement *statement)
{
    *statement = (struct ptx_statement){0};
    const char *at = skip(*text, true);
    if (*at == '@') {
        statement->inverted = at[1] == '!';
        at = read_word(skip(at + 1 + statement->inverted, false),
                       statement->predicate, "");
        at = at ? skip(at, true) : NULL;
    }
    if (at && *at && *at != ';') {
        at = read_operation(at, statement);
        at = at ? read_operands(at, statement) : NULL;
    }
    if (!at) {
        return ptx_fail(ptx, "its syntax is not supported");
    }
    *text = *at == ';' ? at + 1 : at;
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
                 type->bits == 64;
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
ptx_only(const struct ptx_statement *statement, const char *words)
{
    for (unsigned i = 0; i < statement->modifier_count; i++) {
        struct ptx_type type;
        const char *own = statement->modifiers[i];
        char quoted[PTX_NAME + 3];
        snprintf(quoted, sizeof quoted, " %s ", own);
        bool hint =
            strncmp(own, "L1::", 4) == 0 || strncmp(own, "L2::", 4) == 0;
        if (!ptx_parse_type(own, &type) && !hint && !strstr(words, quoted)) {
            return false;
        }
    }
    return true;
}
