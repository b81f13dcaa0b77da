/* modifiers.c - checks the modifiers of an instruction of PTX: their types,
 * those that exclude each other, and by the table of forms.c the form.
 *
 * Without these checks, a wrong combination of modifiers would be accepted,
 * only one of them would have an effect, and the instruction would not compute
 * what its author meant.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"

bool
ptx_names_type(const char *word)
{
    struct ptx_type type;
    struct ptx_half half;
    return ptx_parse_type(word, &type) || ptx_half_parse(word, &half);
}

/* Returns the maximum number of types that the operation's modifiers may
 * contain. */
static unsigned
most_types(const char *operation)
{
    static const char *const lists[] = {
        " applypriority bra brkpt brx call discard elect exit fence "
        "griddepcontrol isspacep membar nop pmevent prefetch prefetchu ret "
        "trap ",
        NULL,
        " dp2a dp4a set slct tex tld4 vset vset2 vset4 ",
        " cvt ",
        " mma wmma ",
    };
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i] && ptx_is_word(lists[i], operation)) {
            return i;
        }
    }
    return operation[0] == 'v' && strcmp(operation, "vote") != 0 ? 3 : 1;
}

/* Returns true if the statement has at most one modifier of each group; a
 * group lists modifiers that exclude each other. A modifier that is repeated
 * is accepted. */
static bool
has_no_conflict(const struct ptx_statement *statement)
{
    static const char *const groups[] = {
        " rn rz rm rp rna rni rzi rmi rpi approx full ",
        " v2 v4 v8 ",
        " cta cluster gpu sys gl ",
        " ca cg cs lu cv wb wt ",
        " eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan wide ",
        " up down bfly idx ",
        " weak volatile relaxed acquire release acq_rel sc ",
        " clamp wrap trap zero ",
        " finite infinite number notanumber normal subnormal ",
        " x1 x2 x4 ",
        " all any uni ballot ",
        " f4e b4e rc8 ecl ecr rc16 ",
        " 1d 2d 3d a1d a2d cube acube ",
        " add and or xor exch min max cas inc dec ",
        " global shared shared::cta shared::cluster local const param "
        "param::entry param::func generic ",
    };
    enum { SPACES = sizeof groups / sizeof *groups - 1 };
    /* A copy may have two state spaces: those of its source and of its
     * destination. */
    bool copies = strcmp(statement->operation, "cp") == 0;
    for (unsigned i = 1; i < statement->modifier_count; i++) {
        const char *own = statement->modifiers[i];
        for (unsigned k = 0; k < i; k++) {
            const char *other = statement->modifiers[k];
            for (unsigned g = 0; g <= SPACES; g++) {
                if (strcmp(own, other) != 0 && ptx_is_word(groups[g], own) &&
                    ptx_is_word(groups[g], other) &&
                    !(copies && g == SPACES)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Tests whether the word is a type of any operation; ptx_names_type does not
 * know those that only conversions and pairs of integers have. */
static bool
is_type(const char *word)
{
    return ptx_names_type(word) ||
           ptx_is_word(" tf32 s16x2 u16x2 e4m3x2 e5m2x2 ", word);
}

void
ptx_order_modifiers(struct ptx_statement *statement)
{
    static const char movable[] =
        " relu sat ftz satfinite approx full rn rz rm rp rna rni rzi rmi rpi ";
    /* These operations have types of several operands or modifiers that
     * follow their types by rule. */
    bool fixed = ptx_is_word(" mma wmma tex tld4 ", statement->operation) ||
                 statement->operation[0] == 'v';
    unsigned first = 0, n = statement->modifier_count;
    const char **words = statement->modifiers;
    while (first < n && !is_type(words[first])) {
        first++;
    }
    for (unsigned i = first + 1; i < n && !fixed; i++) {
        const char *word = words[i];
        if (ptx_is_word(movable, word)) {
            memmove(&words[first + 1], &words[first],
                    (i - first) * sizeof *words);
            words[first++] = word;
        }
    }
}

bool
ptx_check_modifiers(struct ptx *ptx, const struct ptx_statement *statement)
{
    unsigned types = 0;
    for (unsigned i = 0; i < statement->modifier_count; i++) {
        types += ptx_names_type(statement->modifiers[i]);
    }
    if (types > most_types(statement->operation)) {
        return ptx_fail(ptx, "'%s' has too many types", statement->operation);
    }
    if (!has_no_conflict(statement)) {
        return ptx_fail(ptx, "modifiers of '%s' exclude each other",
                        statement->operation);
    }
    return ptx_check_form(ptx, statement);
}
