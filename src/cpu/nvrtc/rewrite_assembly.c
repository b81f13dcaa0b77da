/* rewrite_assembly.c - the rule for '%' in the text of inline assembly.
 *
 * Called by rewrite.c. NVRTC accepts "mov.u32 %0, %laneid;" as well as
 * "mov.u32 %0, %%laneid;"; clang accepts only the latter. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/rewrite.h"

/* Returns true if the position is inside a string literal that begins on the
 * same line. */
static bool
is_in_literal(const char *source, const char *at)
{
    const char *line = at;
    bool quoted = false;

    while (line > source && line[-1] != '\n') {
        line--;
    }
    for (; line < at; line++) {
        if (*line == '\\' && quoted) {
            line++;
        } else if (*line == '"') {
            quoted = !quoted;
        }
    }
    return quoted;
}

/* Returns true if the '%' begins the name of a register, as in %laneid.
 * Returns false if it begins an operand, as in %0 and %[name], or an operand
 * with a modifier, as in %r1. */
static bool
begins_register(const char *percent)
{
    unsigned char first = (unsigned char)percent[1];

    return (isalpha(first) || first == '_') &&
           !isdigit((unsigned char)percent[2]);
}

/* Adds an edit that doubles the '%' at the position, unless an edit for
 * another message does so already. */
static void
percent_double(const struct nvrtc_remark *remark, const char *at,
               struct nvrtc_edits *edits)
{
    size_t offset = (size_t)(at - remark->source);

    if (!nvrtc_edits_touch(edits, offset)) {
        nvrtc_edits_add(edits, offset, 0, "%%");
    }
}

/* Doubles the '%' at the end of a literal on the source line of the message or
 * on a continuation line of this line: the name of the register is in the next
 * literal, as in "mov.u32 %0, %" #name ";". */
static bool
last_percent_double(const struct nvrtc_remark *remark,
                    struct nvrtc_edits *edits)
{
    const char *at = remark->at;

    while (at > remark->source &&
           (at[-1] != '\n' || (at - remark->source > 1 && at[-2] == '\\'))) {
        at--;
    }
    for (; *at && (*at != '\n' || (at > remark->source && at[-1] == '\\'));
         at++) {
        if (at[0] == '%' && at[1] == '%') {
            at++;
        } else if (at[0] == '%' && at[1] == '"' &&
                   is_in_literal(remark->source, at)) {
            percent_double(remark, at, edits);
            return true;
        }
    }
    return false;
}

/* The message is about a single '%' before a register's name. Doubles this '%'
 * and all such '%' after it in the same literal. The first one is two
 * characters before remark->at, unless a macro has composed the text. */
bool
nvrtc_percent_rule(const struct nvrtc_remark *remark,
                   struct nvrtc_edits *edits)
{
    const char *at = remark->at - 2;

    if (remark->at - remark->source < 2 || *at != '%' ||
        !begins_register(at) || !is_in_literal(remark->source, at)) {
        return last_percent_double(remark, edits);
    }
    for (; *at && *at != '"' && *at != '\n'; at++) {
        if (at[0] == '\\' && at[1]) {
            at++;
        } else if (at[0] == '%' && at[1] == '%') {
            at++;
        } else if (at[0] == '%' && begins_register(at)) {
            percent_double(remark, at, edits);
        }
    }
    return true;
}
