/* join_exits.c - makes one test of two that end a loop.
 *
 * Called by main.c for kernel bodies, before loops are rotated; not at -O0. In
 * a loop that only computes,
 *
 *     while (n < limit) { if (x * x > 4) break; ... }
 *
 * becomes `while (n < limit && !(x * x > 4))`: the second condition is always
 * computed, also if the first one has ended the loop. A loop with one exit is
 * faster on vectors (widen.c): a thread has one mask, and one set of results.
 * Both tests must lead to the same block, with the same values.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/text.h"

/* Instructions that may be executed although the loop has ended. */
enum { MAX_INSTRUCTIONS = 8 };

/* The test at the start of a loop, and the next one. Each is a basic block
 * that ends with a branch to the block after the loop or further into the
 * loop. */
struct tests {
    LLVMBasicBlockRef first, second, after, body;
};

/* Tests whether an instruction has no effect, so that it may be executed
 * whenever its operands are known. */
static bool
only_computes(LLVMValueRef at)
{
    bool same;
    return jit_is_arithmetic(at) || LLVMIsABinaryOperator(at) ||
           LLVMIsACmpInst(at) || LLVMIsAUnaryOperator(at) ||
           LLVMIsACastInst(at) || LLVMIsAPHINode(at) ||
           jit_is_elementwise(at, &same);
}

/* Tests for a division of integers, which must not be executed unless the
 * source executes it. */
static bool
may_fail(LLVMValueRef at)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return true;
    default:
        return false;
    }
}

/* Tests whether the block is in a loop with the head `head`, of blocks that
 * only compute. The loop's blocks are those from which `head` can be reached
 * again, on paths that do not leave by `after`. */
static bool
is_pure_loop(const struct jit_cfg *cfg, unsigned head, unsigned block,
             unsigned after)
{
    bool *reached = jit_allocate(cfg->count);
    bool *left = jit_allocate(cfg->count);
    jit_cfg_reach(cfg, block, head, reached);
    jit_cfg_reach(cfg, after, head, left);
    bool pure = reached[head];
    for (unsigned b = 0; pure && b < cfg->count; b++) {
        if (!reached[b] || left[b]) {
            continue;
        }
        LLVMValueRef at = LLVMGetFirstInstruction(cfg->blocks[b].block);
        for (; pure && at; at = LLVMGetNextInstruction(at)) {
            pure = only_computes(at) || LLVMIsATerminatorInst(at) ||
                   jit_is_note(at);
        }
    }
    free(reached);
    free(left);
    return pure;
}

/* Tests whether the block has few instructions, none of which may fail, and
 * ends with a branch with two targets. */
static bool
is_short_test(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    unsigned count = 0;
    for (; at != end; at = LLVMGetNextInstruction(at)) {
        if (LLVMIsAPHINode(at) || !only_computes(at) || may_fail(at) ||
            ++count > MAX_INSTRUCTIONS) {
            return false;
        }
    }
    return LLVMIsABranchInst(end) && LLVMIsConditional(end);
}

static bool
leave_with_same_values(const struct tests *tests)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(tests->after);
    while (LLVMIsAPHINode(phi) && jit_incoming(phi, tests->first) ==
                                      jit_incoming(phi, tests->second)) {
        phi = LLVMGetNextInstruction(phi);
    }
    return !LLVMIsAPHINode(phi);
}

/* Finds the tests of a loop whose first one is in basic block `head`. */
static bool
find_tests(const struct jit_cfg *cfg, unsigned head, struct tests *tests)
{
    tests->first = cfg->blocks[head].block;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(tests->first);
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end)) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        tests->second = LLVMGetSuccessor(end, i);
        tests->after = LLVMGetSuccessor(end, 1 - i);
        unsigned second = jit_cfg_index(cfg, tests->second);
        if (cfg->blocks[second].predecessor_count != 1 ||
            !is_short_test(tests->second)) {
            continue;
        }
        LLVMValueRef next = LLVMGetBasicBlockTerminator(tests->second);
        bool first = LLVMGetSuccessor(next, 0) == tests->after;
        tests->body = LLVMGetSuccessor(next, first);
        if (LLVMGetSuccessor(next, !first) == tests->after &&
            tests->body != tests->after && tests->body != tests->first &&
            leave_with_same_values(tests) &&
            is_pure_loop(cfg, head, second,
                         jit_cfg_index(cfg, tests->after))) {
            return true;
        }
    }
    return false;
}

/* Rewrites the phis of a block after the branch from `from` has moved: its
 * value now comes from `to`, or from no block if `to` is NULL. */
static void
move_incoming(struct jit *jit, LLVMBasicBlockRef block, LLVMBasicBlockRef from,
              LLVMBasicBlockRef to)
{
    LLVMValueRef next, phi = LLVMGetFirstInstruction(block);
    for (; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(jit->builder, phi);
        LLVMValueRef made = LLVMBuildPhi(jit->builder, LLVMTypeOf(phi), "");
        unsigned count = LLVMCountIncoming(phi);
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef source = LLVMGetIncomingBlock(phi, i);
            source = source == from ? to : source;
            value = value == phi ? made : value;
            if (source) {
                LLVMAddIncoming(made, &value, &source, 1);
            }
        }
        jit_replace(phi, made);
    }
}

/* Returns the condition under which the branch goes on in the loop. */
static LLVMValueRef
stay_condition(struct jit *jit, LLVMValueRef branch, LLVMBasicBlockRef after)
{
    LLVMValueRef condition = LLVMGetCondition(branch);
    return LLVMGetSuccessor(branch, 1) == after
               ? condition
               : LLVMBuildNot(jit->builder, condition, "");
}

static void
join(struct jit *jit, const struct tests *tests)
{
    LLVMBuilderRef builder = jit->builder;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(tests->first);
    LLVMValueRef next = LLVMGetBasicBlockTerminator(tests->second);
    LLVMValueRef at;
    while ((at = LLVMGetFirstInstruction(tests->second)) != next) {
        LLVMInstructionRemoveFromParent(at);
        LLVMPositionBuilderBefore(builder, end);
        LLVMInsertIntoBuilder(builder, at);
    }
    LLVMPositionBuilderBefore(builder, end);
    LLVMValueRef stays[2] = {stay_condition(jit, end, tests->after),
                             stay_condition(jit, next, tests->after)};
    LLVMValueRef both = LLVMBuildSelect(builder, stays[0], stays[1],
                                        LLVMConstInt(jit->i1, 0, 0), "");
    LLVMBuildCondBr(builder, both, tests->body, tests->after);
    move_incoming(jit, tests->after, tests->second, NULL);
    move_incoming(jit, tests->body, tests->second, tests->first);
    LLVMInstructionEraseFromParent(end);
    LLVMInstructionEraseFromParent(next);
    LLVMDeleteBasicBlock(tests->second);
}

void
jit_join_exits(struct jit *jit)
{
    for (unsigned i = 0; jit->options.level && i < jit->kernel_count; i++) {
        struct jit_cfg cfg = {0};
        struct tests tests;
        jit_cfg_read(&cfg, jit->kernels[i].body);
        for (unsigned b = 0; b < cfg.count; b++) {
            if (cfg.blocks[b].predecessor_count > 1 &&
                find_tests(&cfg, b, &tests)) {
                join(jit, &tests);
                jit_cfg_read(&cfg, jit->kernels[i].body);
            }
        }
    }
}
