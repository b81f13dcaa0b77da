/* memory.c - loads and stores of PTX.
 *
 * addresses.c describes the addresses; cache hints are ignored.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/ptx/copies.h"
#include "jit/ptx/ptx.h"

/* Returns an operand [name + offset] of the statement as an LLVM pointer. */
static LLVMValueRef
address(struct ptx *ptx, const struct ptx_statement *statement,
        const struct ptx_operand *operand)
{
    return ptx_address(ptx, operand, ptx_space_of(statement));
}

static const char modifiers[] =
    " global const shared shared::cta shared::cluster local param "
    "param::entry param::func generic nc ca cg cs lu cv wb wt weak volatile "
    "mmio relaxed acquire release cta cluster gpu sys v2 v4 ";

/* Reads the type and the number of vector elements (1, 2 or 4) of a load or
 * store; fails for unsupported modifiers. */
static bool
read_form(struct ptx *ptx, const struct ptx_statement *statement,
          struct ptx_type *type, unsigned *count)
{
    *count = ptx_has(statement, "v2") ? 2 : ptx_has(statement, "v4") ? 4 : 1;
    if (!statement->modifier_count ||
        !ptx_parse_type(statement->modifiers[statement->modifier_count - 1],
                        type) ||
        type->letter == 'p' || statement->operand_count < 2) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (!ptx_only(statement, modifiers)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    return true;
}

/* Sets alignment, volatility and memory order of a load or store as the
 * modifiers of the statement require. `strong` is the memory order to use for
 * .acquire and .release. */
static void
set_order(LLVMValueRef access, const struct ptx_statement *statement,
          struct ptx_type type, LLVMAtomicOrdering strong)
{
    bool ordered =
        ptx_has(statement, "acquire") || ptx_has(statement, "release");
    if (ptx_has(statement, "volatile")) {
        LLVMSetVolatile(access, 1);
    }
    if (ordered || ptx_has(statement, "relaxed")) {
        LLVMSetOrdering(access,
                        ordered ? strong : LLVMAtomicOrderingMonotonic);
    }
    LLVMSetAlignment(access, type.bits / 8);
}

static LLVMValueRef
element(struct ptx *ptx, LLVMValueRef base, struct ptx_type type, unsigned i)
{
    LLVMValueRef index = LLVMConstInt(ptx->jit->i64, i, 0);
    return LLVMBuildGEP2(ptx->jit->builder, ptx_llvm_type(ptx, type), base,
                         &index, 1, "");
}

bool
ptx_build_load(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    unsigned count;
    const struct ptx_operand *to = &statement->operands[0];
    if (!read_form(ptx, statement, &type, &count)) {
        return false;
    }
    LLVMValueRef base = address(ptx, statement, &statement->operands[1]);
    if (!base || to->count != count) {
        return ptx_fail(
            ptx, "the number of registers does not match the vector size");
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = LLVMBuildLoad2(
            ptx->jit->builder, ptx_llvm_type(ptx, type),
            element(ptx, base, type,
                    i ^ (count > 1 && PLANTED_FAULT(ptx_vector_swapped))),
            "");
        set_order(value, statement, type, LLVMAtomicOrderingAcquire);
        if (!ptx_write(ptx, to->names[i], type, value, true)) {
            return false;
        }
    }
    return true;
}

bool
ptx_build_store(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    unsigned count;
    const struct ptx_operand *from = &statement->operands[1];
    if (ptx_has(statement, "async")) {
        return ptx_build_async_store(ptx, statement);
    }
    if (!read_form(ptx, statement, &type, &count)) {
        return false;
    }
    LLVMValueRef base = address(ptx, statement, &statement->operands[0]);
    if (!base || (count > 1 && from->count != count)) {
        return ptx_fail(
            ptx, "the number of registers does not match the vector size");
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value =
            count > 1 ? ptx_read_name(ptx, from->names[i], type, true)
                      : ptx_read(ptx, from, type, true);
        if (!value) {
            return false;
        }
        LLVMValueRef store = LLVMBuildStore(ptx->jit->builder, value,
                                            element(ptx, base, type, i));
        set_order(store, statement, type, LLVMAtomicOrderingRelease);
    }
    return true;
}
