/* atomics.c - atomic operations of PTX, atom and red.
 *
 * The scope of the statement is ignored; without a memory order, an operation
 * is relaxed. Elements of 16 bits are updated by loops of
 * compare-and-swap. A vector is updated element by element, and a pair of
 * 16-bit floats as two elements: PTX requires atomicity per element only.
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
#include "jit/ptx/atomics.h"
#include "jit/ptx/copies.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

/* Returns the memory order of the statement. */
static LLVMAtomicOrdering
order_of(const struct ptx_statement *statement)
{
    return ptx_has(statement, "acq_rel")   ? LLVMAtomicOrderingAcquireRelease
           : ptx_has(statement, "acquire") ? LLVMAtomicOrderingAcquire
           : ptx_has(statement, "release") ? LLVMAtomicOrderingRelease
                                           : LLVMAtomicOrderingMonotonic;
}

/* Builds a compare-and-swap. Returns the pair of the old value and the bit
 * that is set if the old value was `expected`. */
static LLVMValueRef
compare_and_swap(struct ptx *ptx, const struct ptx_statement *statement,
                 LLVMValueRef at, LLVMValueRef expected, LLVMValueRef desired)
{
    LLVMAtomicOrdering order = order_of(statement);
    bool acquires = order == LLVMAtomicOrderingAcquireRelease ||
                    order == LLVMAtomicOrderingAcquire;
    LLVMAtomicOrdering failure =
        acquires ? LLVMAtomicOrderingAcquire : LLVMAtomicOrderingMonotonic;

    return LLVMBuildAtomicCmpXchg(ptx->jit->builder, at, expected, desired,
                                  order, failure, 0);
}

/* ---- one element ---- */

/* Finds the atomic operation, such as .add, among the modifiers of the
 * statement. Returns false for unsupported types: floats support only .add,
 * and integers of fewer than 32 bits support no operation. */
static bool
find_operation(const struct ptx_statement *statement, struct ptx_type type,
               LLVMAtomicRMWBinOp *operation)
{
    static const struct {
        const char *name;
        LLVMAtomicRMWBinOp is_signed, is_unsigned;
        unsigned most; /* maximum width of the operand in bits */
    } rows[] = {
        {"add", LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd, 64},
        {"and", LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd, 64},
        {"or", LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr, 64},
        {"xor", LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor, 64},
        {"exch", LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg, 128},
        {"min", LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin, 64},
        {"max", LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax, 64},
        {"inc", LLVMAtomicRMWBinOpUIncWrap, LLVMAtomicRMWBinOpUIncWrap, 32},
        {"dec", LLVMAtomicRMWBinOpUDecWrap, LLVMAtomicRMWBinOpUDecWrap, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ptx_has(statement, rows[i].name)) {
            *operation = type.letter == 's' && !PLANTED_FAULT(ptx_atomic_sign)
                             ? rows[i].is_signed
                             : rows[i].is_unsigned;
            if (type.letter == 'f') {
                *operation = LLVMAtomicRMWBinOpFAdd;
                return i == 0;
            }
            return type.bits >= 32 && type.bits <= rows[i].most;
        }
    }
    return false;
}

/* Applies .add, .min or .max to two 16-bit floats. If one of them is a NaN,
 * .min and .max return the other float. */
static LLVMValueRef
combine_halves(struct ptx *ptx, const struct ptx_statement *statement,
               struct ptx_half half, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMValueRef pair[] = {ptx_half_extend(ptx, half, a),
                           ptx_half_extend(ptx, half, b)};
    LLVMValueRef value =
        ptx_has(statement, "add")
            ? LLVMBuildFAdd(builder, pair[0], pair[1], "")
            : ptx_intrinsic(ptx,
                            ptx_has(statement, "min") ? "llvm.minnum"
                                                      : "llvm.maxnum",
                            LLVMTypeOf(pair[0]), pair, 2);
    return ptx_half_round(ptx, half, value);
}

/* Updates a 16-bit float by a loop of compare-and-swap. Returns its old
 * bits. */
static LLVMValueRef
update_half(struct ptx *ptx, const struct ptx_statement *statement,
            struct ptx_half half, LLVMValueRef at, LLVMValueRef value)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = LLVMInt16TypeInContext(jit->context);
    LLVMValueRef first = LLVMBuildLoad2(builder, type, at, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, 2);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(builder);
    LLVMBasicBlockRef loop = ptx_new_block(ptx);
    LLVMPositionBuilderAtEnd(builder, from);
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    LLVMValueRef old = LLVMBuildPhi(builder, type, "");
    LLVMValueRef sum = combine_halves(ptx, statement, half, old, value);
    LLVMValueRef pair = compare_and_swap(ptx, statement, at, old, sum);
    LLVMValueRef now = LLVMBuildExtractValue(builder, pair, 0, "");
    LLVMValueRef done = LLVMBuildExtractValue(builder, pair, 1, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder);
    LLVMAddIncoming(old, &first, &from, 1);
    LLVMAddIncoming(old, &now, &last, 1);
    LLVMBasicBlockRef end = ptx_new_block(ptx);
    LLVMPositionBuilderAtEnd(builder, last);
    LLVMBuildCondBr(builder, done, end, loop);
    LLVMPositionBuilderAtEnd(builder, end);
    return old;
}

/* Updates a 16-bit float or both floats of a pair. */
static LLVMValueRef
update_halves(struct ptx *ptx, const struct ptx_statement *statement,
              struct ptx_half half, LLVMValueRef at, LLVMValueRef value)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMTypeRef type = LLVMInt16TypeInContext(jit->context);
    if (!ptx_has(statement, "add") && !ptx_has(statement, "min") &&
        !ptx_has(statement, "max")) {
        return NULL;
    }
    if (half.count == 1) {
        return update_half(ptx, statement, half, at, value);
    }
    LLVMValueRef both = jit_constant(jit, 0);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
        LLVMValueRef by = jit_constant(jit, 16ull * i);
        LLVMValueRef own = LLVMBuildLShr(builder, value, by, "");
        own = LLVMBuildTrunc(builder, own, type, "");
        own =
            update_half(ptx, statement, half,
                        LLVMBuildGEP2(builder, type, at, &index, 1, ""), own);
        own = LLVMBuildZExt(builder, own, jit->i32, "");
        own = LLVMBuildShl(builder, own, by, "");
        both = LLVMBuildOr(builder, both, own, "");
    }
    return both;
}

LLVMValueRef
ptx_atomic_update(struct ptx *ptx, const struct ptx_statement *statement,
                  const struct ptx_atomic *atomic, LLVMValueRef at,
                  LLVMValueRef value)
{
    LLVMBuilderRef builder = ptx->jit->builder;
    LLVMAtomicRMWBinOp operation;
    if (atomic->is_half) {
        value = update_halves(ptx, statement, atomic->half, at, value);
    } else if (find_operation(statement, atomic->type, &operation)) {
        LLVMTypeRef type = LLVMTypeOf(value);
        value = LLVMBuildBitCast(builder, value,
                                 ptx_llvm_type(ptx, atomic->type), "");
        value = LLVMBuildAtomicRMW(builder, operation, at, value,
                                   order_of(statement), 0);
        value = LLVMBuildBitCast(builder, value, type, "");
    } else {
        value = NULL;
    }
    if (!value) {
        ptx_form_refuse(ptx, statement->operation);
    }
    return value;
}

/* ---- statements ---- */

bool
ptx_atomic_type(const struct ptx_statement *statement,
                struct ptx_atomic *atomic)
{
    for (unsigned i = statement->modifier_count; i-- > 0;) {
        const char *name = statement->modifiers[i];
        atomic->is_half = ptx_half_parse(name, &atomic->half);
        if (atomic->is_half) {
            atomic->type = (struct ptx_type){'b', 16 * atomic->half.count};
            return true;
        }
        if (ptx_parse_type(name, &atomic->type)) {
            return atomic->type.letter != 'p';
        }
    }
    return false;
}

/* Builds atom.cas d, [a], b, c. */
static LLVMValueRef
build_exchange(struct ptx *ptx, const struct ptx_statement *statement,
               struct ptx_type type, LLVMValueRef at)
{
    const struct ptx_operand *operands = &statement->operands[1];
    LLVMBuilderRef builder = ptx->jit->builder;
    type.letter = 'b';
    LLVMValueRef old = ptx_read(ptx, &operands[1], type, false);
    LLVMValueRef desired =
        old ? ptx_read(ptx, &operands[2], type, false) : NULL;
    if (!desired) {
        return NULL;
    }
    LLVMValueRef pair = compare_and_swap(ptx, statement, at, old, desired);
    return LLVMBuildExtractValue(builder, pair, 0, "");
}

/* Returns the number of elements of a vector operation, 1 without a vector. */
static unsigned
vector_size(const struct ptx_statement *statement)
{
    return ptx_has(statement, "v2")   ? 2
           : ptx_has(statement, "v4") ? 4
           : ptx_has(statement, "v8") ? 8
                                      : 1;
}

/* Tests whether the number of operands, the types and the modifiers are
 * allowed. */
static bool
has_form(const struct ptx_statement *statement,
         const struct ptx_atomic *atomic, bool gives)
{
    static const char modifiers[] =
        " global shared shared::cta shared::cluster generic relaxed acquire "
        "release acq_rel cta cluster gpu sys v2 v4 v8 add and or xor exch min "
        "max cas inc dec noftz f16 bf16 f16x2 bf16x2 ";
    unsigned count = vector_size(statement);
    bool cas = ptx_has(statement, "cas");
    bool real = atomic->is_half || atomic->type.letter == 'f';
    const struct ptx_operand *value = &statement->operands[gives + 1u];
    unsigned operands =
        2u + gives + cas + ptx_has(statement, "L2::cache_hint");
    return ptx_only(statement, modifiers) &&
           statement->operand_count == operands && (gives || !cas) &&
           !(cas && (real || atomic->type.bits < 16)) &&
           (count == 1 || (real && !cas && value->kind == PTX_VECTOR &&
                           value->count == count)) &&
           atomic->is_half == ptx_has(statement, "noftz");
}

/* Builds an operation other than cas on all elements. The old values are
 * written to the result registers at the end, since a result register may also
 * be an operand. */
static bool
build_updates(struct ptx *ptx, const struct ptx_statement *statement,
              const struct ptx_atomic *atomic, LLVMValueRef at, bool gives)
{
    LLVMValueRef old[PTX_MAX_ELEMENTS];
    unsigned count = vector_size(statement);
    const struct ptx_operand *from = &statement->operands[gives + 1u];
    struct ptx_type bits = {'b', atomic->type.bits};
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef index = LLVMConstInt(ptx->jit->i64, i, 0);
        LLVMValueRef element = LLVMBuildGEP2(
            ptx->jit->builder, ptx_llvm_type(ptx, bits), at, &index, 1, "");
        LLVMValueRef value =
            count > 1 ? ptx_read_element(ptx, from, i, bits.bits)
                      : ptx_read(ptx, from,
                                 atomic->is_half ? bits : atomic->type, false);
        if (value) {
            value = LLVMBuildBitCast(ptx->jit->builder, value,
                                     ptx_llvm_type(ptx, bits), "");
            value = ptx_atomic_update(ptx, statement, atomic, element, value);
        }
        if (!value) {
            return false;
        }
        old[i] = value;
    }
    const struct ptx_operand *to = &statement->operands[0];
    if (gives && to->count != count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    for (unsigned i = 0; gives && i < count; i++) {
        if (!ptx_write(ptx, to->names[i], bits, old[i], false)) {
            return false;
        }
    }
    return true;
}

bool
ptx_build_atomic(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct ptx_atomic atomic = {0};
    bool gives = strcmp(statement->operation, "atom") == 0;
    if (ptx_has(statement, "async")) {
        return ptx_build_async_store(ptx, statement);
    }
    if (!ptx_atomic_type(statement, &atomic) ||
        !has_form(statement, &atomic, gives)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    const struct ptx_operand *operands = &statement->operands[gives];
    LLVMValueRef at = ptx_address(ptx, operands, ptx_space_of(statement));
    if (!at) {
        return false;
    }
    if (!ptx_has(statement, "cas")) {
        return build_updates(ptx, statement, &atomic, at, gives);
    }
    LLVMValueRef old = build_exchange(ptx, statement, atomic.type, at);
    return old && ptx_write(ptx, statement->operands[0].names[0], atomic.type,
                            old, false);
}
