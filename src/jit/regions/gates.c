/* gates.c - rows of threads that a condition lets through as a whole.
 *
 * Called by regions.c for a kernel that is split, before values are carried.
 * `if (base + threadIdx.x < limit)`, where all threads have the same base (or
 * none) and limit, is a mask in a vectorised thread loop, which has to be
 * computed.  With `base + blockDim.x <= limit ||` before it, which is the same
 * for all, the loop is unswitched: whole rows need no mask.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/plants.h"
#include "jit/regions/regions.h"

struct gate {
    LLVMValueRef sum;   /* base + threadIdx.x, 32 bits */
    LLVMValueRef limit; /* 32 bits */
    bool is_signed;
};

/* Is it threadIdx.x, and what all threads share added to it? */
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
match_gate(const struct jit_split *split, LLVMValueRef test, struct gate *gate)
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

/* The condition with the gate's before it, which is not new to any thread.
 * With 64 bits the row's end cannot run over. */
static LLVMValueRef
open_gate(struct jit *jit, struct jit_split *split, LLVMValueRef test,
          const struct gate *gate)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef index = jit_body_argument(split->kernel, JIT_TID);
    LLVMValueRef width = PLANTED(gate_open)
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
        *jit_map_place(&split->differs, made[i]) = 1;
        *jit_map_place(&split->lanes_differ, made[i]) = 1;
    }
    return opened;
}

/* The same of the condition, or of both parts of a conjunction. */
static LLVMValueRef
open_gates(struct jit *jit, struct jit_split *split, LLVMValueRef test,
           int depth)
{
    struct gate gate;
    if (match_gate(split, test, &gate)) {
        return open_gate(jit, split, test, &gate);
    }
    if (depth && LLVMIsAInstruction(test) &&
        LLVMGetInstructionOpcode(test) == LLVMAnd) {
        LLVMValueRef parts[2];
        for (unsigned i = 0; i < 2; i++) {
            parts[i] =
                open_gates(jit, split, LLVMGetOperand(test, i), depth - 1);
        }
        if (parts[0] != LLVMGetOperand(test, 0) ||
            parts[1] != LLVMGetOperand(test, 1)) {
            LLVMValueRef both =
                LLVMBuildAnd(jit->builder, parts[0], parts[1], "");
            *jit_map_place(&split->differs, both) = 1;
            *jit_map_place(&split->lanes_differ, both) = 1;
            return both;
        }
    }
    return test;
}

void
jit_open_gates(struct jit *jit, struct jit_split *split)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(split->kernel->body);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (LLVMIsABranchInst(end) && LLVMIsConditional(end)) {
            LLVMPositionBuilderBefore(jit->builder, end);
            LLVMSetCondition(end,
                             open_gates(jit, split, LLVMGetCondition(end), 2));
        }
    }
}
