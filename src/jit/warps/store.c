/* store.c - makes compacting stores branch-free.
 *
 * Called by regions.c for a kernel that runs one warp after the other, before
 * values are stored across barriers. `if (keep) out[start + __popc(votes &
 * lower)] = x;` writes the values of the lanes for which `keep` is true to
 * consecutive elements. Before AVX-512 there is no vector form of such stores,
 * and the branch is unpredictable. Therefore the branch is removed and every
 * lane stores. Lanes for which `keep` is false store to their element of a
 * scratch array.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/regions/split.h"
#include "jit/warps/lanes.h"
#include "jit/warps/warps.h"

enum {
    /* maximum number of instructions of the conditional block. It is limited
     * because all lanes execute them when the condition is removed. */
    MAX_WORK = 16,
    /* maximum number of operations between __popc and the address of the store
     */
    DEPTH = 6,
};

/* Tests whether the value is computed from a population count (__popc) in at
 * most `depth` operations. */
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

/* Tests for an instruction without side effects that never faults, so that all
 * lanes may execute it. */
static bool
is_harmless(LLVMValueRef at)
{
    return jit_is_arithmetic(at) || LLVMIsABitCastInst(at) ||
           jit_is_call(at, "llvm.ctpop");
}

/* Returns the only store of the basic block. Returns NULL if the block has no
 * store, or contains more than that store and arithmetic. */
static LLVMValueRef
only_store(LLVMBasicBlockRef block)
{
    LLVMValueRef store = NULL, at = LLVMGetFirstInstruction(block);
    for (unsigned work = 0; at && !LLVMIsATerminatorInst(at);
         at = LLVMGetNextInstruction(at)) {
        bool plain = LLVMIsAStoreInst(at) && !LLVMGetVolatile(at) &&
                     LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic;
        if (++work > MAX_WORK || (plain ? store != NULL : !is_harmless(at))) {
            return NULL;
        }
        store = plain ? at : store;
    }
    return store;
}

/* Tests whether `side` has only one predecessor, `from`, and only one
 * successor, `other`, which is the other successor of `from`. */
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

/* Moves all instructions of the conditional block `side` before the branch.
 * Depending on the branch condition, the store then goes to its original
 * address or to the scratch array. */
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
    LLVMValueRef address = LLVMGetOperand(store, 1);
    inverted = PLANTED_FAULT(counted_swapped) ? !inverted : inverted;
    LLVMSetOperand(store, 1,
                   LLVMBuildSelect(jit->builder, test,
                                   inverted ? own : address,
                                   inverted ? address : own, ""));
    /* The store is volatile to keep LLVM from vectorising it; vectorisation
     * would not make it faster. */
    LLVMSetVolatile(store, 1);
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
