/* hoist.c - moves arithmetic that is the same in all iterations out of loops.
 *
 * Called by pack.c before the shapes of values are determined: iterations.c
 * needs the addresses of stores before the loop. Unlike LLVM's licm pass, it
 * moves only instructions that each lane in the loop executes, in its first
 * iteration. shapes.c relies on this rule: a sum with the flag nsw does not
 * wrap in the lanes that execute it, but may wrap in other lanes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/pack.h"

/* Returns the loop's preheader: the only basic block from which the loop is
 * entered, with no other successor. Returns NO_BLOCK if there is none. */
static unsigned
preheader_of(const struct jit_pack_body *body,
             const struct jit_pack_loop *loop)
{
    const struct jit_block *head = &body->cfg.blocks[loop->head];
    unsigned found = NO_BLOCK;
    for (unsigned i = 0; i < head->predecessor_count; i++) {
        if (!loop->inside[head->predecessors[i]]) {
            if (found != NO_BLOCK) {
                return NO_BLOCK;
            }
            found = head->predecessors[i];
        }
    }
    bool only =
        found != NO_BLOCK && body->cfg.blocks[found].successor_count == 1;
    return only ? found : NO_BLOCK;
}

static bool
is_fixed(const struct jit_pack_body *body, const struct jit_pack_loop *loop,
         LLVMValueRef at)
{
    unsigned count = (unsigned)LLVMGetNumOperands(at);
    if (!jit_is_arithmetic(at)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(at, i);
        if (LLVMIsAInstruction(operand) &&
            loop->inside[jit_cfg_index(&body->cfg,
                                       LLVMGetInstructionParent(operand))]) {
            return false;
        }
    }
    return true;
}

/* Moves arithmetic whose operands are defined outside the loop from the basic
 * block to the position before `end`, the branch that enters the loop. */
static void
hoist_block(struct jit_pack_body *body, const struct jit_pack_loop *loop,
            unsigned block, LLVMValueRef end)
{
    LLVMValueRef at = LLVMGetFirstInstruction(body->cfg.blocks[block].block);
    while (at) {
        LLVMValueRef next = LLVMGetNextInstruction(at);
        if (is_fixed(body, loop, at)) {
            LLVMInstructionRemoveFromParent(at);
            LLVMPositionBuilderBefore(body->jit->builder, end);
            LLVMInsertIntoBuilder(body->jit->builder, at);
        }
        at = next;
    }
}

static void
hoist_loop(struct jit_pack_body *body, const struct jit_pack_loop *loop)
{
    unsigned preheader = preheader_of(body, loop);
    if (preheader == NO_BLOCK) {
        return;
    }
    LLVMValueRef end =
        LLVMGetBasicBlockTerminator(body->cfg.blocks[preheader].block);
    for (unsigned b = 0; b < body->cfg.count; b++) {
        if (jit_pack_equivalent(body, loop->head, b)) {
            hoist_block(body, loop, b, end);
        }
    }
}

void
jit_pack_hoist(struct jit_pack_body *body)
{
    /* Inner loops first: arithmetic that was moved out of an inner loop may be
     * moved out of the outer loop, too. */
    for (unsigned size = 1; size <= body->cfg.count; size++) {
        for (unsigned i = 0; i < body->loop_count; i++) {
            if (body->loops[i].size == size) {
                hoist_loop(body, &body->loops[i]);
            }
        }
    }
}
