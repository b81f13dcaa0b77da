/* reductions.c - asynchronous stores and reductions of PTX: st.async,
 * red.async and cp.reduce.async.bulk.
 *
 * An operation is complete when its instruction ends. If it has an mbarrier
 * object, the object then counts the bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/atomics.h"
#include "jit/ptx/barriers.h"
#include "jit/ptx/copies.h"
#include "jit/ptx/flow.h"
#include "jit/ptx/ptx.h"
#include "jit/ptx/warp.h"

/* Returns the pointer to element `i` of an array of integers with `bits`
 * bits. */
static LLVMValueRef
element(struct ptx *ptx, LLVMValueRef base, unsigned bits, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMIntTypeInContext(ptx->jit->context, bits);
    return LLVMBuildGEP2(ptx->jit->builder, type, base, &i, 1, "");
}

/* Builds st.async [a], b, [mbarrier]. */
static bool
store_values(struct ptx *ptx, const struct ptx_statement *statement,
             unsigned bits, LLVMValueRef at, LLVMValueRef counter)
{
    struct jit *jit = ptx->jit;
    const struct ptx_operand *from = &statement->operands[1];
    unsigned count = ptx_has(statement, "v2")   ? 2
                     : ptx_has(statement, "v4") ? 4
                                                : 1;
    struct ptx_type type = {'b', bits};
    if (count > 1 && ptx_elements(from) != count) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = count > 1 ? ptx_read_element(ptx, from, i, bits)
                                       : ptx_read(ptx, from, type, false);
        if (!value) {
            return false;
        }
        LLVMValueRef index = LLVMConstInt(jit->i64, i, 0);
        LLVMBuildStore(jit->builder, value, element(ptx, at, bits, index));
    }
    ptx_complete_bytes(ptx, counter,
                       LLVMConstInt(jit->i64, count * bits / 8, 0));
    return true;
}

bool
ptx_build_async_store(struct ptx *ptx, const struct ptx_statement *statement)
{
    static const char modifiers[] =
        " async weak relaxed cluster shared::cluster v2 v4 add and or xor min "
        "max inc dec mbarrier::complete_tx::bytes ";
    struct ptx_atomic atomic = {0};
    const struct ptx_operand *operands = statement->operands;
    if (!ptx_only(statement, modifiers) || statement->operand_count != 3 ||
        !ptx_has(statement, "mbarrier::complete_tx::bytes") ||
        !ptx_atomic_type(statement, &atomic) || atomic.type.bits < 32) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef at = ptx_address(ptx, &operands[0], PTX_SPACE_SHARED);
    LLVMValueRef counter =
        at ? ptx_address(ptx, &operands[2], PTX_SPACE_SHARED) : NULL;
    if (!counter) {
        return false;
    }
    unsigned bits = atomic.type.bits;
    if (strcmp(statement->operation, "st") == 0) {
        return store_values(ptx, statement, bits, at, counter);
    }
    struct ptx_type type = {'b', bits};
    LLVMValueRef value = ptx_read(ptx, &operands[1], type, false);
    if (!value || !ptx_atomic_update(ptx, statement, &atomic, at, value)) {
        return false;
    }
    ptx_complete_bytes(ptx, counter, LLVMConstInt(ptx->jit->i64, bits / 8, 0));
    return true;
}

/* Builds a loop that combines each element of the array at `to` with the
 * element of the same index at `from`. `bytes`, an i64, is the size of each
 * array. */
static bool
reduce_elements(struct ptx *ptx, const struct ptx_statement *statement,
                const struct ptx_atomic *atomic, LLVMValueRef to,
                LLVMValueRef from, LLVMValueRef bytes)
{
    struct jit *jit = ptx->jit;
    LLVMBuilderRef builder = jit->builder;
    unsigned bits = atomic->type.bits;
    LLVMTypeRef type = LLVMIntTypeInContext(jit->context, bits);
    LLVMValueRef zero = LLVMConstInt(jit->i64, 0, 0);
    LLVMValueRef count =
        LLVMBuildUDiv(builder, bytes, LLVMConstInt(jit->i64, bits / 8, 0), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder);
    LLVMBasicBlockRef loop = ptx_new_block(ptx);
    LLVMValueRef i = LLVMBuildPhi(builder, jit->i64, "");
    LLVMValueRef value =
        LLVMBuildLoad2(builder, type, element(ptx, from, bits, i), "");
    bool right = ptx_atomic_update(ptx, statement, atomic,
                                   element(ptx, to, bits, i), value) != NULL;
    LLVMValueRef next =
        LLVMBuildAdd(builder, i, LLVMConstInt(jit->i64, 1, 0), "");
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntULT, next, count, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder);
    LLVMBasicBlockRef end = ptx_new_block(ptx);
    LLVMPositionBuilderAtEnd(builder, last);
    LLVMBuildCondBr(builder, more, loop, end);
    LLVMPositionBuilderAtEnd(builder, before);
    LLVMBuildCondBr(builder,
                    LLVMBuildICmp(builder, LLVMIntNE, count, zero, ""), loop,
                    end);
    LLVMPositionBuilderAtEnd(builder, end);
    LLVMAddIncoming(i, &zero, &before, 1);
    LLVMAddIncoming(i, &next, &last, 1);
    return right;
}

bool
ptx_build_bulk_reduction(struct ptx *ptx,
                         const struct ptx_statement *statement)
{
    static const char modifiers[] =
        " reduce async bulk global shared::cta shared::cluster bulk_group "
        "mbarrier::complete_tx::bytes add and or xor min max inc dec noftz "
        "f16 bf16 ";
    struct jit *jit = ptx->jit;
    struct ptx_type word = {'u', 32};
    struct ptx_atomic atomic = {0};
    const struct ptx_operand *operands = statement->operands;
    bool counts = ptx_has(statement, "mbarrier::complete_tx::bytes");
    unsigned count = 3u + counts + ptx_has(statement, "L2::cache_hint");
    if (!ptx_only(statement, modifiers) || statement->operand_count != count ||
        !ptx_atomic_type(statement, &atomic)) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef to = ptx_address(
        ptx, &operands[0], counts ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL);
    LLVMValueRef from =
        to ? ptx_address(ptx, &operands[1], PTX_SPACE_SHARED) : NULL;
    LLVMValueRef bytes =
        from ? ptx_read(ptx, &operands[2], word, false) : NULL;
    LLVMValueRef counter = NULL;
    if (bytes && counts) {
        counter = ptx_address(ptx, &operands[3], PTX_SPACE_SHARED);
    }
    if (!bytes || (counts && !counter)) {
        return false;
    }
    bytes = LLVMBuildZExt(jit->builder, bytes, jit->i64, "");
    bool right = reduce_elements(ptx, statement, &atomic, to, from, bytes);
    if (right && counts) {
        ptx_complete_bytes(ptx, counter, bytes);
    }
    return right;
}
