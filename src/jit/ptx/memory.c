/* memory.c - loads, stores and atomic operations of inline PTX.
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
#include "jit/ptx/ptx.h"

/* Returns an operand [name + offset] of the statement as an LLVM pointer. */
static LLVMValueRef
address(struct ptx *ptx, const struct ptx_statement *statement,
        const struct ptx_operand *operand)
{
    return ptx_address(ptx, operand, ptx_space_of(statement));
}

static const char modifiers[] =
    " global const shared shared::cta local param param::entry "
    "param::func generic nc ca cg cs lu cv wb wt weak volatile relaxed "
    "acquire release acq_rel cta cluster gpu sys v2 v4 add and or xor exch "
    "min "
    "max cas inc dec ";

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
        return ptx_fail(ptx, "'%s' does not exist in a supported form",
                        statement->operation);
    }
    if (!ptx_only(statement, modifiers)) {
        return ptx_fail(ptx, "'%s' does not exist in a supported form",
                        statement->operation);
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
        LLVMValueRef value =
            LLVMBuildLoad2(ptx->jit->builder, ptx_llvm_type(ptx, type),
                           element(ptx, base, type, i), "");
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

/* Finds the atomic operation, such as .add, among the modifiers. Returns false
 * for unsupported types: floats have only .add, integers need 32 bits or more.
 */
static bool
atomic_operation(const struct ptx_statement *statement, struct ptx_type type,
                 LLVMAtomicRMWBinOp *operation)
{
    static const struct {
        const char *name;
        LLVMAtomicRMWBinOp is_signed, is_unsigned;
    } rows[] = {
        {"add", LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd},
        {"and", LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd},
        {"or", LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr},
        {"xor", LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor},
        {"exch", LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg},
        {"min", LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin},
        {"max", LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax},
        {"inc", LLVMAtomicRMWBinOpUIncWrap, LLVMAtomicRMWBinOpUIncWrap},
        {"dec", LLVMAtomicRMWBinOpUDecWrap, LLVMAtomicRMWBinOpUDecWrap},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ptx_has(statement, rows[i].name)) {
            *operation =
                type.letter == 's' ? rows[i].is_signed : rows[i].is_unsigned;
            if (type.letter == 'f') {
                *operation = LLVMAtomicRMWBinOpFAdd;
                return i == 0;
            }
            return type.bits >= 32;
        }
    }
    return false;
}

/* Builds atom d, [a], b[, c] and, without a result, red [a], b. */
bool
ptx_build_atomic(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_type type;
    unsigned count;
    bool gives = strcmp(statement->operation, "atom") == 0;
    const struct ptx_operand *operand = &statement->operands[gives];
    if (!read_form(ptx, statement, &type, &count)) {
        return false;
    }
    LLVMValueRef at = address(ptx, statement, operand);
    LLVMValueRef value = at ? ptx_read(ptx, operand + 1, type, false) : NULL;
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    LLVMAtomicRMWBinOp operation;
    if (!value) {
        return false;
    }
    if (ptx_has(statement, "cas") && type.letter != 'f' && gives) {
        LLVMValueRef desired = ptx_read(ptx, operand + 2, type, false);
        if (!desired) {
            return false;
        }
        value = LLVMBuildAtomicCmpXchg(builder, at, value, desired, order,
                                       order, 0);
        value = LLVMBuildExtractValue(builder, value, 0, "");
    } else if (atomic_operation(statement, type, &operation)) {
        value = LLVMBuildAtomicRMW(builder, operation, at, value, order, 0);
    } else {
        return ptx_fail(
            ptx, "an atomic operation does not exist in a supported form");
    }
    return !gives ||
           ptx_write(ptx, statement->operands[0].names[0], type, value, false);
}
