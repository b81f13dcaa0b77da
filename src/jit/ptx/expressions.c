/* expressions.c - constant expressions of PTX, as in mov.u32 r, (4 << 2) + 1.
 *
 * Integers have 64 bits. They are signed, unless they are written with U or
 * are too large for a signed integer. Floats are doubles. The operators and
 * their precedence are those of C.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "jit/ptx/ptx.h"

/* Limit on the nesting of an expression. */
enum { MAX_DEPTH = 64 };

struct value {
    bool real, is_unsigned;
    uint64_t bits; /* bits of a 64-bit integer or of a double */
    /* a float that was written as 0f... keeps its width */
    unsigned width;
};

/* ---- operators ---- */

enum operator_kind {
    OPERATOR_OR_ELSE,
    OPERATOR_AND_THEN,
    OPERATOR_OR,
    OPERATOR_XOR,
    OPERATOR_AND,
    OPERATOR_EQ,
    OPERATOR_NE,
    OPERATOR_LE,
    OPERATOR_GE,
    OPERATOR_SHL,
    OPERATOR_SHR,
    OPERATOR_LT,
    OPERATOR_GT,
    OPERATOR_ADD,
    OPERATOR_SUB,
    OPERATOR_MUL,
    OPERATOR_DIV,
    OPERATOR_REM,
    OPERATOR_COUNT
};

/* An operator comes before its prefixes ("||" before "|"), because the first
 * row that matches the text is used. */
static const struct {
    const char *text;
    unsigned level;
} operators[OPERATOR_COUNT] = {
    [OPERATOR_OR_ELSE] = {"||", 1}, [OPERATOR_AND_THEN] = {"&&", 2},
    [OPERATOR_OR] = {"|", 3},       [OPERATOR_XOR] = {"^", 4},
    [OPERATOR_AND] = {"&", 5},      [OPERATOR_EQ] = {"==", 6},
    [OPERATOR_NE] = {"!=", 6},      [OPERATOR_LE] = {"<=", 7},
    [OPERATOR_GE] = {">=", 7},      [OPERATOR_SHL] = {"<<", 8},
    [OPERATOR_SHR] = {">>", 8},     [OPERATOR_LT] = {"<", 7},
    [OPERATOR_GT] = {">", 7},       [OPERATOR_ADD] = {"+", 9},
    [OPERATOR_SUB] = {"-", 9},      [OPERATOR_MUL] = {"*", 10},
    [OPERATOR_DIV] = {"/", 10},     [OPERATOR_REM] = {"%", 10},
};

enum { LEVEL_ADD = 9 };

/* Finds the binary operator at `at`. Returns OPERATOR_COUNT if there is
 * none. */
static enum operator_kind
operator_at(const char *at)
{
    unsigned kind = 0;
    while (kind < OPERATOR_COUNT &&
           strncmp(at, operators[kind].text, strlen(operators[kind].text))) {
        kind++;
    }
    /* A % before a letter or '_' is no operator: it begins the name of a
     * register. */
    if (kind == OPERATOR_REM &&
        (isalpha((unsigned char)at[1]) || at[1] == '_')) {
        return OPERATOR_COUNT;
    }
    return (enum operator_kind)kind;
}

static double
as_double(struct value value)
{
    double number;
    memcpy(&number, &value.bits, sizeof number);
    return number;
}

static struct value
of_double(double number)
{
    struct value value = {.real = true, .width = 64};
    memcpy(&value.bits, &number, sizeof number);
    return value;
}

static struct value
of_truth(bool truth)
{
    return (struct value){.bits = truth};
}

/* Applies an operator to two floats. Returns false if the operator is not
 * defined for floats. */
static bool
apply_real(enum operator_kind kind, double a, double b, struct value *result)
{
    switch (kind) {
    case OPERATOR_ADD:
    case OPERATOR_SUB:
        *result = of_double(kind == OPERATOR_ADD ? a + b : a - b);
        return true;
    case OPERATOR_MUL:
    case OPERATOR_DIV:
        *result = of_double(kind == OPERATOR_MUL ? a * b : a / b);
        return true;
    default:
        return false;
    }
}

/* Computes a quotient or a remainder. The remainder treats both operands as
 * unsigned. Returns false if the divisor is 0. */
static bool
divide(bool remainder, struct value a, struct value b, struct value *result)
{
    if (!b.bits) {
        return false;
    }
    if (remainder || result->is_unsigned) {
        result->bits = remainder ? a.bits % b.bits : a.bits / b.bits;
    } else if (b.bits == UINT64_MAX) {
        result->bits = -a.bits;
    } else {
        result->bits = (uint64_t)((int64_t)a.bits / (int64_t)b.bits);
    }
    return true;
}

static bool
is_less(struct value a, struct value b)
{
    return a.is_unsigned || b.is_unsigned ? a.bits < b.bits
                                          : (int64_t)a.bits < (int64_t)b.bits;
}

static uint64_t
shift_right(struct value a, uint64_t by)
{
    bool negative = !a.is_unsigned && (int64_t)a.bits < 0;
    uint64_t fill = negative ? UINT64_MAX : 0;
    return by == 0   ? a.bits
           : by > 63 ? fill
                     : a.bits >> by | (negative ? fill << (64 - by) : 0);
}

/* Computes a comparison of integers, or a logical operator. Returns false for
 * other operators. */
static bool
test_integers(enum operator_kind kind, struct value a, struct value b,
              struct value *result)
{
    switch (kind) {
    case OPERATOR_OR_ELSE:
    case OPERATOR_AND_THEN:
        *result = of_truth(kind == OPERATOR_OR_ELSE ? a.bits || b.bits
                                                    : a.bits && b.bits);
        return true;
    case OPERATOR_EQ:
    case OPERATOR_NE:
        *result = of_truth((a.bits == b.bits) == (kind == OPERATOR_EQ));
        return true;
    case OPERATOR_LT:
    case OPERATOR_GE:
        *result = of_truth(is_less(a, b) == (kind == OPERATOR_LT));
        return true;
    case OPERATOR_GT:
    case OPERATOR_LE:
        *result = of_truth(is_less(b, a) == (kind == OPERATOR_GT));
        return true;
    default:
        return false;
    }
}

/* Applies an operator to two integers. Returns false if the result is
 * undefined, as for a division by 0. */
static bool
apply_integer(enum operator_kind kind, struct value a, struct value b,
              struct value *result)
{
    bool shifts = kind == OPERATOR_SHL || kind == OPERATOR_SHR;
    if (test_integers(kind, a, b, result)) {
        return true;
    }
    *result = (struct value){.is_unsigned =
                                 a.is_unsigned || (b.is_unsigned && !shifts)};
    switch (kind) {
    case OPERATOR_OR:
        result->bits = a.bits | b.bits;
        return true;
    case OPERATOR_XOR:
        result->bits = a.bits ^ b.bits;
        return true;
    case OPERATOR_AND:
        result->bits = a.bits & b.bits;
        return true;
    case OPERATOR_SHL:
        result->bits = b.bits > 63 ? 0 : a.bits << b.bits;
        return true;
    case OPERATOR_SHR:
        result->bits = shift_right(a, b.bits);
        return true;
    case OPERATOR_ADD:
        result->bits = a.bits + b.bits;
        return true;
    case OPERATOR_SUB:
        result->bits = a.bits - b.bits;
        return true;
    case OPERATOR_MUL:
        result->bits = a.bits * b.bits;
        return true;
    case OPERATOR_DIV:
    case OPERATOR_REM:
        return divide(kind == OPERATOR_REM, a, b, result);
    default:
        return false;
    }
}

/* Applies a binary operator. As in ptxas, both operands must be integers, or
 * both must be floats in decimal notation. Returns false if they are not, or
 * if the result is undefined. */
static bool
apply(enum operator_kind kind, struct value a, struct value b,
      struct value *result)
{
    if (a.real != b.real || a.width == 32 || b.width == 32) {
        return false;
    }
    return a.real ? apply_real(kind, as_double(a), as_double(b), result)
                  : apply_integer(kind, a, b, result);
}

/* ---- the parser: functions return the text after what they read, or NULL
 * ---- */

static const char *read_choice(struct ptx *ptx, const char *at,
                               struct value *value, unsigned depth);

/* Reads a number, an expression in parentheses, or an operand with a sign, a
 * cast or another operator before it. */
static const char *read_unary(struct ptx *ptx, const char *at,
                              struct value *value, unsigned depth);

static const char *
read_parenthesis(struct ptx *ptx, const char *at, struct value *value,
                 unsigned depth)
{
    static const char *const casts[] = {"(.s64)", "(.u64)"};
    for (unsigned i = 0; i < 2; i++) {
        if (strncmp(at, casts[i], strlen(casts[i])) == 0) {
            at = read_unary(ptx, ptx_skip(at + strlen(casts[i])), value,
                            depth + 1);
            value->is_unsigned = i;
            return at && !value->real ? at : NULL;
        }
    }
    at = read_choice(ptx, ptx_skip(at + 1), value, depth + 1);
    at = at ? ptx_skip(at) : NULL;
    return at && *at == ')' ? at + 1 : NULL;
}

static const char *
read_unary(struct ptx *ptx, const char *at, struct value *value,
           unsigned depth)
{
    struct ptx_operand number = {0};
    if (depth > MAX_DEPTH) {
        return NULL;
    }
    if (*at == '(') {
        return read_parenthesis(ptx, at, value, depth);
    }
    if (isdigit((unsigned char)*at)) {
        at = ptx_read_number(ptx, at, &number);
        *value = (struct value){.real = number.kind == PTX_FLOAT,
                                .bits = number.bits,
                                .width = number.width};
        value->is_unsigned =
            !value->real && at && (at[-1] == 'U' || number.bits >> 63);
        return at;
    }
    char sign = *at;
    if (!sign || !strchr("+-~!", sign)) {
        return NULL;
    }
    at = read_unary(ptx, ptx_skip(at + 1), value, depth + 1);
    if (!at || (value->real && sign != '-' && sign != '+')) {
        return NULL;
    }
    if (sign == '-' && value->real) {
        value->bits ^= 1ull << (value->width - 1);
    } else if (sign == '-') {
        value->bits = -value->bits;
    } else if (sign == '~') {
        value->bits = ~value->bits;
    } else if (sign == '!') {
        *value = of_truth(!value->bits);
    }
    return at;
}

/* Called after the left operand in `value` was read. Reads the operators with
 * the precedence `level` or higher, and their right operands. Stores the
 * result in `value`. */
static const char *
read_rest(struct ptx *ptx, const char *at, struct value *value, unsigned level,
          unsigned depth)
{
    while (at) {
        struct value right;
        const char *next = ptx_skip(at);
        enum operator_kind kind = operator_at(next);
        if (kind == OPERATOR_COUNT || operators[kind].level < level) {
            return at;
        }
        next = ptx_skip(next + strlen(operators[kind].text));
        next = read_unary(ptx, next, &right, depth);
        at = next ? read_rest(ptx, next, &right, operators[kind].level + 1,
                              depth)
                  : NULL;
        if (!at || !apply(kind, *value, right, value)) {
            return NULL;
        }
    }
    return NULL;
}

/* Reads a complete expression, including a ? b : c, which has the lowest
 * precedence of all operators. */
static const char *
read_choice(struct ptx *ptx, const char *at, struct value *value,
            unsigned depth)
{
    struct value yes, no;
    at = read_unary(ptx, at, value, depth);
    at = at ? read_rest(ptx, at, value, 1, depth) : NULL;
    if (!at || *ptx_skip(at) != '?') {
        return at;
    }
    at = depth < MAX_DEPTH && !value->real
             ? read_choice(ptx, ptx_skip(ptx_skip(at) + 1), &yes, depth + 1)
             : NULL;
    at = at ? ptx_skip(at) : NULL;
    at = at && *at == ':' ? read_choice(ptx, ptx_skip(at + 1), &no, depth + 1)
                          : NULL;
    if (!at || yes.real || no.real) {
        return NULL;
    }
    *value = value->bits ? yes : no;
    return at;
}

const char *
ptx_read_expression(struct ptx *ptx, const char *at,
                    struct ptx_operand *operand)
{
    struct value value = {0};
    at = read_choice(ptx, at, &value, 0);
    operand->kind = value.real ? PTX_FLOAT : PTX_INTEGER;
    operand->width = value.width;
    operand->bits = value.bits;
    return at;
}

const char *
ptx_read_offset(struct ptx *ptx, const char *at, int64_t *offset)
{
    struct value value = {0};
    const char *next = ptx_skip(at);
    *offset = 0;
    if (*next != '+' && *next != '-') {
        return next;
    }
    at = read_rest(ptx, at, &value, LEVEL_ADD, 0);
    *offset = (int64_t)value.bits;
    return at && !value.real ? ptx_skip(at) : NULL;
}
