/* moves.c - mov and cvta of PTX.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/ptx/ptx.h"

/* Builds mov d, {a, b}: packs several values into one register, with the first
 * value in the lowest bits. */
static bool
pack(struct ptx *ptx, const struct ptx_operand *to, struct ptx_type type,
     const struct ptx_operand *parts)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMTypeRef whole = LLVMIntTypeInContext(ptx->jit->context, type.bits);
    struct ptx_type part = {'b', type.bits / parts->count};
    LLVMValueRef value = LLVMConstInt(whole, 0, 0);
    for (unsigned i = 0; i < parts->count; i++) {
        LLVMValueRef one = ptx_read_name(ptx, parts->names[i], part, false);
        if (!one) {
            return false;
        }
        one = LLVMBuildZExt(builder, one, whole, "");
        one = LLVMBuildShl(builder, one, LLVMConstInt(whole, i * part.bits, 0),
                           "");
        value = LLVMBuildOr(builder, value, one, "");
    }
    return ptx_write(ptx, to->names[0], type, value, false);
}

static bool
unpack(struct ptx *ptx, const struct ptx_operand *parts, struct ptx_type type,
       LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    struct ptx_type part = {'b', type.bits / parts->count};
    LLVMTypeRef whole = LLVMIntTypeInContext(ptx->jit->context, type.bits);
    LLVMTypeRef narrow = LLVMIntTypeInContext(ptx->jit->context, part.bits);
    value = LLVMBuildBitCast(builder, value, whole, "");
    for (unsigned i = 0; i < parts->count; i++) {
        LLVMValueRef one = LLVMBuildLShr(
            builder, value, LLVMConstInt(whole, i * part.bits, 0), "");
        one = LLVMBuildTrunc(builder, one, narrow, "");
        if (!ptx_write(ptx, parts->names[i], part, one, false)) {
            return false;
        }
    }
    return true;
}

static const char moves[] = " to global const shared shared::cta "
                            "shared::cluster local param param::entry ";

/* Builds mov, and cvta, which converts addresses of a state space to generic
 * ones or back. */
bool
ptx_build_move(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    const struct ptx_operand *to = &statement->operands[0];
    const struct ptx_operand *from = &statement->operands[1];
    unsigned n = statement->modifier_count;
    if (!n || !ptx_parse_type(statement->modifiers[n - 1], &type) ||
        statement->operand_count != 2 || !ptx_only(statement, moves)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (from->kind == PTX_VECTOR && to->kind == PTX_REGISTER) {
        return pack(ptx, to, type, from);
    }
    LLVMValueRef value = ptx_read(ptx, from, type, false);
    if (!value) {
        return false;
    }
    if (strcmp(statement->operation, "cvta") == 0) {
        enum ptx_space space = ptx_space_of(statement);
        value = ptx_has(statement, "to") ? ptx_from_generic(ptx, value, space)
                                         : ptx_to_generic(ptx, value, space);
    }
    return to->kind == PTX_VECTOR
               ? unpack(ptx, to, type, value)
               : ptx_write(ptx, to->names[0], type, value, false);
}
