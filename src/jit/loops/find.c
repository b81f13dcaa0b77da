/* find.c - finds innermost loops that have no side effects and access no
 * memory.
 *
 * Called by outline.c, on kernel bodies in the form that LLVM's loop-simplify
 * and lcssa passes produce: each loop has a preheader and one back edge, all
 * predecessors of its exit blocks are in the loop, and each value that is used
 * after the loop has a phi in an exit block.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/text.h"

enum { MAX_INSTRUCTIONS = 256, MAX_BLOCKS = 64 };

/* Marks the basic blocks of the loop with back edge `latch` -> `head` in
 * loop->inside. Returns false if the loop has other entries or too many
 * blocks. */
static bool
mark_blocks(struct jit_pure_loop *loop)
{
    const struct jit_cfg *cfg = loop->cfg;
    unsigned *queue = jit_allocate((cfg->count + 1) * sizeof *queue);
    unsigned count = 0;
    memset(loop->inside, 0, cfg->count);
    loop->inside[loop->head] = loop->inside[loop->latch] = true;
    if (loop->latch != loop->head) {
        queue[count++] = loop->latch;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct jit_block *row = &cfg->blocks[queue[i]];
        for (unsigned k = 0; k < row->predecessor_count; k++) {
            if (!loop->inside[row->predecessors[k]]) {
                loop->inside[row->predecessors[k]] = true;
                queue[count++] = row->predecessors[k];
            }
        }
    }
    free(queue);
    return !loop->inside[0] && count < MAX_BLOCKS;
}

/* Sets loop->before to the preheader. Returns false unless the loop has one
 * entry and one back edge. */
static bool
find_before(struct jit_pure_loop *loop)
{
    const struct jit_block *head = &loop->cfg->blocks[loop->head];
    unsigned outside = 0;
    for (unsigned i = 0; i < head->predecessor_count; i++) {
        unsigned from = head->predecessors[i];
        if (!loop->inside[from]) {
            loop->before = from;
            outside++;
        } else if (from != loop->latch) {
            return false;
        }
    }
    return outside == 1 &&
           loop->cfg->blocks[loop->before].successor_count == 1;
}

/* Tests whether the loop contains an inner cycle that can be reached from
 * `block` and does not pass through the loop's head. state[b] is 1 while block
 * b is on the current path of the depth-first search, and 2 when the search
 * has left it. */
static bool
has_cycle(const struct jit_pure_loop *loop, unsigned block, char *state)
{
    const struct jit_block *row = &loop->cfg->blocks[block];
    state[block] = 1;
    for (unsigned i = 0; i < row->successor_count; i++) {
        unsigned to = row->successors[i];
        if (!loop->inside[to] || to == loop->head || state[to] == 2) {
            continue;
        }
        if (state[to] == 1 || has_cycle(loop, to, state)) {
            return true;
        }
    }
    state[block] = 2;
    return false;
}

static bool
is_innermost(const struct jit_pure_loop *loop)
{
    char *state = jit_allocate(loop->cfg->count);
    bool innermost = !has_cycle(loop, loop->head, state);
    free(state);
    return innermost;
}

bool
jit_is_note(LLVMValueRef at)
{
    return jit_is_call(at, "llvm.dbg.") || jit_is_call(at, "llvm.assume") ||
           jit_is_call(at, "llvm.experimental.noalias.scope.decl");
}

/* Tests for a division by a positive constant that LLVM turns into
 * multiplications or shifts. */
static bool
division_fits(LLVMValueRef at)
{
    LLVMValueRef divisor = LLVMGetOperand(at, 1);
    if (!LLVMIsAConstantInt(divisor)) {
        return false;
    }
    int64_t number = LLVMConstIntGetSExtValue(divisor);
    return number > 0 && (LLVMGetIntTypeWidth(LLVMTypeOf(at)) <= 32 ||
                          (number & (number - 1)) == 0);
}

/* Tests for an instruction that never faults and can be executed for a vector
 * of threads. Memory accesses are excluded. */
static bool
opcode_fits(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFNeg:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMBitCast:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMPHI:
        return jit_is_element_type(LLVMTypeOf(at));
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return division_fits(at) && jit_is_element_type(LLVMTypeOf(at));
    case LLVMCall:
        return jit_can_widen_call(at) && jit_is_element_type(LLVMTypeOf(at));
    case LLVMBr:
    case LLVMSwitch:
        return true;
    default:
        return false;
    }
}

/* Tests for a load that LLVM may move out of the loop, because its address is
 * invariant. */
static bool
is_fixed_load(const struct jit_pure_loop *loop, LLVMValueRef at)
{
    if (!LLVMIsALoadInst(at) || jit_sight(at) != JIT_SIGHT_NONE) {
        return false;
    }
    LLVMValueRef address = LLVMGetOperand(at, 0);
    return !LLVMIsAInstruction(address) ||
           !loop->inside[jit_cfg_index(loop->cfg,
                                       LLVMGetInstructionParent(address))];
}

/* Tests whether the loop has no side effects and accesses no memory, apart
 * from loads that LLVM may move out of it. */
static bool
may_become_pure(const struct jit_pure_loop *loop)
{
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        LLVMValueRef at = jit_first_in_loop(loop, b);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!jit_is_note(at) && !opcode_fits(at) &&
                !is_fixed_load(loop, at)) {
                return false;
            }
        }
    }
    return true;
}

bool
jit_may_have_pure_loop(const struct jit_cfg *cfg)
{
    struct jit_pure_loop loop = {.cfg = cfg};
    bool found = false;
    loop.inside = jit_allocate(cfg->count * sizeof *loop.inside);
    for (loop.latch = 0; loop.latch < cfg->count; loop.latch++) {
        const struct jit_block *row = &cfg->blocks[loop.latch];
        for (unsigned i = 0; i < row->successor_count; i++) {
            loop.head = row->successors[i];
            found = found || (mark_blocks(&loop) && may_become_pure(&loop));
        }
    }
    free(loop.inside);
    return found;
}

/* Adds a value that the loop uses, but that is defined before it, to
 * loop->inputs. Returns false if the list is full, or if the value's type
 * cannot be the element type of a vector. */
static bool
input_add(struct jit_pure_loop *loop, LLVMValueRef value)
{
    for (unsigned i = 0; i < loop->input_count; i++) {
        if (loop->inputs[i] == value) {
            return true;
        }
    }
    if (loop->input_count == MAX_INPUTS ||
        !jit_is_element_type(LLVMTypeOf(value))) {
        return false;
    }
    loop->inputs[loop->input_count++] = value;
    return true;
}

/* Tests whether an operand is a constant, a value of the loop, or a value from
 * before the loop that fits in the loop's list of inputs. Adds a value from
 * before the loop to that list. */
static bool
operand_fits(struct jit_pure_loop *loop, LLVMValueRef value)
{
    if (LLVMValueIsBasicBlock(value) || LLVMIsAConstantInt(value) ||
        LLVMIsAConstantFP(value) || LLVMIsAUndefValue(value) ||
        LLVMIsAFunction(value)) {
        return true;
    }
    if (LLVMIsAInstruction(value)) {
        unsigned block =
            jit_cfg_index(loop->cfg, LLVMGetInstructionParent(value));
        return loop->inside[block] || input_add(loop, value);
    }
    return LLVMIsAArgument(value) && input_add(loop, value);
}

static bool
operands_fit(struct jit_pure_loop *loop, LLVMValueRef at)
{
    int count = LLVMGetNumOperands(at);
    for (int i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetOperand(at, (unsigned)i);
        if (!operand_fits(loop, value) ||
            (!LLVMValueIsBasicBlock(value) && !LLVMIsAFunction(value) &&
             !jit_is_element_type(LLVMTypeOf(value)))) {
            return false;
        }
    }
    return true;
}

static bool
instructions_fit(struct jit_pure_loop *loop)
{
    unsigned count = 0;
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        LLVMValueRef at = jit_first_in_loop(loop, b);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (jit_is_note(at)) {
                continue;
            }
            if (++count > MAX_INSTRUCTIONS || !opcode_fits(at) ||
                !operands_fit(loop, at)) {
                return false;
            }
        }
    }
    return true;
}

static bool
is_exit(const struct jit_pure_loop *loop, unsigned block)
{
    for (unsigned i = 0; i < loop->exit_count; i++) {
        if (loop->exits[i] == block) {
            return true;
        }
    }
    return false;
}

/* Adds the basic block `block` to the loop's exits, and the phis of the block
 * to the loop's results. Returns false if there are too many exits or results,
 * or if a phi or predecessor is unsuitable. */
static bool
exit_add(struct jit_pure_loop *loop, unsigned block)
{
    const struct jit_block *row = &loop->cfg->blocks[block];
    if (loop->exit_count == MAX_EXITS) {
        return false;
    }
    for (unsigned i = 0; i < row->predecessor_count; i++) {
        if (!loop->inside[row->predecessors[i]]) {
            return false;
        }
    }
    loop->exits[loop->exit_count++] = block;
    LLVMValueRef phi = LLVMGetFirstInstruction(row->block);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        if (loop->result_count == MAX_RESULTS - 1 ||
            !operands_fit(loop, phi)) {
            return false;
        }
        loop->results[loop->result_count++] = phi;
    }
    return true;
}

/* Collects the loop's exits and results. Returns false if an exit or result is
 * unsuitable. Also returns false for a loop with one exit and no results,
 * since such a loop has no purpose. */
static bool
find_exits(struct jit_pure_loop *loop)
{
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        const struct jit_block *row = &loop->cfg->blocks[b];
        for (unsigned i = 0; loop->inside[b] && i < row->successor_count;
             i++) {
            unsigned to = row->successors[i];
            if (!loop->inside[to] && !is_exit(loop, to) &&
                !exit_add(loop, to)) {
                return false;
            }
        }
    }
    return loop->exit_count > 1 || loop->result_count > 0;
}

/* Tests whether a value of the loop is used only in the loop and by phis of
 * its exits. */
static bool
uses_fit(const struct jit_pure_loop *loop, LLVMValueRef at)
{
    LLVMUseRef use = LLVMGetFirstUse(at);
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        unsigned block =
            jit_cfg_index(loop->cfg, LLVMGetInstructionParent(user));
        if (!loop->inside[block] &&
            !(LLVMIsAPHINode(user) && is_exit(loop, block))) {
            return false;
        }
    }
    return true;
}

static bool
all_uses_fit(const struct jit_pure_loop *loop)
{
    for (unsigned b = 0; b < loop->cfg->count; b++) {
        LLVMValueRef at = jit_first_in_loop(loop, b);
        for (; at; at = LLVMGetNextInstruction(at)) {
            if (!uses_fit(loop, at)) {
                return false;
            }
        }
    }
    return true;
}

bool
jit_find_pure_loop(struct jit *jit, const struct jit_cfg *cfg,
                   struct jit_pure_loop *loop)
{
    bool *inside = jit_allocate(cfg->count * sizeof *inside);
    (void)jit;
    for (unsigned b = 0; b < cfg->count; b++) {
        for (unsigned i = 0; i < cfg->blocks[b].successor_count; i++) {
            *loop = (struct jit_pure_loop){
                .cfg = cfg,
                .inside = inside,
                .head = cfg->blocks[b].successors[i],
                .latch = b,
            };
            if (mark_blocks(loop) && find_before(loop) && is_innermost(loop) &&
                instructions_fit(loop) && find_exits(loop) &&
                all_uses_fit(loop)) {
                return true;
            }
        }
    }
    free(inside);
    return false;
}
