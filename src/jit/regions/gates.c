/* gates.c - rows of threads that a condition lets through as a whole.
 *
 * Called by regions.c for a kernel that is split, before values are carried.
 * `if (threadIdx.x < limit)`, where all threads have the same limit, is a mask
 * in a vectorised thread loop, which AVX2 has to compute.  With `blockDim.x <=
 * limit ||` before it, which is the same for all, the loop is unswitched: the
 * rounds of a strided loop but the last need no mask.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/regions/regions.h"

/* The limit of a condition of that form, or NULL. */
static LLVMValueRef
limit_of(const struct jit_split *split, LLVMValueRef test)
{
    LLVMValueRef index = jit_body_argument(split->kernel, JIT_TID);
    LLVMIntPredicate wanted[2][2] = {{LLVMIntULT, LLVMIntSLT},
                                     {LLVMIntUGT, LLVMIntSGT}};
    for (unsigned side = 0; LLVMIsAICmpInst(test) && side < 2; side++) {
        LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
        LLVMValueRef limit = LLVMGetOperand(test, 1 - side);
        if (LLVMGetOperand(test, side) == index && !LLVMIsConstant(limit) &&
            !jit_map_get(&split->differs, limit) &&
            (predicate == wanted[side][0] || predicate == wanted[side][1])) {
            return limit;
        }
    }
    return NULL;
}

static bool
is_signed(LLVMValueRef test)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    return predicate == LLVMIntSLT || predicate == LLVMIntSGT;
}

/* Does the entry decide who passes the block? */
static bool
is_bounded(const struct jit_split *split, LLVMBasicBlockRef block)
{
    for (unsigned k = 1; k < split->count; k++) {
        const struct jit_soft_point *soft = split->points[k].soft;
        if (split->points[k].next == block && soft && soft->bound_count) {
            return true;
        }
    }
    return false;
}

void
jit_open_gates(struct jit *jit, struct jit_split *split)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(split->kernel->body);
    LLVMValueRef width = jit_body_argument(split->kernel, JIT_NTID);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        bool choice = LLVMIsABranchInst(end) && LLVMIsConditional(end);
        LLVMValueRef test = choice ? LLVMGetCondition(end) : NULL;
        LLVMValueRef limit = test ? limit_of(split, test) : NULL;
        if (!limit || is_bounded(split, block)) {
            continue;
        }
        LLVMPositionBuilderBefore(jit->builder, end);
        LLVMValueRef whole = LLVMBuildICmp(
            jit->builder, is_signed(test) ? LLVMIntSLE : LLVMIntULE, width,
            limit, "");
        LLVMValueRef opened = LLVMBuildOr(jit->builder, whole, test, "");
        *jit_map_place(&split->differs, opened) = 1;
        *jit_map_place(&split->lanes_differ, opened) = 1;
        LLVMSetCondition(end, opened);
    }
}
