/* tiles.c - ldmatrix, stmatrix and movmatrix of PTX.
 *
 * The instructions move tiles, matrices of 8 by 8 elements of 16 bits. Each
 * register of lane l contains the elements 2 (l % 4) and 2 (l % 4) + 1 of row
 * l / 4. With .trans, it contains two elements of a column instead. The
 * address of row r of tile t comes from lane 8 t + r.
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
#include "jit/ptx/warp.h"

/* The statement's tiles and the position of the lane's elements. */
struct tiles {
    struct ptx *ptx;
    bool turned;        /* the statement has the modifier .trans */
    unsigned count;     /* number of tiles */
    LLVMValueRef base;  /* the address that the lane passes to the instruction,
                         * an i64 */
    LLVMValueRef group; /* `group` is l / 4 and `place` is l % 4 for lane l */
    LLVMValueRef place;
};

static void
find_place(struct tiles *tiles)
{
    struct jit *jit = tiles->ptx->jit;
    LLVMValueRef lane = ptx_lane(tiles->ptx);
    tiles->group = LLVMBuildLShr(jit->builder, lane, jit_constant(jit, 2), "");
    tiles->place = LLVMBuildAnd(jit->builder, lane, jit_constant(jit, 3), "");
}

/* Reads the modifiers of ldmatrix or stmatrix and the address operand `at`. */
static bool
read_tiles(struct ptx *ptx, const struct ptx_statement *statement,
           struct tiles *tiles, const struct ptx_operand *at)
{
    tiles->ptx = ptx;
    tiles->turned = ptx_has(statement, "trans");
    tiles->count = ptx_has(statement, "x4")   ? 4
                   : ptx_has(statement, "x2") ? 2
                                              : 1;
    if (statement->operand_count != 2 || !ptx_has(statement, "m8n8") ||
        !ptx_has(statement, "b16") ||
        !ptx_only(statement, " sync aligned m8n8 x1 x2 x4 trans shared "
                             "shared::cta ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef pointer = ptx_address(ptx, at, ptx_space_of(statement));
    if (!pointer) {
        return false;
    }
    tiles->base =
        LLVMBuildPtrToInt(ptx->jit->builder, pointer, ptx->jit->i64, "");
    find_place(tiles);
    return true;
}

/* Returns the pointer to element `column` of row `row` of tile `t`. */
static LLVMValueRef
element(struct tiles *tiles, unsigned t, LLVMValueRef row, LLVMValueRef column)
{
    struct jit *jit = tiles->ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef lane =
        LLVMBuildAdd(builder, row, jit_constant(jit, 8ull * t), "");
    LLVMValueRef at =
        ptx_shuffle(tiles->ptx, IMAGE_SHUFFLE_IDX, tiles->base, lane, 32);
    LLVMValueRef bytes =
        LLVMBuildShl(builder, column, jit_constant(jit, 1), "");
    at = LLVMBuildAdd(builder, at, LLVMBuildZExt(builder, bytes, jit->i64, ""),
                      "");
    return LLVMBuildIntToPtr(builder, at, jit->pointer, "");
}

/* Returns 2 (l % 4) + `more`, where l is the index of the lane. */
static LLVMValueRef
twice_place(struct tiles *tiles, unsigned more)
{
    struct jit *jit = tiles->ptx->jit;
    LLVMValueRef twice =
        LLVMBuildShl(jit->builder, tiles->place, jit_constant(jit, 1), "");
    return LLVMBuildAdd(jit->builder, twice, jit_constant(jit, more), "");
}

/* Packs two values of 16 bits into a register. */
static LLVMValueRef
join(struct ptx *ptx, LLVMValueRef low, LLVMValueRef high)
{
    struct jit *jit = ptx->jit;
    low = LLVMBuildZExt(jit->builder, low, jit->i32, "");
    high = LLVMBuildZExt(jit->builder, high, jit->i32, "");
    high = LLVMBuildShl(jit->builder, high, jit_constant(jit, 16), "");
    return LLVMBuildOr(jit->builder, low, high, "");
}

static LLVMValueRef
half_of(struct ptx *ptx, LLVMValueRef value, bool upper)
{
    struct jit *jit = ptx->jit;
    value = LLVMBuildLShr(jit->builder, value,
                          jit_constant(jit, upper ? 16 : 0), "");
    return LLVMBuildTrunc(jit->builder, value,
                          LLVMInt16TypeInContext(jit->context), "");
}

static LLVMValueRef
load_tile(struct tiles *tiles, unsigned t)
{
    struct jit *jit = tiles->ptx->jit;
    if (!tiles->turned) {
        LLVMValueRef at =
            element(tiles, t, tiles->group, twice_place(tiles, 0));
        return LLVMBuildLoad2(jit->builder, jit->i32, at, "");
    }
    LLVMValueRef halves[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef at =
            element(tiles, t, twice_place(tiles, i), tiles->group);
        halves[i] = LLVMBuildLoad2(
            jit->builder, LLVMInt16TypeInContext(jit->context), at, "");
    }
    return join(tiles->ptx, halves[0], halves[1]);
}

bool
ptx_build_load_tiles(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type = {'b', 32};
    const struct ptx_operand *to = &statement->operands[0];
    struct tiles tiles;
    if (!read_tiles(ptx, statement, &tiles, &statement->operands[1])) {
        return false;
    }
    if (ptx_elements(to) != tiles.count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    /* All loads come before the first result is written, since a result
     * register may also be the register with the address. */
    LLVMValueRef values[4];
    for (unsigned t = 0; t < tiles.count; t++) {
        values[t] = load_tile(&tiles, t);
    }
    for (unsigned t = 0; t < tiles.count; t++) {
        if (!ptx_write(ptx, to->names[t], type, values[t], false)) {
            return false;
        }
    }
    return true;
}

bool
ptx_build_store_tiles(struct ptx *ptx, const struct ptx_statement *statement)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    const struct ptx_operand *from = &statement->operands[1];
    struct tiles tiles;
    if (!read_tiles(ptx, statement, &tiles, &statement->operands[0])) {
        return false;
    }
    if (ptx_elements(from) != tiles.count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    for (unsigned t = 0; t < tiles.count; t++) {
        LLVMValueRef value = ptx_read_element(ptx, from, t, 32);
        if (!value) {
            return false;
        }
        for (unsigned i = 0; i < 2; i++) {
            LLVMValueRef other = twice_place(&tiles, i);
            LLVMValueRef at = tiles.turned
                                  ? element(&tiles, t, other, tiles.group)
                                  : element(&tiles, t, tiles.group, other);
            LLVMBuildStore(builder, half_of(ptx, value, i), at);
        }
    }
    return true;
}

/* Builds movmatrix.trans: element (r, c) of the result is element (c, r) of
 * the operand, which lane 4 c + r / 2 has. */
bool
ptx_build_turn_tile(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type = {'b', 32};
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    struct tiles tiles = {.ptx = ptx};
    LLVMValueRef halves[2];
    if (statement->operand_count != 2 ||
        !ptx_only(statement, " sync aligned m8n8 trans ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef value = ptx_read(ptx, &statement->operands[1], type, false);
    if (!value) {
        return false;
    }
    find_place(&tiles);
    LLVMValueRef odd = LLVMBuildTrunc(builder, tiles.group, jit->i1, "");
    LLVMValueRef pair =
        LLVMBuildLShr(builder, tiles.group, jit_constant(jit, 1), "");
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef lane = LLVMBuildShl(builder, twice_place(&tiles, i),
                                         jit_constant(jit, 2), "");
        lane = LLVMBuildOr(builder, lane, pair, "");
        LLVMValueRef both =
            ptx_shuffle(ptx, IMAGE_SHUFFLE_IDX, value, lane, 32);
        halves[i] = LLVMBuildSelect(builder, odd, half_of(ptx, both, true),
                                    half_of(ptx, both, false), "");
    }
    return ptx_write(ptx, statement->operands[0].names[0], type,
                     join(ptx, halves[0], halves[1]), false);
}
