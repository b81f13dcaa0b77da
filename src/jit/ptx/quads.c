/* quads.c - mma.sync of PTX with halves in the shape m8n8k4.
 *
 * The warp computes four products of 8 by 4 and 4 by 8 elements. Each belongs
 * to eight lanes, the quads q and q + 4: the lanes 4 q to 4 q + 3 have the
 * places 0 to 3, and the lanes 16 + 4 q to 19 + 4 q the places 4 to 7. Each
 * place holds four elements of A and four of B.
 *
 * A row of A and a column of B are lines of four elements. If A is stored by
 * rows, or B by columns, place v holds line v. Otherwise place k + 4 (v / 4)
 * holds the elements k of the lines 4 (v / 4) to 4 (v / 4) + 3.
 *
 * With halves, a place holds the row of C or D with its index. With floats,
 * place p holds the elements in the rows (p & 1) + (i & 2) + (p & 4) and the
 * columns (i & 4) + (p & 2) + (i & 1), for i from 0 to 7.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/products.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

enum { LINE = 4, PLACES = 8, LANES = 32 };

struct quads {
    struct ptx_product types;
    bool a_by_rows, b_by_columns;
    bool half_c;
    LLVMValueRef place; /* of the current lane, an i32 */
};

bool
ptx_is_quad_product(const struct ptx_statement *statement)
{
    return ptx_has(statement, "m8n8k4") && !ptx_has(statement, "f64");
}

/* ---- values of type i32 ---- */

static LLVMValueRef
mask(struct quads *quads, LLVMValueRef value, unsigned bits)
{
    struct jit *jit = quads->types.ptx->jit;
    return LLVMBuildAnd(jit->builder, value, jit_constant(jit, bits), "");
}

/* Returns value + constant. */
static LLVMValueRef
plus(struct quads *quads, LLVMValueRef value, unsigned constant)
{
    struct jit *jit = quads->types.ptx->jit;
    return LLVMBuildAdd(jit->builder, value, jit_constant(jit, constant), "");
}

/* Returns the lane of a place of the current lane's product. */
static LLVMValueRef
lane_of(struct quads *quads, LLVMValueRef place)
{
    struct jit *jit = quads->types.ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef quad = mask(quads, ptx_lane(quads->types.ptx), 12);
    LLVMValueRef upper =
        LLVMBuildShl(builder, mask(quads, place, 4), jit_constant(jit, 2), "");
    return LLVMBuildOr(builder, LLVMBuildOr(builder, quad, upper, ""),
                       mask(quads, place, 3), "");
}

static LLVMValueRef
fetch(struct quads *quads, LLVMValueRef own, LLVMValueRef place)
{
    return ptx_shuffle(quads->types.ptx, IMAGE_SHUFFLE_IDX, own,
                       lane_of(quads, place), LANES);
}

/* ---- lines ---- */

/* Returns a lane's four elements of A or B as an i64. */
static LLVMValueRef
read_elements(struct quads *quads, const struct ptx_operand *from)
{
    struct jit *jit = quads->types.ptx->jit;
    LLVMValueRef low = ptx_read_element(quads->types.ptx, from, 0, 32);
    LLVMValueRef high = ptx_read_element(quads->types.ptx, from, 1, 32);
    if (!low || !high) {
        return NULL;
    }
    high = LLVMBuildZExt(jit->builder, high, jit->i64, "");
    high = LLVMBuildShl(jit->builder, high, LLVMConstInt(jit->i64, 32, 0), "");
    return LLVMBuildOr(jit->builder, high,
                       LLVMBuildZExt(jit->builder, low, jit->i64, ""), "");
}

/* Returns line `v` (an i32) of A or B as an i64. `own` are the elements of the
 * current lane; `whole` is true if a place holds a line. */
static LLVMValueRef
fetch_line(struct quads *quads, LLVMValueRef own, LLVMValueRef v, bool whole)
{
    struct jit *jit = quads->types.ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    if (whole) {
        return fetch(quads, own, v);
    }
    LLVMValueRef line = LLVMConstInt(jit->i64, 0, 0);
    LLVMValueRef shift =
        LLVMBuildShl(builder, mask(quads, v, 3), jit_constant(jit, 4), "");
    shift = LLVMBuildZExt(builder, shift, jit->i64, "");
    for (unsigned k = 0; k < LINE; k++) {
        LLVMValueRef element =
            fetch(quads, own, plus(quads, mask(quads, v, 4), k));
        element = LLVMBuildLShr(builder, element, shift, "");
        element = LLVMBuildAnd(builder, element,
                               LLVMConstInt(jit->i64, 0xffff, 0), "");
        element = LLVMBuildShl(builder, element,
                               LLVMConstInt(jit->i64, 16 * k, 0), "");
        line = LLVMBuildOr(builder, line, element, "");
    }
    return line;
}

/* ---- sums ---- */

/* Returns the row or the column of the lane's element `i` of D. */
static LLVMValueRef
row_of(struct quads *quads, unsigned i)
{
    return quads->types.half_sum
               ? quads->place
               : plus(quads, mask(quads, quads->place, 5), i & 2);
}

static LLVMValueRef
column_of(struct quads *quads, unsigned i)
{
    return quads->types.half_sum
               ? jit_constant(quads->types.ptx->jit, i)
               : plus(quads, mask(quads, quads->place, 2), i & 5);
}

/* Returns the element of C for the lane's element `i` of D. If C has halves
 * and D has floats, another lane has it. */
static LLVMValueRef
start_of_sum(struct quads *quads, unsigned i)
{
    struct ptx *ptx = quads->types.ptx;
    LLVMBuilderRef builder = ptx->jit->builder;
    const struct ptx_operand *from = &quads->types.statement->operands[3];
    if (!quads->half_c || quads->types.half_sum) {
        LLVMValueRef value =
            ptx_read_element(ptx, from, quads->half_c ? i / 2 : i, 32);
        return value ? ptx_product_start(&quads->types, value, quads->half_c,
                                         i % 2)
                     : NULL;
    }
    LLVMValueRef left = ptx_read_element(ptx, from, (i & 4) / 2, 32);
    LLVMValueRef right = ptx_read_element(ptx, from, (i & 4) / 2 + 1, 32);
    if (!left || !right) {
        return NULL;
    }
    left = fetch(quads, left, row_of(quads, i));
    right = fetch(quads, right, row_of(quads, i));
    LLVMValueRef is_right =
        LLVMBuildICmp(builder, LLVMIntNE, mask(quads, quads->place, 2),
                      jit_constant(ptx->jit, 0), "");
    left = LLVMBuildSelect(builder, is_right, right, left, "");
    return ptx_product_start(&quads->types, left, true, i % 2);
}

static bool
build_sums(struct quads *quads, LLVMValueRef sums[PLACES])
{
    struct jit *jit = quads->types.ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    const struct ptx_operand *operands = quads->types.statement->operands;
    LLVMValueRef a = read_elements(quads, &operands[1]);
    LLVMValueRef b = read_elements(quads, &operands[2]);
    if (!a || !b) {
        return false;
    }
    for (unsigned i = 0; i < PLACES; i++) {
        LLVMValueRef sum = start_of_sum(quads, i);
        LLVMValueRef row =
            fetch_line(quads, a, row_of(quads, i), quads->a_by_rows);
        LLVMValueRef column =
            fetch_line(quads, b, column_of(quads, i), quads->b_by_columns);
        for (unsigned part = 0; part < 2 && sum; part++) {
            LLVMValueRef by = LLVMConstInt(jit->i64, 32 * part, 0);
            LLVMValueRef left = LLVMBuildLShr(builder, row, by, "");
            LLVMValueRef right = LLVMBuildLShr(builder, column, by, "");
            sum =
                ptx_product_add(&quads->types, sum,
                                LLVMBuildTrunc(builder, left, jit->i32, ""),
                                LLVMBuildTrunc(builder, right, jit->i32, ""));
        }
        if (!sum) {
            return false;
        }
        sums[i] = ptx_product_finish(&quads->types, sum);
    }
    return true;
}

/* ---- the statement ---- */

/* Reads the layouts, which are the modifiers before the four types, and the
 * types of C and D. */
static bool
read_form(struct quads *quads)
{
    const struct ptx_statement *statement = quads->types.statement;
    unsigned n = statement->modifier_count;
    static const char modifiers[] = " sync aligned m8n8k4 row col f16 f32 ";
    if (n != 9 || statement->operand_count != 4 ||
        !ptx_only(statement, modifiers)) {
        return false;
    }
    const char *const *last = &statement->modifiers[n - 6];
    quads->a_by_rows = strcmp(last[0], "row") == 0;
    quads->b_by_columns = strcmp(last[1], "col") == 0;
    quads->types.half_sum = strcmp(last[2], "f16") == 0;
    quads->half_c = strcmp(last[5], "f16") == 0;
    quads->types.a = ptx_element_named(last[3]);
    quads->types.b = ptx_element_named(last[4]);
    ptx_product_set_types(&quads->types);
    return (!quads->types.half_sum || quads->half_c) &&
           ptx_elements(&statement->operands[0]) ==
               (quads->types.half_sum ? 4 : 8) &&
           ptx_elements(&statement->operands[1]) == 2 &&
           ptx_elements(&statement->operands[2]) == 2 &&
           ptx_elements(&statement->operands[3]) == (quads->half_c ? 4 : 8);
}

bool
ptx_build_quad_product(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct quads quads = {.types = {.ptx = ptx, .statement = statement}};
    struct ptx_type type = {'b', 32};
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef sums[PLACES];
    if (!read_form(&quads)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef lane = ptx_lane(ptx);
    LLVMValueRef upper = LLVMBuildLShr(builder, mask(&quads, lane, 16),
                                       jit_constant(ptx->jit, 2), "");
    quads.place = LLVMBuildOr(builder, upper, mask(&quads, lane, 3), "");
    if (!build_sums(&quads, sums)) {
        return false;
    }
    bool half = quads.types.half_sum;
    for (unsigned r = 0; r < (half ? PLACES / 2 : PLACES); r++) {
        LLVMValueRef value = sums[r];
        if (half) {
            value = LLVMBuildShl(builder, sums[2 * r + 1],
                                 jit_constant(ptx->jit, 16), "");
            value = LLVMBuildOr(builder, value, sums[2 * r], "");
        }
        if (!ptx_write(ptx, statement->operands[0].names[r], type, value,
                       false)) {
            return false;
        }
    }
    return true;
}
