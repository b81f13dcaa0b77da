/* convert.c - builds cvt of inline PTX: type conversions and rounding.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/ptx/ptx.h"

/* Returns the LLVM intrinsic that rounds a float to a whole number as the
 * modifier .rni, .rzi, .rmi or .rpi of cvt says, NULL if there is none. */
static const char *
whole_rounding(const struct ptx_statement *statement)
{
    return ptx_has(statement, "rni")   ? "llvm.roundeven"
           : ptx_has(statement, "rzi") ? "llvm.trunc"
           : ptx_has(statement, "rmi") ? "llvm.floor"
           : ptx_has(statement, "rpi") ? "llvm.ceil"
                                       : NULL;
}

/* Converts a float to the integer type, saturating; NaN gives 0. */
static LLVMValueRef
to_integer(struct ptx *ptx, LLVMValueRef value, struct ptx_type to)
{
    LLVMTypeRef types[] = {ptx_llvm_type(ptx, to), LLVMTypeOf(value)};
    const char *name =
        to.letter == 's' ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(
        ptx->jit->module, LLVMLookupIntrinsicID(name, strlen(name)), types, 2);
    return LLVMBuildCall2(ptx->jit->builder, LLVMGlobalGetValueType(function),
                          function, &value, 1, "");
}

/* Converts a float to the type that the cvt statement names. Conversions to
 * integers need a rounding modifier. The modifier .sat clamps a float to [0,
 * 1]. */
static LLVMValueRef
from_float(struct ptx *ptx, const struct ptx_statement *statement,
           LLVMValueRef value, struct ptx_type to)
{
    const char *rounding = whole_rounding(statement);
    if (rounding) {
        value = ptx_intrinsic(ptx, rounding, LLVMTypeOf(value), &value, 1);
    } else if (to.letter != 'f') {
        ptx_fail(ptx, "cvt to an integer needs a rounding modifier");
        return NULL;
    }
    if (to.letter != 'f') {
        return to_integer(ptx, value, to);
    }
    LLVMTypeRef type = ptx_llvm_type(ptx, to);
    value = LLVMBuildFPCast(ptx->jit->builder, value, type, "");
    if (ptx_has(statement, "sat")) {
        LLVMValueRef pair[] = {value, LLVMConstReal(type, 0.0)};
        pair[0] = ptx_intrinsic(ptx, "llvm.maxnum", type, pair, 2);
        pair[1] = LLVMConstReal(type, 1.0);
        value = ptx_intrinsic(ptx, "llvm.minnum", type, pair, 2);
    }
    return value;
}

static LLVMValueRef
from_integer(struct ptx *ptx, const struct ptx_statement *statement,
             LLVMValueRef value, struct ptx_type to, bool is_signed)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef type = ptx_llvm_type(ptx, to);
    if (ptx_has(statement, "sat")) {
        ptx_fail(ptx, "cvt.sat between integers is not supported");
        return NULL;
    }
    if (to.letter != 'f') {
        return LLVMBuildIntCast2(builder, value, type, is_signed, "");
    }
    return is_signed ? LLVMBuildSIToFP(builder, value, type, "")
                     : LLVMBuildUIToFP(builder, value, type, "");
}

bool
ptx_build_convert(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type to, from;
    unsigned n = statement->modifier_count;
    if (n < 2 || statement->operand_count != 2 ||
        !ptx_parse_type(statement->modifiers[n - 2], &to) ||
        !ptx_parse_type(statement->modifiers[n - 1], &from) ||
        !ptx_only(statement, " rn rni rzi rmi rpi ftz sat ")) {
        return ptx_fail(ptx, "'cvt' does not exist in a supported form");
    }
    LLVMValueRef value = ptx_read(ptx, &statement->operands[1], from, true);
    if (value) {
        value = from.letter == 'f' ? from_float(ptx, statement, value, to)
                                   : from_integer(ptx, statement, value, to,
                                                  from.letter == 's');
    }
    return value &&
           ptx_write(ptx, statement->operands[0].names[0], to, value, true);
}
