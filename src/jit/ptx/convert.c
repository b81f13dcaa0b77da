/* convert.c - cvt of PTX: type conversions and rounding.
 *
 * A source becomes an LLVM integer, float or double; convert_small.c has the
 * conversions of pairs, and those from or to floats of 16 and 8 bits.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/convert.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"

/* Returns the LLVM intrinsic that rounds a float to a whole number as the
 * modifier .rni, .rzi, .rmi or .rpi of cvt says. Returns NULL if the statement
 * has none of these modifiers. */
static const char *
whole_rounding(const struct ptx_statement *statement)
{
    return ptx_has(statement, "rni")   ? "llvm.roundeven"
           : ptx_has(statement, "rzi") ? "llvm.trunc"
           : ptx_has(statement, "rmi") ? "llvm.floor"
           : ptx_has(statement, "rpi") ? "llvm.ceil"
                                       : NULL;
}

/* Converts a float, already rounded to a whole number, to the integer type
 * `to`, saturating. A NaN becomes the integer with only its top bit set if the
 * float is a double or the integer has 64 bits, and zero otherwise. LLVM's
 * instructions fptosi and fptoui are not used: a constant out of range would
 * give poison, and retarget/arithmetic.c lowers conversions to narrow integers
 * as in C++, without saturation. */
static LLVMValueRef
to_integer(struct ptx *ptx, LLVMValueRef value, struct ptx_type to)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    bool is_signed = to.letter == 's';
    struct ptx_type wide = {to.letter, to.bits < 32 ? 32 : to.bits};
    LLVMTypeRef types[] = {ptx_llvm_type(ptx, wide), LLVMTypeOf(value)};
    const char *name = is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(
        ptx->jit->module, LLVMLookupIntrinsicID(name, strlen(name)), types, 2);
    LLVMValueRef result = LLVMBuildCall2(
        builder, LLVMGlobalGetValueType(function), function, &value, 1, "");
    if (to.bits < 32 && PLANTED_FAULT(ptx_narrow_wraps)) {
        result = LLVMBuildTrunc(builder, result, ptx_llvm_type(ptx, to), "");
    } else if (to.bits < 32) {
        result = ptx_limit_integer(ptx, result, to, is_signed);
    }
    if (to.bits < 64 &&
        LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMDoubleTypeKind) {
        return result;
    }
    LLVMValueRef is_nan =
        LLVMBuildFCmp(builder, LLVMRealUNO, value, value, "");
    LLVMValueRef top =
        LLVMConstInt(LLVMTypeOf(result), 1ull << (to.bits - 1), 0);
    return LLVMBuildSelect(builder, is_nan, top, result, "");
}

LLVMValueRef
ptx_step_number(struct ptx *ptx, const struct ptx_statement *statement,
                LLVMValueRef bits, LLVMValueRef rest)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(rest));
    LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, 0);
    LLVMValueRef above = LLVMBuildFCmp(builder, LLVMRealOGT, rest, none, "");
    LLVMValueRef below = LLVMBuildFCmp(builder, LLVMRealOLT, rest, none, "");
    LLVMValueRef negative = LLVMBuildICmp(builder, LLVMIntSLT, bits, zero, "");
    LLVMValueRef step = NULL;
    if (ptx_has(statement, "rz")) {
        step = PLANTED_FAULT(ptx_round_down)
                   ? below
                   : LLVMBuildSelect(builder, negative, above, below, "");
    } else if (ptx_has(statement, "rm")) {
        step = below;
    } else if (ptx_has(statement, "rp")) {
        step = above;
    } else {
        return bits;
    }
    /* true if the neighbour that replaces the float has a greater magnitude: a
     * positive float is replaced by a larger one, or a negative float by a
     * smaller one */
    LLVMValueRef grows = LLVMBuildSelect(builder, negative, below, above, "");
    LLVMValueRef next =
        LLVMBuildSelect(builder, grows, LLVMBuildAdd(builder, bits, one, ""),
                        LLVMBuildSub(builder, bits, one, ""), "");
    return LLVMBuildSelect(builder, step, next, bits, "");
}

/* Rounds a double to a float. The statement's modifier .rn, .rz, .rm or .rp is
 * the rounding mode. */
static LLVMValueRef
round_double(struct ptx *ptx, const struct ptx_statement *statement,
             LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMFloatTypeInContext(ptx->jit->context);
    LLVMTypeRef wide = LLVMTypeOf(value);
    LLVMValueRef single = LLVMBuildFPTrunc(builder, value, type, "");
    LLVMValueRef rest = LLVMBuildFSub(
        builder, value, LLVMBuildFPExt(builder, single, wide, ""), "");
    LLVMValueRef bits = LLVMBuildBitCast(builder, single, ptx->jit->i32, "");
    bits = ptx_step_number(ptx, statement, bits, rest);
    return LLVMBuildBitCast(builder, bits, type, "");
}

/* Converts an integer of 64 bits to a double, rounded to nearest. *rest
 * becomes the exact difference: the integer minus the double. */
static LLVMValueRef
nearest_double(struct ptx *ptx, LLVMValueRef value, bool is_signed,
               LLVMValueRef *rest)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = LLVMDoubleTypeInContext(ptx->jit->context);
    LLVMTypeRef i64 = ptx->jit->i64;
    LLVMValueRef by = LLVMConstInt(i64, 32, 0);
    LLVMValueRef near = is_signed ? LLVMBuildSIToFP(builder, value, type, "")
                                  : LLVMBuildUIToFP(builder, value, type, "");
    LLVMValueRef high = is_signed ? LLVMBuildAShr(builder, value, by, "")
                                  : LLVMBuildLShr(builder, value, by, "");
    LLVMValueRef low =
        LLVMBuildAnd(builder, value, LLVMConstInt(i64, UINT32_MAX, 0), "");
    high = LLVMBuildSIToFP(builder, high, type, "");
    low = LLVMBuildUIToFP(builder, low, type, "");
    high = LLVMBuildFMul(builder, high, LLVMConstReal(type, 0x1p32), "");
    *rest = LLVMBuildFAdd(builder, LLVMBuildFSub(builder, high, near, ""), low,
                          "");
    return near;
}

/* Converts an integer of 64 bits to a double. The statement's modifier .rn,
 * .rz, .rm or .rp is the rounding mode. */
static LLVMValueRef
round_long(struct ptx *ptx, const struct ptx_statement *statement,
           LLVMValueRef value, bool is_signed)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef i64 = ptx->jit->i64;
    LLVMValueRef rest;
    LLVMValueRef near = nearest_double(ptx, value, is_signed, &rest);
    LLVMValueRef bits = ptx_step_number(
        ptx, statement, LLVMBuildBitCast(builder, near, i64, ""), rest);
    return LLVMBuildBitCast(builder, bits, LLVMTypeOf(near), "");
}

LLVMValueRef
ptx_long_to_odd(struct ptx *ptx, LLVMValueRef value, bool is_signed)
{
    static const struct ptx_statement to_zero = {.modifiers = {"rz"},
                                                 .modifier_count = 1};
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef i64 = ptx->jit->i64;
    LLVMValueRef rest;
    LLVMValueRef near = nearest_double(ptx, value, is_signed, &rest);
    LLVMValueRef bits = ptx_step_number(
        ptx, &to_zero, LLVMBuildBitCast(builder, near, i64, ""), rest);
    LLVMValueRef inexact = LLVMBuildFCmp(builder, LLVMRealONE, rest,
                                         LLVMConstNull(LLVMTypeOf(rest)), "");
    bits = LLVMBuildOr(builder, bits, LLVMBuildZExt(builder, inexact, i64, ""),
                       "");
    return LLVMBuildBitCast(builder, bits, LLVMTypeOf(near), "");
}

static bool
is_directed(const struct ptx_statement *statement)
{
    return ptx_has(statement, "rz") || ptx_has(statement, "rm") ||
           ptx_has(statement, "rp");
}

/* Rounds a float or double to the float type `to`, of 32 or 64 bits. */
static LLVMValueRef
to_float(struct ptx *ptx, const struct ptx_statement *statement,
         LLVMValueRef value, struct ptx_type to)
{
    LLVMTypeRef type = ptx_llvm_type(ptx, to);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    return kind == LLVMDoubleTypeKind && to.bits == 32 &&
                   is_directed(statement)
               ? round_double(ptx, statement, value)
               : LLVMBuildFPCast(ptx->jit->builder, value, type, "");
}

LLVMValueRef
ptx_convert_float(struct ptx *ptx, const struct ptx_statement *statement,
                  LLVMValueRef value, struct ptx_type to)
{
    const char *rounding = whole_rounding(statement);
    bool flushes = ptx_has(statement, "ftz");
    LLVMTypeRef single = LLVMFloatTypeInContext(ptx->jit->context);
    if (flushes && LLVMTypeOf(value) == single) {
        value = ptx_flush(ptx, value);
    }
    if (rounding) {
        value = ptx_intrinsic(ptx, rounding, LLVMTypeOf(value), &value, 1);
    } else if (to.letter != 'f') {
        ptx_fail(ptx, "cvt to an integer needs a rounding modifier");
        return NULL;
    }
    if (to.letter != 'f') {
        return to_integer(ptx, value, to);
    }
    value = to_float(ptx, statement, value, to);
    if (flushes && to.bits == 32) {
        value = ptx_flush(ptx, value);
    }
    return ptx_has(statement, "sat") ? ptx_saturate(ptx, value) : value;
}

/* Limits an integer to the range of the type `to`. */
LLVMValueRef
ptx_limit_integer(struct ptx *ptx, LLVMValueRef value, struct ptx_type to,
                  bool is_signed)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef wide = LLVMIntTypeInContext(ptx->jit->context, 128);
    LLVMValueRef one = LLVMConstInt(wide, 1, 0);
    bool to_signed = to.letter == 's';
    LLVMValueRef power = LLVMBuildShl(
        builder, one, LLVMConstInt(wide, to.bits - to_signed, 0), "");
    LLVMValueRef pair[] = {
        LLVMBuildIntCast2(builder, value, wide, is_signed, ""),
        to_signed ? LLVMBuildNeg(builder, power, "") : LLVMConstNull(wide)};
    pair[0] = ptx_intrinsic(ptx, "llvm.smax", wide, pair, 2);
    pair[1] = LLVMBuildSub(builder, power, one, "");
    value = ptx_intrinsic(ptx, "llvm.smin", wide, pair, 2);
    return LLVMBuildTrunc(
        builder, value, LLVMIntTypeInContext(ptx->jit->context, to.bits), "");
}

static LLVMValueRef
from_integer(struct ptx *ptx, const struct ptx_statement *statement,
             LLVMValueRef value, struct ptx_type to, struct ptx_type from)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = ptx_llvm_type(ptx, to);
    bool is_signed = from.letter == 's';
    if (to.letter != 'f') {
        return ptx_has(statement, "sat")
                   ? ptx_limit_integer(ptx, value, to, is_signed)
                   : LLVMBuildIntCast2(builder, value, type, is_signed, "");
    }
    if (is_directed(statement) && from.bits == 64) {
        /* Rounding twice in the same direction, to a double and then to a
         * float, gives the same result as rounding once. */
        value = round_long(ptx, statement, value, is_signed);
        value = to_float(ptx, statement, value, to);
    } else if (is_directed(statement) && from.bits <= 32) {
        LLVMTypeRef wide = LLVMDoubleTypeInContext(ptx->jit->context);
        value = is_signed ? LLVMBuildSIToFP(builder, value, wide, "")
                          : LLVMBuildUIToFP(builder, value, wide, "");
        value = to_float(ptx, statement, value, to);
    } else {
        value = is_signed ? LLVMBuildSIToFP(builder, value, type, "")
                          : LLVMBuildUIToFP(builder, value, type, "");
    }
    return ptx_has(statement, "sat") ? ptx_saturate(ptx, value) : value;
}

bool
ptx_build_convert(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type to, from;
    unsigned n = statement->modifier_count;
    if (ptx_has(statement, "pack")) {
        return ptx_convert_pack(ptx, statement);
    }
    bool plain = ptx_parse_type(statement->modifiers[n - 2], &to) &&
                 ptx_parse_type(statement->modifiers[n - 1], &from);
    if (!plain || (to.letter == 'f' && to.bits == 16) ||
        (from.letter == 'f' && from.bits == 16)) {
        return ptx_convert_small(ptx, statement);
    }
    if (statement->operand_count != 2) {
        return ptx_form_refuse(ptx, "cvt");
    }
    LLVMValueRef value = ptx_read(ptx, &statement->operands[1], from, true);
    if (value) {
        value = from.letter == 'f'
                    ? ptx_convert_float(ptx, statement, value, to)
                    : from_integer(ptx, statement, value, to, from);
    }
    return value &&
           ptx_write(ptx, statement->operands[0].names[0], to, value, true);
}
