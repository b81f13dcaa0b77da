/* convert_small.c - cvt of PTX for floats of 16 and 8 bits, tf32 and pairs.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/convert.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"

/* A float type of 8 bits. `mantissa` is the number of bits after the point,
 * `most` the bit pattern of the largest finite value. */
static const struct small {
    const char *name;
    unsigned mantissa, bias, most;
} smalls[] = {{"e4m3x2", 3, 7, 0x7e}, {"e5m2x2", 2, 15, 0x7b}};

static const struct small *
small_named(const char *name)
{
    for (size_t i = 0; i < sizeof smalls / sizeof *smalls; i++) {
        if (strcmp(name, smalls[i].name) == 0) {
            return &smalls[i];
        }
    }
    return NULL;
}

/* Replaces a negative number by 0 if the statement has the modifier .relu. A
 * NaN stays a NaN. */
static LLVMValueRef
apply_relu(struct ptx *ptx, const struct ptx_statement *statement,
           LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    if (!ptx_has(statement, "relu")) {
        return value;
    }
    LLVMValueRef zero = LLVMConstReal(LLVMTypeOf(value), 0.0);
    LLVMValueRef stays = LLVMBuildFCmp(builder, LLVMRealUGT, value, zero, "");
    return LLVMBuildSelect(builder, stays, value, zero, "");
}

/* Rounds a double to a float "to odd": if the float is not exact, its last bit
 * is 1. If this float is rounded once more, to fewer bits, the result is the
 * correctly rounded double. */
static LLVMValueRef
round_to_odd(struct ptx *ptx, LLVMValueRef value)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = LLVMFloatTypeInContext(jit->context);
    LLVMValueRef near = LLVMBuildFPTrunc(builder, value, type, "");
    LLVMValueRef rest = LLVMBuildFSub(
        builder, value, LLVMBuildFPExt(builder, near, LLVMTypeOf(value), ""),
        "");
    static const struct ptx_statement to_zero = {.modifiers = {"rz"},
                                                 .modifier_count = 1};
    LLVMValueRef bits = LLVMBuildBitCast(builder, near, jit->i32, "");
    bits = ptx_step_number(ptx, &to_zero, bits, rest);
    LLVMValueRef inexact = LLVMBuildFCmp(builder, LLVMRealONE, rest,
                                         LLVMConstNull(LLVMTypeOf(value)), "");
    bits = LLVMBuildOr(builder, bits,
                       LLVMBuildZExt(builder, inexact, jit->i32, ""), "");
    return LLVMBuildBitCast(builder, bits, type, "");
}

/* If the statement has the modifier .satfinite, limits a float to the finite
 * numbers of a type. `most` is the largest of them. */
static LLVMValueRef
limit_finite(struct ptx *ptx, const struct ptx_statement *statement,
             LLVMValueRef value, double most)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!ptx_has(statement, "satfinite")) {
        return value;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        LLVMValueRef end = LLVMConstReal(type, sign * most);
        LLVMValueRef beyond = LLVMBuildFCmp(
            builder, sign < 0 ? LLVMRealOLT : LLVMRealOGT, value, end, "");
        value = LLVMBuildSelect(builder, beyond, end, value, "");
    }
    return value;
}

/* Rounds a float to f16 or bf16 as the statement's modifiers require: rounding
 * mode, .relu and .satfinite. */
static LLVMValueRef
round_half(struct ptx *ptx, const struct ptx_statement *statement,
           struct ptx_half half, LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    value = apply_relu(ptx, statement, value);
    value =
        limit_finite(ptx, statement, value, half.brain ? 0x1.fep127 : 65504.0);
    LLVMValueRef bits = ptx_half_round(ptx, half, value);
    LLVMValueRef rest =
        LLVMBuildFSub(builder, value, ptx_half_extend(ptx, half, bits), "");
    return ptx_step_number(ptx, statement, bits, rest);
}

/* Rounds a float to the nearest value of a float type of 8 bits, and returns
 * its bits as an i16. A float beyond the range becomes the largest finite
 * value, and a NaN becomes 0x7f. */
static LLVMValueRef
round_small(struct ptx *ptx, const struct small *small, LLVMValueRef value)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned shift = 23 - small->mantissa;
    LLVMValueRef by = jit_constant(jit, shift);
    LLVMValueRef bits = LLVMBuildBitCast(builder, value, jit->i32, "");
    LLVMValueRef size =
        LLVMBuildAnd(builder, bits, jit_constant(jit, INT32_MAX), "");
    LLVMValueRef odd =
        LLVMBuildAnd(builder, LLVMBuildLShr(builder, size, by, ""),
                     jit_constant(jit, 1), "");
    LLVMValueRef normal = LLVMBuildAdd(
        builder, size, jit_constant(jit, (1u << (shift - 1)) - 1), "");
    normal = LLVMBuildAdd(builder, normal, odd, "");
    normal = LLVMBuildLShr(builder, normal, by, "");
    normal = LLVMBuildSub(
        builder, normal,
        jit_constant(jit, (127u - small->bias) << small->mantissa), "");
    LLVMValueRef pair[] = {normal, jit_constant(jit, small->most)};
    normal = ptx_intrinsic(ptx, "llvm.umin", jit->i32, pair, 2);
    /* Below the least normal value, results are multiples of a fixed unit. */
    LLVMValueRef magnitude = LLVMBuildBitCast(builder, size, type, "");
    double units = (double)(1u << (small->bias - 1 + small->mantissa));
    LLVMValueRef least =
        jit_constant(jit, (uint64_t)(128 - small->bias) << 23);
    LLVMValueRef tiny = LLVMBuildICmp(builder, LLVMIntULT, size, least, "");
    magnitude = LLVMBuildSelect(builder, tiny, magnitude,
                                LLVMConstReal(type, 0.0), "");
    magnitude =
        LLVMBuildFMul(builder, magnitude, LLVMConstReal(type, units), "");
    magnitude = ptx_intrinsic(ptx, "llvm.roundeven", type, &magnitude, 1);
    magnitude = LLVMBuildFPToUI(builder, magnitude, jit->i32, "");
    LLVMValueRef result =
        LLVMBuildSelect(builder, tiny, magnitude, normal, "");
    LLVMValueRef sign =
        LLVMBuildLShr(builder, bits, jit_constant(jit, 24), "");
    sign = LLVMBuildAnd(builder, sign, jit_constant(jit, 0x80), "");
    result = LLVMBuildOr(builder, result, sign, "");
    LLVMValueRef nan = LLVMBuildFCmp(builder, LLVMRealUNO, value, value, "");
    result =
        LLVMBuildSelect(builder, nan, jit_constant(jit, 0x7f), result, "");
    return LLVMBuildTrunc(builder, result,
                          LLVMInt16TypeInContext(jit->context), "");
}

/* Builds cvt to e4m3x2 or e5m2x2, from two floats or from f16x2. */
static bool
to_smalls(struct ptx *ptx, const struct ptx_statement *statement,
          const struct small *small)
{
    static const struct ptx_half pair = {false, 2};
    struct ptx_type single = {'f', 32}, both = {'b', 16};
    const struct ptx_operand *operands = statement->operands;
    bool floats = strcmp(statement->modifiers[statement->modifier_count - 1],
                         "f32") == 0;
    LLVMValueRef values[2];
    if (statement->operand_count != 2u + floats ||
        !ptx_has(statement, "satfinite")) {
        return ptx_form_refuse(ptx, "cvt");
    }
    for (unsigned i = 0; i < 2; i++) {
        values[i] = floats ? ptx_read(ptx, &operands[2 - i], single, false)
                           : ptx_half_read(ptx, pair, &operands[1], i);
        if (!values[i]) {
            return false;
        }
        values[i] =
            round_small(ptx, small, apply_relu(ptx, statement, values[i]));
    }
    LLVMValueRef high =
        LLVMBuildShl(ptx->jit->builder, values[1],
                     LLVMConstInt(LLVMTypeOf(values[1]), 8, 0), "");
    return ptx_write(ptx, operands[0].names[0], both,
                     LLVMBuildOr(ptx->jit->builder, values[0], high, ""),
                     false);
}

/* Builds cvt.rn.f16x2 from e4m3x2 or e5m2x2. */
static bool
from_smalls(struct ptx *ptx, const struct ptx_statement *statement,
            const struct small *small)
{
    static const struct ptx_half pair = {false, 2};
    struct ptx_type both = {'b', 16};
    const struct ptx_operand *operands = statement->operands;
    LLVMValueRef values[2];
    LLVMValueRef from = statement->operand_count == 2
                            ? ptx_read(ptx, &operands[1], both, false)
                            : NULL;
    if (!from || !ptx_has(statement, "f16x2")) {
        return ptx_form_refuse(ptx, "cvt");
    }
    for (unsigned i = 0; i < 2; i++) {
        values[i] =
            LLVMBuildLShr(ptx->jit->builder, from,
                          LLVMConstInt(LLVMTypeOf(from), 8 * i, 0), "");
        values[i] = ptx_half_from_byte(ptx, values[i], small->mantissa == 3);
        values[i] = round_half(ptx, statement, pair, values[i]);
    }
    return ptx_half_write(ptx, pair, operands[0].names[0], values);
}

/* Builds cvt to f16x2 or bf16x2 from two floats, the first of which becomes
 * the high half. */
static bool
to_pair(struct ptx *ptx, const struct ptx_statement *statement,
        struct ptx_half half)
{
    struct ptx_type single = {'f', 32};
    const struct ptx_operand *operands = statement->operands;
    LLVMValueRef values[2];
    if (statement->operand_count != 3 || !ptx_has(statement, "f32")) {
        return ptx_form_refuse(ptx, "cvt");
    }
    for (unsigned i = 0; i < 2; i++) {
        values[i] = ptx_read(ptx, &operands[2 - i], single, false);
        if (!values[i]) {
            return false;
        }
        values[i] = round_half(ptx, statement, half, values[i]);
    }
    return ptx_half_write(ptx, half, operands[0].names[0], values);
}

/* Rounds a float's bits to tf32 as cvt.rna does: ties away from zero. As on
 * GPUs, infinities and NaNs lose the low bits only, and .satfinite subtracts
 * one unit from infinities, NaNs and numbers that overflow. */
static LLVMValueRef
round_away(struct ptx *ptx, const struct ptx_statement *statement,
           LLVMValueRef bits)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef exponent = jit_constant(jit, 0x7f800000);
    LLVMValueRef low = jit_constant(jit, 0xffffe000);
    LLVMValueRef special =
        LLVMBuildICmp(builder, LLVMIntEQ,
                      LLVMBuildAnd(builder, bits, exponent, ""), exponent, "");
    LLVMValueRef rounded =
        LLVMBuildAdd(builder, bits, jit_constant(jit, 0x1000), "");
    rounded = LLVMBuildSelect(builder, special, bits, rounded, "");
    rounded = LLVMBuildAnd(builder, rounded, low, "");
    if (ptx_has(statement, "satfinite")) {
        special = LLVMBuildICmp(builder, LLVMIntEQ,
                                LLVMBuildAnd(builder, rounded, exponent, ""),
                                exponent, "");
        LLVMValueRef below =
            LLVMBuildSub(builder, rounded, jit_constant(jit, 0x2000), "");
        rounded = LLVMBuildSelect(builder, special, below, rounded, "");
    }
    return rounded;
}

/* Builds cvt.rn, cvt.rna and cvt.rz to tf32 from f32: rounds and clears the
 * low 13 bits. */
static bool
to_tf32(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    struct ptx_type single = {'f', 32}, word = {'b', 32};
    LLVMValueRef value =
        statement->operand_count == 2
            ? ptx_read(ptx, &statement->operands[1], single, false)
            : NULL;
    if (!value || !ptx_has(statement, "f32")) {
        return ptx_form_refuse(ptx, "cvt");
    }
    value = apply_relu(ptx, statement, value);
    LLVMValueRef bits = LLVMBuildBitCast(builder, value, jit->i32, "");
    if (ptx_has(statement, "rna")) {
        return ptx_write(ptx, statement->operands[0].names[0], word,
                         round_away(ptx, statement, bits), false);
    }
    value = limit_finite(ptx, statement, value, 0x1.ffcp127);
    bits = LLVMBuildBitCast(builder, value, jit->i32, "");
    LLVMValueRef rounded = bits;
    if (ptx_has(statement, "rn")) {
        LLVMValueRef odd =
            LLVMBuildLShr(builder, bits, jit_constant(jit, 13), "");
        odd = LLVMBuildAnd(builder, odd, jit_constant(jit, 1), "");
        rounded = LLVMBuildAdd(builder, bits, jit_constant(jit, 0xfff), "");
        rounded = LLVMBuildAdd(builder, rounded, odd, "");
    }
    rounded =
        LLVMBuildAnd(builder, rounded, jit_constant(jit, 0xffffe000), "");
    LLVMValueRef nan = LLVMBuildFCmp(builder, LLVMRealUNO, value, value, "");
    rounded = LLVMBuildSelect(builder, nan, jit_constant(jit, 0x7fffe000),
                              rounded, "");
    return ptx_write(ptx, statement->operands[0].names[0], word, rounded,
                     false);
}

/* Reads the source operand of a conversion to or from a half. Returns its
 * value as a float or a double. */
static LLVMValueRef
read_source(struct ptx *ptx, const struct ptx_statement *statement,
            const char *name)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    const struct ptx_operand *operand = &statement->operands[1];
    struct ptx_half half;
    struct ptx_type type;
    if (ptx_half_parse(name, &half)) {
        return half.count == 1 ? ptx_half_read(ptx, half, operand, 0) : NULL;
    }
    LLVMValueRef value = ptx_parse_type(name, &type)
                             ? ptx_read(ptx, operand, type, true)
                             : NULL;
    if (!value || type.letter == 'f') {
        return value;
    }
    LLVMTypeRef wide = LLVMDoubleTypeInContext(ptx->jit->context);
    if (type.bits == 64) {
        return ptx_long_to_odd(ptx, value, type.letter == 's');
    }
    return type.letter == 's' ? LLVMBuildSIToFP(builder, value, wide, "")
                              : LLVMBuildUIToFP(builder, value, wide, "");
}

/* Builds cvt between f16 or bf16 and another type. */
static bool
convert_half(struct ptx *ptx, const struct ptx_statement *statement,
             const char *to_name, LLVMValueRef value)
{
    struct ptx_half half;
    struct ptx_type to, single = {'f', 32};
    const char *to_register = statement->operands[0].names[0];
    if (!ptx_half_parse(to_name, &half)) {
        if (!ptx_parse_type(to_name, &to)) {
            return ptx_form_refuse(ptx, "cvt");
        }
        value = ptx_convert_float(ptx, statement, value, to);
        return value && ptx_write(ptx, to_register, to, value, true);
    }
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind) {
        value = round_to_odd(ptx, value);
    }
    value = ptx_convert_float(ptx, statement, value, single);
    if (!value) {
        return false;
    }
    value = round_half(ptx, statement, half, value);
    struct ptx_type bits = {'b', 16};
    return ptx_write(ptx, to_register, bits, value, true);
}

bool
ptx_convert_small(struct ptx *ptx, const struct ptx_statement *statement)
{
    unsigned n = statement->modifier_count;
    const char *to = statement->modifiers[n - 2];
    const char *from = statement->modifiers[n - 1];
    struct ptx_half half;
    const struct small *small = small_named(to);
    if (small) {
        return to_smalls(ptx, statement, small);
    }
    small = small_named(from);
    if (small) {
        return from_smalls(ptx, statement, small);
    }
    if (strcmp(to, "tf32") == 0) {
        return to_tf32(ptx, statement);
    }
    if (ptx_half_parse(to, &half) && half.count == 2) {
        return to_pair(ptx, statement, half);
    }
    LLVMValueRef value = statement->operand_count == 2
                             ? read_source(ptx, statement, from)
                             : NULL;
    return value ? convert_half(ptx, statement, to, value)
                 : ptx_form_refuse(ptx, "cvt");
}

/* Parses the name of the narrow type of cvt.pack, such as s8 or u2. */
static bool
parse_narrow(const char *name, struct ptx_type *type)
{
    *type = (struct ptx_type){name[0], (unsigned)strtoul(name + 1, NULL, 10)};
    return strchr("us", name[0]) && name[1] &&
           (type->bits == 2 || type->bits == 4 || type->bits == 8 ||
            type->bits == 16);
}

/* Builds cvt.pack.sat: limits a and b to a narrow type and packs them, with a
 * in the higher bits. For types of at most 8 bits, the operand c is shifted
 * left, and a and b fill its low bits. */
bool
ptx_convert_pack(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    struct ptx_type to, word = {'s', 32};
    const struct ptx_operand *operands = statement->operands;
    unsigned count = statement->operand_count;
    LLVMValueRef values[3] = {NULL};
    if (statement->modifier_count < 4 ||
        !parse_narrow(statement->modifiers[2], &to) ||
        count != (to.bits == 16 ? 3u : 4u)) {
        return ptx_form_refuse(ptx, "cvt");
    }
    for (unsigned i = 0; i + 1 < count; i++) {
        values[i] = ptx_read(ptx, &operands[i + 1], word, false);
        if (!values[i]) {
            return false;
        }
    }
    LLVMValueRef all = values[2] ? values[2] : jit_constant(jit, 0);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef part = ptx_limit_integer(ptx, values[i], to, true);
        all = LLVMBuildShl(builder, all, jit_constant(jit, to.bits), "");
        all = LLVMBuildOr(builder, all,
                          LLVMBuildZExt(builder, part, jit->i32, ""), "");
    }
    return ptx_write(ptx, operands[0].names[0], word, all, false);
}
