/* warp_votes.c - lowers __syncthreads_count, __syncthreads_and and
 * __syncthreads_or in a kernel that is split.
 *
 * Called by regions.c, which cuts a kernel at these calls as at any barrier,
 * and by spill.c. Before the cut, each thread adds its vote to a sum, a
 * variable of the entry. After the cut, all threads read the sum, which the
 * entry saved when the thread loop before the cut ended:
 *
 *     __pycuda_vote(p != 0);   // the entry's variable += p != 0
 *     -- cut --
 *     n = __pycuda_voted();    // an argument of the body
 *
 * The result of __syncthreads_or is n != 0. For __syncthreads_and, threads
 * vote p == 0, and the result is n == 0.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "image/abi.h"
#include "image/image.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/regions/split.h"

static enum image_barrier
kind_of(LLVMValueRef barrier)
{
    return (enum image_barrier)LLVMConstIntGetZExtValue(
        LLVMGetOperand(barrier, 0));
}

bool
jit_is_vote(LLVMValueRef barrier)
{
    return LLVMIsAConstantInt(LLVMGetOperand(barrier, 0)) &&
           LLVMGetFirstUse(barrier) && kind_of(barrier) <= IMAGE_BARRIER_OR &&
           kind_of(barrier) != IMAGE_BARRIER_PLAIN;
}

static LLVMValueRef
build_test(struct jit *jit, LLVMIntPredicate predicate, LLVMValueRef value)
{
    LLVMValueRef test = LLVMBuildICmp(jit->builder, predicate, value,
                                      jit_constant(jit, 0), "");
    return LLVMBuildZExt(jit->builder, test, jit->i32, "");
}

static LLVMValueRef
build_call(struct jit *jit, const char *name, LLVMTypeRef result,
           LLVMValueRef *argument, unsigned count)
{
    LLVMValueRef function = jit_declare(jit, name, result, &jit->i32, count);
    return LLVMBuildCall2(jit->builder, LLVMGlobalGetValueType(function),
                          function, argument, count, "");
}

void
jit_cut_vote(struct jit *jit, LLVMValueRef barrier, LLVMBasicBlockRef head,
             struct jit_vote *vote)
{
    enum image_barrier kind = kind_of(barrier);
    bool all = kind == IMAGE_BARRIER_AND;
    vote->kind = LLVMGetOperand(barrier, 0);
    LLVMPositionBuilderAtEnd(jit->builder, head);
    LLVMValueRef says = build_test(
        jit, all && !PLANTED_FAULT(votes_all) ? LLVMIntEQ : LLVMIntNE,
        LLVMGetOperand(barrier, 1));
    vote->call = build_call(jit, "__pycuda_vote",
                            LLVMVoidTypeInContext(jit->context), &says, 1);
    LLVMPositionBuilderBefore(jit->builder, barrier);
    vote->told = build_call(jit, "__pycuda_voted", jit->i32, NULL, 0);
    vote->result = vote->told;
    if (kind != IMAGE_BARRIER_COUNT) {
        vote->result = build_test(
            jit, all && !PLANTED_FAULT(votes_all) ? LLVMIntEQ : LLVMIntNE,
            vote->told);
    }
    LLVMReplaceAllUsesWith(barrier, vote->result);
}

void
jit_restore_vote(struct jit *jit, const struct jit_vote *vote,
                 LLVMValueRef barrier)
{
    LLVMValueRef says = LLVMGetOperand(vote->call, 0);
    LLVMSetOperand(barrier, 0, vote->kind);
    if (kind_of(barrier) == IMAGE_BARRIER_AND) {
        LLVMPositionBuilderBefore(jit->builder, barrier);
        says = build_test(jit, LLVMIntEQ, says);
    }
    LLVMSetOperand(barrier, 1, says);
    LLVMReplaceAllUsesWith(vote->result, barrier);
    if (vote->result != vote->told) {
        LLVMReplaceAllUsesWith(vote->told, jit_constant(jit, 0));
    }
    LLVMInstructionEraseFromParent(vote->told);
    LLVMInstructionEraseFromParent(vote->call);
}

void
jit_lower_vote(struct jit *jit, const struct jit_vote *vote, LLVMValueRef sum,
               LLVMValueRef told)
{
    LLVMPositionBuilderBefore(jit->builder, vote->call);
    LLVMValueRef old = LLVMBuildLoad2(jit->builder, jit->i32, sum, "");
    LLVMBuildStore(
        jit->builder,
        LLVMBuildAdd(jit->builder, old, LLVMGetOperand(vote->call, 0), ""),
        sum);
    LLVMInstructionEraseFromParent(vote->call);
    jit_replace(vote->told, told);
}
