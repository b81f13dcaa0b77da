/* copies.c - cp.async of PTX: copies between global and shared memory.
 *
 * A copy is complete when its instruction ends. So the instructions that form
 * groups of copies or wait for them produce no code.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/barriers.h"
#include "jit/ptx/copies.h"
#include "jit/ptx/ptx.h"

/* Reads the operand of cp.async that follows the size of the target. The
 * operand is either the number of bytes to copy, or a predicate that
 * suppresses the copy if it is true. The rest of the target is filled with
 * zeros. Returns the number of bytes to copy, an i64. */
static LLVMValueRef
read_size(struct ptx *ptx, const struct ptx_operand *operand, uint64_t bytes)
{
    struct jit *jit = ptx->jit;
    struct ptx_type predicate = {'p', 1}, word = {'u', 32};
    struct ptx_symbol *own =
        operand->kind == PTX_REGISTER
            ? ptx_find(ptx, operand->names[0] + (operand->names[0][0] == '!'))
            : NULL;
    LLVMValueRef all = LLVMConstInt(jit->i64, bytes, 0);
    if (own && own->type.letter == 'p') {
        LLVMValueRef ignore = ptx_read(ptx, operand, predicate, false);
        return ignore ? LLVMBuildSelect(jit->builder, ignore,
                                        LLVMConstInt(jit->i64, 0, 0), all, "")
                      : NULL;
    }
    LLVMValueRef size = ptx_read(ptx, operand, word, true);
    if (!size) {
        return NULL;
    }
    LLVMValueRef pair[] = {LLVMBuildZExt(jit->builder, size, jit->i64, ""),
                           all};
    return ptx_intrinsic(ptx, "llvm.umin", jit->i64, pair, 2);
}

/* Builds cp.async [to], [from], bytes{, size or predicate}{, cache policy}. */
static bool
build_copy(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    const struct ptx_operand *operands = statement->operands;
    unsigned count =
        statement->operand_count - ptx_has(statement, "L2::cache_hint");
    if (count < 3 || count > 4 || operands[2].kind != PTX_INTEGER ||
        !ptx_only(statement, " async ca cg shared shared::cta global ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    unsigned bytes = (unsigned)operands[2].bits;
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef to = ptx_address(ptx, &operands[0], PTX_SPACE_SHARED);
    LLVMValueRef from =
        to ? ptx_address(ptx, &operands[1], PTX_SPACE_GLOBAL) : NULL;
    LLVMValueRef size = LLVMConstInt(jit->i64, bytes, 0);
    if (from && count == 4) {
        size = read_size(ptx, &operands[3], bytes);
    }
    if (!from || !size) {
        return false;
    }
    if (!LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(size) != bytes) {
        LLVMBuildMemSet(jit->builder, to, LLVMConstInt(jit->i8, 0, 0),
                        LLVMConstInt(jit->i64, bytes, 0), bytes);
        LLVMBuildMemCpy(jit->builder, to, 1, from, 1, size);
    } else {
        LLVMBuildMemCpy(jit->builder, to, bytes, from, bytes, size);
    }
    return true;
}

/* Builds cp.async.bulk [to], [from], bytes. The copy goes to shared memory,
 * where an mbarrier object counts the bytes, or to global memory. */
static bool
build_bulk_copy(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    struct ptx_type word = {'u', 32};
    const struct ptx_operand *operands = statement->operands;
    bool counts = ptx_has(statement, "mbarrier::complete_tx::bytes");
    bool in = counts && ptx_has(statement, "global");
    /* The operand of .multicast::cluster, a mask of the cluster's blocks, is
     * ignored, since a cluster has only one block. */
    unsigned count = statement->operand_count -
                     ptx_has(statement, "L2::cache_hint") -
                     ptx_has(statement, "multicast::cluster");
    if (count != 3u + counts ||
        !ptx_only(statement, " async bulk global shared::cta shared::cluster "
                             "bulk_group mbarrier::complete_tx::bytes "
                             "multicast::cluster ")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    LLVMValueRef to = ptx_address(
        ptx, &operands[0], counts ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL);
    LLVMValueRef from =
        to ? ptx_address(ptx, &operands[1],
                         in ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED)
           : NULL;
    LLVMValueRef size = from ? ptx_read(ptx, &operands[2], word, false) : NULL;
    LLVMValueRef at = NULL;
    if (size && counts) {
        at = ptx_address(ptx, &operands[3], PTX_SPACE_SHARED);
    }
    if (!size || (counts && !at)) {
        return false;
    }
    size = LLVMBuildZExt(jit->builder, size, jit->i64, "");
    LLVMBuildMemCpy(jit->builder, to, 16, from, 16, size);
    if (counts) {
        ptx_complete_bytes(ptx, at, size);
    }
    return true;
}

bool
ptx_build_async_copy(struct ptx *ptx, const struct ptx_statement *statement)
{
    if (!ptx_has(statement, "async")) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    if (ptx_has(statement, "mbarrier") && ptx_has(statement, "arrive")) {
        return ptx_build_copies_arrive(ptx, statement);
    }
    if (ptx_has(statement, "commit_group") || ptx_has(statement, "wait_all") ||
        ptx_has(statement, "wait_group")) {
        return ptx_only(statement, " async bulk read commit_group wait_all "
                                   "wait_group ")
                   ? true
                   : ptx_form_refuse(ptx, statement->operation);
    }
    if (ptx_has(statement, "tensor")) {
        return ptx_fail(ptx, "'cp' with a tensor map is not supported");
    }
    if (ptx_has(statement, "reduce")) {
        return ptx_build_bulk_reduction(ptx, statement);
    }
    if (ptx_has(statement, "prefetch")) {
        return ptx_only(statement, " async bulk prefetch L2 global ") ||
               ptx_form_refuse(ptx, statement->operation);
    }
    return ptx_has(statement, "bulk") ? build_bulk_copy(ptx, statement)
                                      : build_copy(ptx, statement);
}
