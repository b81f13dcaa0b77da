/* effects.c - instructions of PTX without a result: barriers, fences, traps.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/ptx.h"

static void
build_call(struct ptx *ptx, const char *name, LLVMTypeRef result,
           LLVMValueRef *arguments, unsigned count, const char *attribute)
{
    struct jit *jit = ptx->jit;
    LLVMTypeRef types[] = {jit->i32, jit->i32};
    LLVMValueRef function = jit_declare(jit, name, result, types, count);
    jit_add_attribute(jit, function, attribute);
    LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function), function,
                   arguments, count, "");
}

/* Builds bar.sync or barrier.sync. Without a number of threads, barrier 0 is
 * __syncthreads(). */
static bool
build_barrier(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    struct ptx_type type = {'u', 32};
    const struct ptx_operand *operands = statement->operands;
    LLVMTypeRef none = LLVMVoidTypeInContext(jit->context);
    LLVMValueRef values[2] = {jit_constant(jit, 0), jit_constant(jit, 0)};
    unsigned count = statement->operand_count;
    if (ptx_has(statement, "warp")) {
        values[0] = count == 1 ? ptx_read(ptx, operands, type, false) : NULL;
        if (!values[0]) {
            return ptx_fail(ptx, "bar.warp.sync needs a mask");
        }
        build_call(ptx, "__pycuda_warp_barrier", none, values, 1,
                   "convergent");
        return true;
    }
    if (!ptx_only(statement, " sync aligned cta ") ||
        !ptx_has(statement, "sync") || !count || count > 2) {
        return ptx_form_refuse(ptx, statement->operation);
    }
    bool plain =
        count == 1 && operands->kind == PTX_INTEGER && operands->bits == 0;
    if (plain) {
        build_call(ptx, "__pycuda_barrier", jit->i32, values, 2, "convergent");
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        values[i] = ptx_read(ptx, &operands[i], type, false);
        if (!values[i]) {
            return false;
        }
    }
    build_call(ptx, "__pycuda_barrier_named", none, values, 2, "convergent");
    return true;
}

bool
ptx_build_effect(struct ptx *ptx, const struct ptx_statement *statement)
{
    struct jit *jit = ptx->jit;
    const char *operation = statement->operation;
    if (strncmp(operation, "bar", 3) == 0) {
        return build_barrier(ptx, statement);
    }
    if (strcmp(operation, "trap") == 0) {
        build_call(ptx, "__pycuda_trap", LLVMVoidTypeInContext(jit->context),
                   NULL, 0, "noreturn");
        return true;
    }
    if (strcmp(operation, "membar") == 0 || strcmp(operation, "fence") == 0) {
        if (!ptx_only(
                statement,
                " cta gl sys gpu cluster sc acq_rel acquire "
                "release proxy tensormap::generic alias async async::generic "
                "global shared::cta shared::cluster "
                "mbarrier_init sync_restrict::shared::cta "
                "sync_restrict::shared::cluster async.global ")) {
            return ptx_form_refuse(ptx, operation);
        }
        LLVMBuildFence(jit->builder, LLVMAtomicOrderingSequentiallyConsistent,
                       0, "");
    }
    return true; /* brkpt, nop and prefetches do nothing */
}
