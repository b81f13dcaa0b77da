/* fallback.c - writes code that runs a pack without assumptions after a failed
 * run-time test.
 *
 * Called by values.c. The index of an access is often computed with 32 bits
 * and extended to 64. The lanes of a pack (neighbouring threads that one
 * function runs) access consecutive elements only if the index does not wrap
 * between the first and the last lane. If this cannot be proved, the function
 * for a pack contains a run-time test, before any effect that other threads
 * can observe. If the index wraps, the function calls the body for one lane
 * after the other.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/assumptions.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

/* Writes the arguments for a call of the kernel body for the thread in lane
 * number `lane` of a pack. Computes them from the arguments of `function`, a
 * function for packs. Returns an array that has space for one more element.
 * The caller frees it. */
static LLVMValueRef *
write_arguments(const struct jit_pack_body *body, LLVMValueRef function,
                LLVMValueRef lane)
{
    static const int row[] = {JIT_TID, JIT_LINEAR, JIT_GLOBAL_INDEX,
                              JIT_WIDE_INDEX};
    const struct jit_kernel *kernel = body->kernel;
    LLVMBuilderRef builder = body->jit->builder;
    unsigned count = LLVMCountParams(kernel->body);
    LLVMValueRef *arguments = jit_allocate((count + 1) * sizeof *arguments);
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = LLVMGetParam(function, i);
        for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
            if (LLVMGetParam(kernel->body, i) ==
                jit_body_argument(kernel, row[k])) {
                LLVMTypeRef type = LLVMTypeOf(arguments[i]);
                arguments[i] =
                    LLVMBuildAdd(builder, arguments[i],
                                 LLVMBuildZExt(builder, lane, type, ""), "");
            }
        }
    }
    return arguments;
}

/* Writes a call of the kernel body for one thread of the pack: the thread in
 * lane number `lane`. */
static void
call_body(struct jit_pack_writer *to, LLVMValueRef lane)
{
    const struct jit_kernel *kernel = to->body->kernel;
    unsigned count = LLVMCountParams(kernel->body);
    LLVMValueRef *arguments = write_arguments(to->body, to->function, lane);
    LLVMBuildCall2(to->builder, LLVMGlobalGetValueType(kernel->body),
                   kernel->body, arguments, count, "");
    free(arguments);
}

LLVMValueRef
jit_pack_write_parts(struct jit_pack_body *body, unsigned width,
                     unsigned narrow)
{
    struct jit *jit = body->jit;
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef function = jit_pack_add_function(body, width, "parts");
    LLVMValueRef callee = LLVMGetNamedFunction(
        jit->module, jit_format("pack%u.%s", narrow, body->kernel->name));
    LLVMTypeRef type = LLVMGlobalGetValueType(callee);
    LLVMBasicBlockRef blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = LLVMAppendBasicBlockInContext(jit->context, function, "");
    }
    LLVMSetCurrentDebugLocation2(builder, NULL);
    LLVMPositionBuilderAtEnd(builder, blocks[0]);
    LLVMBuildBr(builder, blocks[1]);
    LLVMPositionBuilderAtEnd(builder, blocks[1]);
    LLVMValueRef lane = LLVMBuildPhi(builder, jit->i32, "");
    LLVMValueRef *arguments = write_arguments(body, function, lane);
    unsigned count = LLVMCountParams(body->kernel->body);
    /* All lanes of a wide pack are active. */
    arguments[count] = LLVMConstAllOnes(LLVMTypeOf(LLVMGetLastParam(callee)));
    LLVMBuildCall2(builder, type, callee, arguments, count + 1, "");
    free(arguments);
    LLVMValueRef next =
        LLVMBuildAdd(builder, lane, jit_constant(jit, narrow), "");
    LLVMValueRef values[2] = {jit_constant(jit, 0), next};
    LLVMBasicBlockRef from[2] = {blocks[0], blocks[1]};
    LLVMAddIncoming(lane, values, from, 2);
    LLVMBuildCondBr(
        builder,
        LLVMBuildICmp(builder, LLVMIntULT, next, jit_constant(jit, width), ""),
        blocks[1], blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[2]);
    LLVMBuildRetVoid(builder);
    return function;
}

/* Writes a call of body->general with the arguments of this function, and the
 * return. */
static void
call_general(struct jit_pack_writer *to)
{
    unsigned count = LLVMCountParams(to->function);
    LLVMValueRef *arguments = jit_allocate(count * sizeof(LLVMValueRef));
    LLVMGetParams(to->function, arguments);
    LLVMBuildCall2(to->builder, LLVMGlobalGetValueType(to->function),
                   to->body->general, arguments, count, "");
    LLVMBuildRetVoid(to->builder);
    free(arguments);
}

/* Writes a loop that calls the kernel body for each active lane, one after the
 * other, and the return from the function that runs the pack. */
static void
write_lane_loop(struct jit_pack_writer *to)
{
    LLVMBuilderRef builder = to->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), blocks[4];
    for (int i = 0; i < 4; i++) {
        blocks[i] =
            LLVMAppendBasicBlockInContext(to->jit->context, to->function, "");
    }
    LLVMBuildBr(builder, blocks[0]);
    LLVMPositionBuilderAtEnd(builder, blocks[0]);
    LLVMValueRef lane = LLVMBuildPhi(builder, to->jit->i32, "");
    LLVMValueRef active = LLVMBuildExtractElement(builder, to->all, lane, "");
    LLVMBuildCondBr(builder, active, blocks[1], blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[1]);
    call_body(to, lane);
    LLVMBuildBr(builder, blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[2]);
    LLVMValueRef next =
        LLVMBuildAdd(builder, lane, jit_constant(to->jit, 1), "");
    LLVMValueRef values[2] = {jit_constant(to->jit, 0), next};
    LLVMBasicBlockRef from[2] = {before, blocks[2]};
    LLVMAddIncoming(lane, values, from, 2);
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntULT, next,
                                      jit_constant(to->jit, to->width), "");
    LLVMBuildCondBr(builder, more, blocks[0], blocks[3]);
    LLVMPositionBuilderAtEnd(builder, blocks[3]);
    LLVMBuildRetVoid(builder);
}

/* Writes the basic block that runs the pack after a failed run-time test: it
 * calls body->general or, if that is NULL, the body for each lane. */
static void
write_fallback(struct jit_pack_writer *to)
{
    LLVMBasicBlockRef now = LLVMGetInsertBlock(to->builder);
    to->fallback =
        LLVMAppendBasicBlockInContext(to->jit->context, to->function, "");
    LLVMPositionBuilderAtEnd(to->builder, to->fallback);
    if (to->body->general) {
        call_general(to);
    } else {
        write_lane_loop(to);
    }
    LLVMPositionBuilderAtEnd(to->builder, now);
}

void
jit_pack_branch(struct jit_pack_writer *to, LLVMValueRef fits)
{
    if (!to->fallback) {
        write_fallback(to);
    }
    LLVMBasicBlockRef go_on =
        LLVMAppendBasicBlockInContext(to->jit->context, to->function, "");
    LLVMBuildCondBr(to->builder, fits, go_on, to->fallback);
    LLVMPositionBuilderAtEnd(to->builder, go_on);
}

void
jit_pack_check(struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMBuilderRef builder = to->builder;
    LLVMValueRef operand = LLVMGetOperand(at, 0);
    bool zero = LLVMIsAZExtInst(at) != NULL;
    int64_t way = jit_pack_shape(to->body, operand).stride * (to->width - 1);
    LLVMValueRef low =
        LLVMBuildFreeze(builder, jit_pack_scalar(to, operand), "");
    LLVMValueRef far =
        LLVMBuildAdd(builder,
                     LLVMBuildCast(builder, zero ? LLVMZExt : LLVMSExt, low,
                                   to->jit->i64, ""),
                     LLVMConstInt(to->jit->i64, (uint64_t)way, 1), "");
    LLVMValueRef last = LLVMBuildCast(
        builder, zero ? LLVMZExt : LLVMSExt,
        LLVMBuildTrunc(builder, far, to->jit->i32, ""), to->jit->i64, "");
    LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntEQ, far, last, "");
    if (PLANTED_FAULT(pack_assumes)) {
        fits = LLVMConstInt(to->jit->i1, 1, 0);
    }
    jit_pack_branch(to, fits);
}
