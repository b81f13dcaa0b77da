/* guards.c - adds a uniform test to conditions on threadIdx.x.
 *
 * Called by regions.c for a kernel that is split, before values are stored
 * across barriers. In a vectorised thread loop, a condition `base +
 * threadIdx.x < limit` with uniform base (possibly 0) and limit becomes a
 * mask, which costs time to compute. This pass replaces it by `base +
 * blockDim.x <= limit || base + threadIdx.x < limit`. The first part is
 * uniform, so LLVM unswitches the loop on it. Where the first part is true,
 * all values of threadIdx.x satisfy the condition, and the loop needs no mask.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/regions.h"
#include "jit/regions/split.h"

struct row_guard {
    /* the left side of the condition: threadIdx.x plus uniform terms, 32
     * bits */
    LLVMValueRef sum;
    /* the right side of the condition: a uniform value of 32 bits */
    LLVMValueRef limit;
    bool is_signed;
};

/* Tests whether the value is threadIdx.x plus uniform terms. */
static bool
is_row(const struct jit_split *split, LLVMValueRef sum)
{
    if (sum == jit_body_argument(split->kernel, JIT_TID)) {
        return true;
    }
    bool add =
        LLVMIsAInstruction(sum) && LLVMGetInstructionOpcode(sum) == LLVMAdd;
    for (unsigned i = 0; add && i < 2; i++) {
        if (!jit_map_get(&split->differs, LLVMGetOperand(sum, 1 - i))) {
            return is_row(split, LLVMGetOperand(sum, i));
        }
    }
    return false;
}

static bool
match_guard(const struct jit_split *split, LLVMValueRef test,
            struct row_guard *gate)
{
    for (unsigned side = 0; LLVMIsAICmpInst(test) && side < 2; side++) {
        LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
        bool less = predicate == LLVMIntULT || predicate == LLVMIntSLT;
        bool more = predicate == LLVMIntUGT || predicate == LLVMIntSGT;
        gate->sum = LLVMGetOperand(test, side);
        gate->limit = LLVMGetOperand(test, 1 - side);
        gate->is_signed = predicate == LLVMIntSLT || predicate == LLVMIntSGT;
        bool known = LLVMIsConstant(gate->limit) &&
                     gate->sum == jit_body_argument(split->kernel, JIT_TID);
        if ((side ? more : less) && !known &&
            !jit_map_get(&split->differs, gate->limit) &&
            is_row(split, gate->sum)) {
            return true;
        }
    }
    return false;
}

static LLVMValueRef
widen(struct jit *jit, LLVMValueRef value, bool is_signed)
{
    return is_signed ? LLVMBuildSExt(jit->builder, value, jit->i64, "")
                     : LLVMBuildZExt(jit->builder, value, jit->i64, "");
}

/* Returns `whole || test`, where `test` is a guard, the comparison of a sum
 * with a uniform limit. The uniform condition `whole` is true if `test` is
 * true for all threads of a row. To compute `whole`, the sum for threadIdx.x =
 * blockDim.x, one after the last thread, is compared with the limit, in 64
 * bits so that the sum does not wrap. The returned condition is equal to
 * `test`, but LLVM can unswitch a loop over the threads on `whole`. */
static LLVMValueRef
add_row_guard(struct jit *jit, struct jit_split *split, LLVMValueRef test,
              const struct row_guard *gate)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef index = jit_body_argument(split->kernel, JIT_TID);
    LLVMValueRef width = PLANTED_FAULT(gate_open)
                             ? jit_constant(jit, 1)
                             : jit_body_argument(split->kernel, JIT_NTID);
    LLVMValueRef base = LLVMBuildSub(builder, gate->sum, index, "");
    LLVMValueRef end =
        LLVMBuildAdd(builder, widen(jit, base, gate->is_signed),
                     LLVMBuildZExt(builder, width, jit->i64, ""), "");
    LLVMValueRef whole =
        LLVMBuildICmp(builder, gate->is_signed ? LLVMIntSLE : LLVMIntULE, end,
                      widen(jit, gate->limit, gate->is_signed), "");
    LLVMValueRef opened = LLVMBuildOr(builder, whole, test, "");
    LLVMValueRef made[] = {base, end, whole, opened};
    for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
        *jit_map_slot(&split->differs, made[i]) = 1;
        *jit_map_slot(&split->lanes_differ, made[i]) = 1;
    }
    return opened;
}

/* Applies add_row_guard to the condition or, if it is a conjunction, to both
 * operands. `depth` limits the depth of the conjunctions. */
static LLVMValueRef
add_row_guards(struct jit *jit, struct jit_split *split, LLVMValueRef test,
               int depth)
{
    struct row_guard gate;
    if (match_guard(split, test, &gate)) {
        return add_row_guard(jit, split, test, &gate);
    }
    if (depth && LLVMIsAInstruction(test) &&
        LLVMGetInstructionOpcode(test) == LLVMAnd) {
        LLVMValueRef parts[2];
        for (unsigned i = 0; i < 2; i++) {
            parts[i] =
                add_row_guards(jit, split, LLVMGetOperand(test, i), depth - 1);
        }
        if (parts[0] != LLVMGetOperand(test, 0) ||
            parts[1] != LLVMGetOperand(test, 1)) {
            LLVMValueRef both =
                LLVMBuildAnd(jit->builder, parts[0], parts[1], "");
            *jit_map_slot(&split->differs, both) = 1;
            *jit_map_slot(&split->lanes_differ, both) = 1;
            return both;
        }
    }
    return test;
}

void
jit_add_row_guards(struct jit *jit, struct jit_split *split)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(split->kernel->body);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (LLVMIsABranchInst(end) && LLVMIsConditional(end)) {
            LLVMPositionBuilderBefore(jit->builder, end);
            LLVMSetCondition(
                end, add_row_guards(jit, split, LLVMGetCondition(end), 2));
        }
    }
}
