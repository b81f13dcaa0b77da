/* video_lanes.c - video instructions of PTX on two halves or four bytes.
 *
 * The selector of an operand can name elements of both operands: they are
 * numbered from 0, those of a first. For example, r1.h32 selects the halves of
 * b even if r1 is the operand a. The results replace the elements of operand c
 * that a mask names, or are all added to c (.add).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/video.h"

enum { MAX_LANES = 4 };

/* The halves or bytes on which an instruction operates. */
struct lanes {
    struct ptx *ptx;
    unsigned count, bits;  /* number of elements, and their width */
    LLVMValueRef whole[2]; /* operands a and b */
    /* from[k][i]: number of the source element that becomes element i of
     * operand k of the operation. Element 0 is the lowest. The source elements
     * are those of register a, numbered from 0, followed by those of b. */
    unsigned from[2][MAX_LANES];
    unsigned mask; /* bit i: element i is written */
};

/* Parses a selector such as h32 or b7531; its last digit is the index of the
 * element that becomes element 0. Without a selector, the elements of operand
 * `k` are used in their order. */
static bool
read_selector(struct lanes *lanes, const char *selector, unsigned k)
{
    for (unsigned i = 0; i < lanes->count; i++) {
        lanes->from[k][i] = k * lanes->count + i;
    }
    if (!selector[0]) {
        return true;
    }
    if (selector[0] != (lanes->count == 2 ? 'h' : 'b') ||
        strlen(selector) != lanes->count + 1) {
        return false;
    }
    for (unsigned i = 0; i < lanes->count; i++) {
        unsigned index = (unsigned)(selector[lanes->count - i] - '0');
        if (index >= 2 * lanes->count) {
            return false;
        }
        lanes->from[k][i] = index;
    }
    return true;
}

/* Parses the mask of the result, such as h1 or b320. */
static bool
read_mask(struct lanes *lanes, const char *mask)
{
    lanes->mask = (1u << lanes->count) - 1;
    if (!mask) {
        return true;
    }
    if (mask[0] != (lanes->count == 2 ? 'h' : 'b') || !mask[1]) {
        return false;
    }
    lanes->mask = 0;
    for (mask++; *mask; mask++) {
        unsigned index = (unsigned)(*mask - '0');
        /* Digits that are not in descending order are an error. */
        if (index >= lanes->count || lanes->mask & ((2u << index) - 1)) {
            return false;
        }
        lanes->mask |= 1u << index;
    }
    return true;
}

/* Returns element `i` of operand `k`, as an i64. */
static LLVMValueRef
element(struct lanes *lanes, unsigned k, unsigned i, bool is_signed)
{
    unsigned index = lanes->from[k][i];
    return ptx_extract_part(lanes->ptx, lanes->whole[index / lanes->count],
                            index % lanes->count * lanes->bits, lanes->bits,
                            is_signed);
}

static bool
read_lanes(struct lanes *lanes, const struct ptx_statement *statement)
{
    const struct ptx_operand *operands = statement->operands;
    struct ptx_part part;
    size_t length = strlen(statement->operation);
    lanes->count = statement->operation[length - 1] == '2' ? 2 : 4;
    lanes->bits = 32 / lanes->count;
    for (unsigned k = 0; k < 2; k++) {
        if (!ptx_read_part(lanes->ptx, &operands[k + 1], &part)) {
            return false;
        }
        if (part.negated || !read_selector(lanes, part.selector, k)) {
            return ptx_form_refuse(lanes->ptx, statement->operation);
        }
        lanes->whole[k] = part.value;
    }
    const char *dot = operands->kind == PTX_REGISTER
                          ? strrchr(operands->names[0], '.')
                          : NULL;
    return read_mask(lanes, dot ? dot + 1 : NULL) ||
           ptx_form_refuse(lanes->ptx, statement->operation);
}

bool
ptx_build_video_lanes(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct lanes lanes = {.ptx = ptx};
    LLVMBuilderRef builder = ptx->jit->builder;
    bool types[3] = {0}, sets = strncmp(statement->operation, "vset", 4) == 0;
    unsigned wanted = sets ? 2 : 3;
    bool adds = ptx_has(statement, "add"), limits = ptx_has(statement, "sat");
    if (!ptx_only(statement, " sat add eq ne lt le gt ge ") ||
        (adds && limits) || statement->operand_count != 4 ||
        ptx_part_types(statement, types, 3) != wanted) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    struct ptx_type word = {'u', 32};
    LLVMValueRef c = read_lanes(&lanes, statement)
                         ? ptx_read(ptx, &statement->operands[3], word, false)
                         : NULL;
    for (unsigned i = 0; c && i < lanes.count; i++) {
        LLVMValueRef a = element(&lanes, 0, i, types[wanted - 2]);
        LLVMValueRef b = element(&lanes, 1, i, types[wanted - 1]);
        LLVMValueRef value = sets ? ptx_compare_parts(ptx, statement, a, b)
                                  : ptx_combine_parts(ptx, statement, a, b);
        if (!value) {
            return ptx_form_refuse(ptx, statement->operation);
        }
        if (!(lanes.mask >> i & 1)) {
            continue;
        }
        if (limits) {
            value = ptx_limit_part(ptx, value, lanes.bits, types[0]);
        }
        if (adds) {
            value = LLVMBuildTrunc(builder, value, ptx->jit->i32, "");
            c = LLVMBuildAdd(builder, c, value, "");
        } else {
            c = ptx_insert_part(ptx, c, value, i * lanes.bits, lanes.bits);
        }
    }
    return c && ptx_write_part(ptx, statement->operands, c);
}
