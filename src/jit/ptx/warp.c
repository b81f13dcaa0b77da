/* warp.c - shuffles, votes, matches and reductions of a warp in PTX.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

static const struct ptx_type predicate = {'p', 1};
static const struct ptx_type word = {'b', 32};

/* ---- helpers ---- */

LLVMValueRef
ptx_call_runtime(struct ptx *ptx, const char *name, LLVMTypeRef result,
                 LLVMValueRef *arguments, unsigned count)
{
    struct jit *jit = ptx->jit;
    LLVMTypeRef types[5];
    for (unsigned i = 0; i < count; i++) {
        types[i] = LLVMTypeOf(arguments[i]);
    }
    LLVMValueRef function = jit_declare(jit, name, result, types, count);
    jit_add_attribute(jit, function, "convergent");
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                          function, arguments, count, "");
}

static LLVMValueRef
shuffle_masked(struct ptx *ptx, LLVMValueRef mask, enum image_shuffle kind,
               LLVMValueRef value, LLVMValueRef lane, unsigned width)
{
    struct jit *jit = ptx->jit;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef arguments[] = {
        mask, LLVMBuildZExt(jit->builder, value, jit->i64, ""),
        jit_constant(jit, kind), lane, jit_constant(jit, width)};
    value = ptx_call_runtime(ptx, "__pycuda_shuffle", jit->i64, arguments, 5);
    return LLVMBuildTrunc(jit->builder, value, type, "");
}

LLVMValueRef
ptx_shuffle(struct ptx *ptx, enum image_shuffle kind, LLVMValueRef value,
            LLVMValueRef lane, unsigned width)
{
    return shuffle_masked(ptx, jit_constant(ptx->jit, UINT32_MAX), kind, value,
                          lane, width);
}

LLVMValueRef
ptx_lane(struct ptx *ptx)
{
    return ptx_special(ptx, "%laneid");
}

unsigned
ptx_elements(const struct ptx_operand *operand)
{
    return operand->kind == PTX_VECTOR ? operand->count : 1;
}

LLVMValueRef
ptx_read_element(struct ptx *ptx, const struct ptx_operand *operand,
                 unsigned i, unsigned bits)
{
    struct ptx_type type = {'b', bits};
    return operand->kind == PTX_VECTOR
               ? ptx_read_name(ptx, operand->names[i], type, false)
               : ptx_read(ptx, operand, type, false);
}

/* ---- shuffles ---- */

static LLVMValueRef
and_number(struct ptx *ptx, LLVMValueRef value, uint64_t number)
{
    return LLVMBuildAnd(ptx->jit->builder, value,
                        jit_constant(ptx->jit, number), "");
}

/* The source lane of a shuffle, and whether it is in range. */
struct source {
    LLVMValueRef lane, in_range;
};

/* Computes the source lane as the PTX manual describes it. Bits 0 to 4 of `c`
 * are the clamp value, and bits 8 to 12 are the mask of those bits of a lane's
 * index that are equal in all lanes of a segment. */
static struct source
find_source(struct ptx *ptx, enum image_shuffle kind, LLVMValueRef b,
            LLVMValueRef c)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef lane = ptx_lane(ptx);
    LLVMValueRef by = and_number(ptx, b, 31);
    LLVMValueRef clamp = and_number(ptx, c, 31);
    LLVMValueRef segment =
        LLVMBuildLShr(builder, c, jit_constant(ptx->jit, 8), "");
    segment = and_number(ptx, segment, PLANTED_FAULT(ptx_segment) ? 0 : 31);
    LLVMValueRef rest = LLVMBuildNot(builder, segment, "");
    LLVMValueRef least = LLVMBuildAnd(builder, lane, segment, "");
    LLVMValueRef most = LLVMBuildOr(
        builder, least, LLVMBuildAnd(builder, clamp, rest, ""), "");
    LLVMIntPredicate compare = LLVMIntSLE;
    struct source source;
    switch (kind) {
    case IMAGE_SHUFFLE_UP:
        source.lane = LLVMBuildSub(builder, lane, by, "");
        compare = PLANTED_FAULT(ptx_in_range) ? LLVMIntSGT : LLVMIntSGE;
        break;
    case IMAGE_SHUFFLE_DOWN:
        source.lane = LLVMBuildAdd(builder, lane, by, "");
        break;
    case IMAGE_SHUFFLE_XOR:
        source.lane = LLVMBuildXor(builder, lane, by, "");
        break;
    default:
        source.lane = LLVMBuildOr(builder, least,
                                  LLVMBuildAnd(builder, by, rest, ""), "");
    }
    source.in_range = LLVMBuildICmp(builder, compare, source.lane, most, "");
    source.lane =
        LLVMBuildSelect(builder, source.in_range, source.lane, lane, "");
    return source;
}

static bool
shuffle_kind(const struct ptx_statement *statement, enum image_shuffle *kind)
{
    static const struct {
        const char *name;
        enum image_shuffle kind;
    } rows[] = {{"idx", IMAGE_SHUFFLE_IDX},
                {"up", IMAGE_SHUFFLE_UP},
                {"down", IMAGE_SHUFFLE_DOWN},
                {"bfly", IMAGE_SHUFFLE_XOR}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ptx_has(statement, rows[i].name)) {
            *kind = rows[i].kind;
            return true;
        }
    }
    return false;
}

/* Builds shfl.sync d|p, a, b, c, mask; and shfl without .sync, which has no
 * mask. A shuffle of the whole warp becomes a shuffle of the same kind (enum
 * image_shuffle). A shuffle in segments computes the index of the source lane
 * and reads from it. */
bool
ptx_build_shuffle(struct ptx *ptx, const struct ptx_statement *statement)
{
    bool sync = ptx_has(statement, "sync");
    unsigned plain = 4 + sync;
    enum image_shuffle kind;
    unsigned count = statement->operand_count;
    if (!shuffle_kind(statement, &kind) || count < plain ||
        count > plain + 1 || !ptx_only(statement, " sync idx up down bfly ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    const struct ptx_operand *in = &statement->operands[1 + (count > plain)];
    LLVMValueRef values[4];
    for (unsigned i = 0; i < 3u + sync; i++) {
        values[i] = ptx_read(ptx, &in[i], word, false);
        if (!values[i]) {
            return false;
        }
    }
    LLVMValueRef mask = sync ? values[3] : jit_constant(ptx->jit, UINT32_MAX);
    struct source source = find_source(ptx, kind, values[1], values[2]);
    uint64_t whole = kind == IMAGE_SHUFFLE_UP ? 0 : 31;
    bool simple = LLVMIsAConstantInt(values[2]) &&
                  LLVMConstIntGetZExtValue(values[2]) == whole;
    LLVMValueRef result =
        shuffle_masked(ptx, mask, simple ? kind : IMAGE_SHUFFLE_IDX, values[0],
                       simple ? values[1] : source.lane, 32);
    const struct ptx_operand *to = statement->operands;
    return ptx_write(ptx, to[0].names[0], word, result, false) &&
           (count == plain ||
            ptx_write(ptx, to[1].names[0], predicate, source.in_range, false));
}

/* ---- votes ---- */

static LLVMValueRef
ballot(struct ptx *ptx, LLVMValueRef mask, LLVMValueRef value, bool inverted)
{
    struct jit *jit = ptx->jit;
    if (inverted) {
        value = LLVMBuildNot(jit->builder, value, "");
    }
    LLVMValueRef arguments[] = {
        mask, LLVMBuildZExt(jit->builder, value, jit->i32, "")};
    return ptx_call_runtime(ptx, "__pycuda_ballot", jit->i32, arguments, 2);
}

static LLVMValueRef
is_zero(struct ptx *ptx, LLVMValueRef value)
{
    return LLVMBuildICmp(ptx->jit->builder, LLVMIntEQ, value,
                         jit_constant(ptx->jit, 0), "");
}

/* Builds vote.sync. With .ballot, the result is the mask of the lanes whose
 * predicate holds. With .all, .any or .uni, it is true if the predicate holds
 * in all lanes, holds in at least one lane, or is equal in all lanes. */
bool
ptx_build_vote(struct ptx *ptx, const struct ptx_statement *statement)
{
    bool sync = ptx_has(statement, "sync");
    if (statement->operand_count != 2u + sync ||
        !ptx_only(statement, " sync all any uni ballot ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    const struct ptx_operand *operands = statement->operands;
    LLVMValueRef value = ptx_read(ptx, &operands[1], predicate, false);
    LLVMValueRef mask = sync ? ptx_read(ptx, &operands[2], word, false)
                             : jit_constant(ptx->jit, UINT32_MAX);
    if (!value || !mask) {
        return false;
    }
    const char *to = operands[0].names[0];
    if (ptx_has(statement, "ballot")) {
        return ptx_write(ptx, to, word, ballot(ptx, mask, value, false),
                         false);
    }
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef result;
    if (ptx_has(statement, "any")) {
        result = LLVMBuildNot(
            builder, is_zero(ptx, ballot(ptx, mask, value, false)), "");
    } else {
        result = is_zero(ptx, ballot(ptx, mask, value, true));
        if (ptx_has(statement, "uni")) {
            LLVMValueRef none = is_zero(ptx, ballot(ptx, mask, value, false));
            result = LLVMBuildOr(builder, result, none, "");
        }
    }
    return ptx_write(ptx, to, predicate, result, false);
}

/* ---- matches, reductions, masks ---- */

/* Builds match.any.sync d, a, mask and match.all.sync d|p, a, mask. */
bool
ptx_build_match(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    struct ptx_type type;
    bool all = ptx_has(statement, "all");
    unsigned count = statement->operand_count, n = statement->modifier_count;
    if (count < 3 || count > 3u + all || !n ||
        !ptx_parse_type(statement->modifiers[n - 1], &type) ||
        !ptx_only(statement, " any all sync ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    const struct ptx_operand *operands = statement->operands;
    LLVMValueRef value = ptx_read(ptx, &operands[count - 2], type, false);
    LLVMValueRef mask = ptx_read(ptx, &operands[count - 1], word, false);
    if (!value || !mask) {
        return false;
    }
    LLVMValueRef arguments[] = {
        mask, LLVMBuildZExt(jit->builder, value, jit->i64, "")};
    LLVMValueRef lanes = ptx_call_runtime(
        ptx, all ? "__pycuda_match_all" : "__pycuda_match_any", jit->i32,
        arguments, 2);
    return ptx_write(ptx, operands[0].names[0], word, lanes, false) &&
           (count == 3 ||
            ptx_write(ptx, operands[1].names[0], predicate,
                      LLVMBuildNot(jit->builder, is_zero(ptx, lanes), ""),
                      false));
}

bool
ptx_build_redux(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const struct {
        const char *name;
        enum image_reduce is_signed, is_unsigned;
    } rows[] = {
        {"add", IMAGE_REDUCE_ADD, IMAGE_REDUCE_ADD},
        {"min", IMAGE_REDUCE_MIN_S32, IMAGE_REDUCE_MIN_U32},
        {"max", IMAGE_REDUCE_MAX_S32, IMAGE_REDUCE_MAX_U32},
        {"and", IMAGE_REDUCE_AND, IMAGE_REDUCE_AND},
        {"or", IMAGE_REDUCE_OR, IMAGE_REDUCE_OR},
        {"xor", IMAGE_REDUCE_XOR, IMAGE_REDUCE_XOR},
    };
    if (statement->operand_count != 3 ||
        !ptx_only(statement, " sync add min max and or xor ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    const struct ptx_operand *operands = statement->operands;
    LLVMValueRef value = ptx_read(ptx, &operands[1], word, false);
    LLVMValueRef mask = ptx_read(ptx, &operands[2], word, false);
    for (size_t i = 0; value && mask && i < sizeof rows / sizeof *rows; i++) {
        if (ptx_has(statement, rows[i].name)) {
            LLVMValueRef arguments[] = {
                mask, value,
                jit_constant(ptx->jit, ptx_has(statement, "s32")
                                           ? rows[i].is_signed
                                           : rows[i].is_unsigned)};
            value = ptx_call_runtime(ptx, "__pycuda_reduce", ptx->jit->i32,
                                     arguments, 3);
            return ptx_write(ptx, operands[0].names[0], word, value, false);
        }
    }
    return ptx_form_refuse(ptx, statement->operation);
}

bool
ptx_build_active(struct ptx *ptx, const struct ptx_statement *statement)
{
    if (statement->operand_count != 1) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef mask =
        ptx_call_runtime(ptx, "__pycuda_activemask", ptx->jit->i32, NULL, 0);
    return ptx_write(ptx, statement->operands[0].names[0], word, mask, false);
}

/* Builds elect.sync d|p, mask. It elects the lowest lane of the mask. */
bool
ptx_build_elect(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    const struct ptx_operand *operands = statement->operands;
    if (statement->operand_count != 3 || !ptx_only(statement, " sync ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef mask = ptx_read(ptx, &operands[2], word, false);
    if (!mask) {
        return false;
    }
    ptx_call_runtime(ptx, "__pycuda_warp_barrier",
                     LLVMVoidTypeInContext(jit->context), &mask, 1);
    LLVMValueRef arguments[] = {mask, LLVMConstInt(jit->i1, 0, 0)};
    LLVMValueRef first =
        ptx_intrinsic(ptx, "llvm.cttz", jit->i32, arguments, 2);
    LLVMValueRef own =
        LLVMBuildICmp(jit->builder, LLVMIntEQ, first, ptx_lane(ptx), "");
    return ptx_write(ptx, operands[0].names[0], word, first, false) &&
           ptx_write(ptx, operands[1].names[0], predicate, own, false);
}
