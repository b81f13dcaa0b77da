/* store.c - makes compacting stores branch-free.
 *
 * Called by regions.c for a kernel that runs by warps, before values are
 * spilled. `if (keep) out[start + __popc(votes & lower)] = x;` compacts the
 * values of some lanes. Before AVX-512 there is no vector form of such stores,
 * and the branch is unpredictable. Therefore every lane stores; the lanes
 * without a value store to an address of a scratch array.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/plants.h"
#include "jit/warps/warps.h"

enum {
    MOST_WORK = 16, /* instructions that all lanes then execute */
    DEPTH = 6,      /* steps from the address back to the count */
};

/* Tests whether the value depends on a population count. */
static bool
is_counted(LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value) || LLVMIsAPHINode(value) || depth == 0) {
        return false;
    }
    if (jit_is_call(value, "llvm.ctpop")) {
        return true;
    }
    int count = LLVMIsACallInst(value) ? 0 : LLVMGetNumOperands(value);
    for (int i = 0; i < count; i++) {
        if (is_counted(LLVMGetOperand(value, (unsigned)i), depth - 1)) {
            return true;
        }
    }
    return false;
}

/* Tests for instructions without side effects that never fault. */
static bool
is_harmless(LLVMValueRef at)
{
    return jit_is_arithmetic(at) || LLVMIsABitCastInst(at) ||
           jit_is_call(at, "llvm.ctpop");
}

/* Returns the block's only store, if the block does nothing else, or NULL. */
static LLVMValueRef
only_store(LLVMBasicBlockRef block)
{
    LLVMValueRef store = NULL, at = LLVMGetFirstInstruction(block);
    for (unsigned work = 0; at && !LLVMIsATerminatorInst(at);
         at = LLVMGetNextInstruction(at)) {
        bool plain = LLVMIsAStoreInst(at) && !LLVMGetVolatile(at) &&
                     LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic;
        if (++work > MOST_WORK || (plain ? store != NULL : !is_harmless(at))) {
            return NULL;
        }
        store = plain ? at : store;
    }
    return store;
}

/* Tests whether the block's only predecessor is `from`, and its only successor
 * is the other successor of `from`. */
static bool
is_side(const struct jit_split *split, LLVMBasicBlockRef from,
        LLVMBasicBlockRef side, LLVMBasicBlockRef other)
{
    const struct jit_block *row =
        &split->cfg.blocks[jit_cfg_index(&split->cfg, side)];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(side);
    return side != from && row->predecessor_count == 1 &&
           LLVMGetNumSuccessors(end) == 1 &&
           LLVMGetSuccessor(end, 0) == other &&
           !LLVMIsAPHINode(LLVMGetFirstInstruction(other));
}

/* Moves the block's work before the branch, and selects the address of the
 * store. */
static void
open_side(struct jit *jit, struct jit_split *split, LLVMValueRef branch,
          LLVMBasicBlockRef side, bool inverted)
{
    LLVMValueRef store = only_store(side), at;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    LLVMValueRef own, test = LLVMGetCondition(branch);
    unsigned number;
    jit_add_lanes(jit, split, type, &number);
    LLVMPositionBuilderBefore(jit->builder, branch);
    while ((at = LLVMGetFirstInstruction(side)) != store) {
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilder(jit->builder, at);
    }
    LLVMValueRef lane = jit_build_lane(jit, split, jit->i64);
    own = LLVMBuildInBoundsGEP2(jit->builder, type, split->lanes[number],
                                &lane, 1, "");
    LLVMValueRef place = LLVMGetOperand(store, 1);
    inverted = PLANTED(counted_swapped) ? !inverted : inverted;
    LLVMSetOperand(store, 1,
                   LLVMBuildSelect(jit->builder, test, inverted ? own : place,
                                   inverted ? place : own, ""));
    LLVMSetVolatile(store, 1); /* a partial vector would gain nothing */
    LLVMInstructionRemoveFromParent(store);
    LLVMInsertIntoBuilder(jit->builder, store);
}

void
jit_open_counted_stores(struct jit *jit, struct jit_split *split)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(split->kernel->body);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        bool choice = LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
                      jit_map_get(&split->lanes_differ, end);
        for (unsigned way = 0; choice && way < 2; way++) {
            LLVMBasicBlockRef side = LLVMGetSuccessor(end, way);
            LLVMBasicBlockRef other = LLVMGetSuccessor(end, 1 - way);
            if (!is_side(split, block, side, other)) {
                continue;
            }
            LLVMValueRef store = only_store(side);
            if (store && is_counted(LLVMGetOperand(store, 1), DEPTH)) {
                open_side(jit, split, end, side, way == 1);
                break;
            }
        }
    }
}
