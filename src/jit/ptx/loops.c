/* loops.c - turns loops that test at their end into loops that test first.
 *
 * Compilers that write PTX rotate loops: the code of
 *
 *     for (i = first; i < n; i += step) body(i);
 *
 * is
 *
 *     if (first < n) { i = first; do { body(i); i += step; } while (i < n); }
 *
 * Passes that distribute iterations over threads and vectors recognise loops
 * by the first form, in which clang passes CUDA C++. So this pass restores it
 * for loops with one end and a test `<` of a loop variable (or `!=` if the
 * loop counts from one constant to another), if the test is known to hold for
 * the first iteration. The branch around the loop is removed if it has become
 * redundant.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/ptx/module.h"
#include "jit/ptx/order.h"
#include "jit/report.h"

/* Limits of a loop that is restored, and of the search for its guard. */
enum { MAX_BLOCKS = 300, MAX_GUARDS = 4, MAX_CONDITIONS = 16 };

struct loop {
    struct jit *jit;
    /* `before` leads to the loop, whose first block is `head`; `latch` leads
     * back to `head`, or to `after` */
    LLVMBasicBlockRef before, head, latch, after;
    LLVMBasicBlockRef blocks[MAX_BLOCKS];
    unsigned block_count;
    /* holds at the end of an iteration if another one follows; the
     * operand `varying` is the next value of the phi `variable` */
    struct ptx_order test;
    unsigned varying;
    LLVMValueRef variable;
    /* true: the loop ends when the next value is equal to the limit */
    bool counts;
    /* block with the branch around the loop, if that branch is redundant once
     * the loop tests first; else NULL */
    LLVMBasicBlockRef guard;
};

static LLVMValueRef
terminator(LLVMBasicBlockRef block)
{
    return LLVMGetBasicBlockTerminator(block);
}

/* ---- control flow ---- */

/* Stores up to `most` predecessors of the block, each as often as it branches
 * to the block. Returns their number. */
static unsigned
predecessors(LLVMBasicBlockRef block, LLVMBasicBlockRef *found, unsigned most)
{
    unsigned count = 0;
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsATerminatorInst(user)) {
            if (count < most) {
                found[count] = LLVMGetInstructionParent(user);
            }
            count++;
        }
    }
    return count;
}

static bool
contains(const struct loop *loop, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < loop->block_count; i++) {
        if (loop->blocks[i] == block) {
            return true;
        }
    }
    return false;
}

/* Tests whether the value is computed in the loop. */
static bool
is_inside(const struct loop *loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) &&
           contains(loop, LLVMGetInstructionParent(value));
}

/* Finds the blocks of the loop: those from which the latch is reached without
 * passing the head. Returns false if the loop can be entered elsewhere, or is
 * too large. */
static bool
find_blocks(struct loop *loop)
{
    LLVMBasicBlockRef from[MAX_BLOCKS];
    LLVMBasicBlockRef entry =
        LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(loop->head));
    loop->blocks[0] = loop->head;
    loop->block_count = 1;
    if (loop->latch != loop->head) {
        loop->blocks[loop->block_count++] = loop->latch;
    }
    for (unsigned i = 1; i < loop->block_count; i++) {
        unsigned count = predecessors(loop->blocks[i], from, MAX_BLOCKS);
        if (loop->blocks[i] == entry || loop->blocks[i] == loop->before ||
            count > MAX_BLOCKS) {
            return false;
        }
        for (unsigned k = 0; k < count; k++) {
            if (contains(loop, from[k])) {
                continue;
            }
            if (loop->block_count == MAX_BLOCKS) {
                return false;
            }
            loop->blocks[loop->block_count++] = from[k];
        }
    }
    return true;
}

/* ---- the guard ---- */

/* Tests whether the block may run when the loop has no iteration: its
 * instructions only compute, and none of them can fail. */
static bool
is_harmless(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        switch (LLVMGetInstructionOpcode(at)) {
        case LLVMUDiv:
        case LLVMSDiv:
        case LLVMURem:
        case LLVMSRem:
            return false;
        case LLVMCall:
            if (!jit_calls(at, "__pycuda_tid") &&
                !jit_calls(at, "__pycuda_ntid") &&
                !jit_calls(at, "__pycuda_ctaid") &&
                !jit_calls(at, "__pycuda_nctaid") &&
                !jit_calls(at, "__pycuda_shared_window")) {
                return false;
            }
            break;
        case LLVMBr:
        case LLVMPHI:
        case LLVMSelect:
        case LLVMGetElementPtr:
        case LLVMIntToPtr:
        case LLVMPtrToInt:
        case LLVMZExt:
        case LLVMSExt:
        case LLVMTrunc:
        case LLVMBitCast:
            break;
        default:
            if (!LLVMIsABinaryOperator(at) && !LLVMIsACmpInst(at)) {
                return false;
            }
        }
    }
    return true;
}

/* Returns the phi of the loop's head whose next value is `value`, or NULL. */
static LLVMValueRef
phi_of_next(const struct loop *loop, LLVMValueRef value)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(loop->head);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        unsigned back = LLVMGetIncomingBlock(phi, 0) == loop->latch ? 0 : 1;
        if (LLVMGetIncomingValue(phi, back) == value) {
            return phi;
        }
    }
    return NULL;
}

/* Returns the value of a phi of the block after the loop if the latch leaves
 * the loop. A loop that counts leaves with the limit, which is then the next
 * value. */
static LLVMValueRef
value_at_end(const struct loop *loop, LLVMValueRef phi)
{
    LLVMValueRef value = jit_incoming(phi, loop->latch);
    return loop->counts && value == loop->test.right ? loop->test.left : value;
}

/* Tests whether the loop, if it tested first and had no iteration, would give
 * the phis of the block after it the same values as the branch in `guard`. */
static bool
gives_same_values(const struct loop *loop, LLVMBasicBlockRef guard)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(loop->after);
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = value_at_end(loop, phi);
        LLVMValueRef carried = phi_of_next(loop, value);
        value = carried ? jit_incoming(carried, loop->before) : value;
        if (value != jit_incoming(phi, guard)) {
            return false;
        }
    }
    return true;
}

/* Tests whether `wanted` holds whenever the loop is entered: it compares
 * constants, or a branch before the loop tests it. Sets loop->guard. */
static bool
find_guard(struct loop *loop, const struct ptx_order *wanted)
{
    LLVMBasicBlockRef block = loop->before, target = loop->head;
    bool redundant = true;
    if (ptx_order_is_known(wanted)) {
        return true;
    }
    for (unsigned i = 0; i < MAX_GUARDS; i++) {
        LLVMValueRef end = terminator(block);
        if (!LLVMIsABranchInst(end)) {
            return false;
        }
        if (LLVMIsConditional(end)) {
            bool holds = LLVMGetSuccessor(end, 0) == target;
            unsigned budget = MAX_CONDITIONS;
            bool exact = false;
            if (LLVMGetSuccessor(end, holds) != target &&
                ptx_order_follows(LLVMGetCondition(end), holds, wanted,
                                  &budget, &exact)) {
                redundant = redundant && exact &&
                            LLVMGetSuccessor(end, holds) == loop->after &&
                            gives_same_values(loop, block);
                loop->guard = redundant ? block : NULL;
                return true;
            }
            redundant = false;
        }
        redundant = redundant && is_harmless(block);
        target = block;
        if (predecessors(block, &block, 1) != 1) {
            return false;
        }
    }
    return false;
}

/* ---- the test ---- */

static bool
is_constant(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
}

/* Returns the constant that is added to the phi for its next value, or
 * NULL. */
static LLVMValueRef
constant_step(const struct loop *loop, LLVMValueRef phi)
{
    LLVMValueRef next = jit_incoming(phi, loop->latch);
    if (!LLVMIsAInstruction(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd ||
        LLVMGetOperand(next, 0) != phi ||
        !is_constant(LLVMGetOperand(next, 1))) {
        return NULL;
    }
    return LLVMGetOperand(next, 1);
}

/* Rewrites the test `variable < limit` with constants, of the value in the
 * iteration that ends, to `next value < limit + step`. Since the loop is
 * entered with a value below `limit + step`, the next value does not wrap.
 * Returns false if the constants are too large. */
static bool
test_next_value(struct loop *loop)
{
    struct ptx_order *test = &loop->test;
    LLVMValueRef step = constant_step(loop, test->left);
    if (!step || !is_constant(test->right)) {
        return false;
    }
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(step));
    int64_t by = LLVMConstIntGetSExtValue(step);
    int64_t limit = LLVMConstIntGetSExtValue(test->right);
    int64_t greatest = INT64_MAX >> (64 - bits);
    if (by <= 0 || limit < 0 || by > greatest / 4 || limit > greatest / 4) {
        return false;
    }
    test->right = LLVMConstInt(LLVMTypeOf(step), (uint64_t)(limit + by), 0);
    return true;
}

/* Reads the test `next value != limit` of a loop that counts in steps of 1, as
 * `next value < limit`. Both are equal if the first value is below the limit,
 * as find_guard tests. */
static bool
match_count(struct loop *loop, LLVMValueRef compare, bool holds)
{
    LLVMIntPredicate unequal = holds ? LLVMIntNE : LLVMIntEQ;
    if (!LLVMIsAICmpInst(compare) ||
        LLVMGetICmpPredicate(compare) != unequal) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef next = LLVMGetOperand(compare, i);
        LLVMValueRef limit = LLVMGetOperand(compare, 1 - i);
        LLVMValueRef variable = phi_of_next(loop, next);
        LLVMValueRef step = variable ? constant_step(loop, variable) : NULL;
        if (step && LLVMConstIntGetZExtValue(step) == 1 &&
            !is_inside(loop, limit)) {
            loop->variable = variable;
            loop->varying = 0;
            loop->test = (struct ptx_order){next, limit, false};
            loop->counts = true;
            return true;
        }
    }
    return false;
}

/* Reads the test at the end of the loop. Its next value is that of a phi of
 * the loop's head, and the other operand is the same in all iterations. */
static bool
match_test(struct loop *loop)
{
    LLVMValueRef end = terminator(loop->latch);
    bool holds = LLVMGetSuccessor(end, 0) == loop->head;
    LLVMValueRef condition = ptx_without_not(LLVMGetCondition(end), &holds);
    if (match_count(loop, condition, holds)) {
        return true;
    }
    if (!ptx_order_read(condition, holds, &loop->test)) {
        return false;
    }
    loop->varying = is_inside(loop, loop->test.left) ? 0 : 1;
    LLVMValueRef sides[2] = {loop->test.left, loop->test.right};
    LLVMValueRef value = sides[loop->varying];
    if (is_inside(loop, sides[1 - loop->varying])) {
        return false;
    }
    loop->variable = phi_of_next(loop, value);
    if (!loop->variable && loop->varying == 0 && LLVMIsAPHINode(value) &&
        LLVMGetInstructionParent(value) == loop->head) {
        loop->variable = value;
        return test_next_value(loop);
    }
    return loop->variable != NULL;
}

/* Returns the comparison that the loop makes for the value `value` of its
 * variable. */
static struct ptx_order
test_of(const struct loop *loop, LLVMValueRef value)
{
    struct ptx_order test = loop->test;
    *(loop->varying ? &test.right : &test.left) = value;
    return test;
}

/* ---- values after the loop ---- */

/* Tests whether the loop ends only at its latch. */
static bool
has_one_exit(const struct loop *loop)
{
    for (unsigned i = 0; i < loop->block_count; i++) {
        LLVMValueRef end = terminator(loop->blocks[i]);
        unsigned count = LLVMGetNumSuccessors(end);
        for (unsigned k = 0; k < count; k++) {
            if (loop->blocks[i] != loop->latch &&
                !contains(loop, LLVMGetSuccessor(end, k))) {
                return false;
            }
        }
    }
    return true;
}

/* Tests whether the operand `i` of an instruction after the loop is used where
 * the loop was left at its latch. Phis also use values of other exits, which
 * are computed in the loop as before. */
static bool
is_after_latch(const struct loop *loop, LLVMValueRef user, unsigned i)
{
    LLVMBasicBlockRef from =
        LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, i) : NULL;
    return from == loop->latch || !from || !contains(loop, from);
}

/* Tests whether `user`, an instruction after the loop, would find the value
 * `at` of the loop if the loop tested first: the value is the next one of a
 * phi of the head, or the loop computes it before another exit. */
static bool
finds_value(const struct loop *loop, LLVMValueRef user, LLVMValueRef at,
            bool one_exit)
{
    bool is_phi = LLVMIsAPHINode(user) != NULL;
    unsigned count =
        is_phi ? LLVMCountIncoming(user) : (unsigned)LLVMGetNumOperands(user);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMGetOperand(user, i) != at || !is_after_latch(loop, user, i)) {
            continue;
        }
        bool at_latch = is_phi && LLVMGetIncomingBlock(user, i) == loop->latch;
        if (!phi_of_next(loop, at) || (!at_latch && !one_exit)) {
            return false;
        }
    }
    return true;
}

/* Tests whether all values of the loop that are used after it are known where
 * the loop tests first. */
static bool
leaves_with_phis(const struct loop *loop)
{
    bool one_exit = has_one_exit(loop);
    for (unsigned i = 0; i < loop->block_count; i++) {
        LLVMValueRef at = LLVMGetFirstInstruction(loop->blocks[i]);
        for (; at; at = LLVMGetNextInstruction(at)) {
            LLVMUseRef use = LLVMGetFirstUse(at);
            for (; use; use = LLVMGetNextUse(use)) {
                LLVMValueRef user = LLVMGetUser(use);
                if (!is_inside(loop, user) &&
                    !finds_value(loop, user, at, one_exit)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- the new head ---- */

/* Replaces the uses of `value` where the loop was left at its latch by
 * `by`. */
static void
replace_outside(const struct loop *loop, LLVMValueRef value, LLVMValueRef by)
{
    size_t used = 0;
    LLVMUseRef use = LLVMGetFirstUse(value);
    for (; use; use = LLVMGetNextUse(use)) {
        used++;
    }
    /* the list of uses changes while operands are replaced */
    LLVMValueRef *users = jit_allocate((used + 1) * sizeof *users);
    used = 0;
    for (use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        users[used++] = LLVMGetUser(use);
    }
    for (size_t u = 0; u < used; u++) {
        if (users[u] == by || is_inside(loop, users[u])) {
            continue;
        }
        unsigned count = (unsigned)LLVMGetNumOperands(users[u]);
        for (unsigned i = 0; i < count; i++) {
            if (LLVMGetOperand(users[u], i) == value &&
                is_after_latch(loop, users[u], i)) {
                LLVMSetOperand(users[u], i, by);
            }
        }
    }
    free(users);
}

static void
redirect(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = terminator(block);
    unsigned count = LLVMGetNumSuccessors(end);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMGetSuccessor(end, i) == from) {
            LLVMSetSuccessor(end, i, to);
        }
    }
}

/* Replaces the block `from` by `to` in the phis of the block after the loop,
 * or removes it if `to` is NULL. */
static void
replace_incoming(struct loop *loop, LLVMBasicBlockRef from,
                 LLVMBasicBlockRef to)
{
    LLVMBuilderRef builder = loop->jit->builder;
    LLVMValueRef next, phi = LLVMGetFirstInstruction(loop->after);
    for (; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(builder, phi);
        LLVMValueRef made = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
        unsigned count = LLVMCountIncoming(phi);
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
            value = block == loop->latch ? value_at_end(loop, phi) : value;
            block = block == from ? to : block;
            value = value == phi ? made : value;
            if (block) {
                LLVMAddIncoming(made, &value, &block, 1);
            }
        }
        jit_replace(phi, made);
    }
}

/* Moves the phis of the loop's head to the new block `test`. */
static void
move_phis(struct loop *loop, LLVMBasicBlockRef test)
{
    LLVMBuilderRef builder = loop->jit->builder;
    LLVMValueRef phi;
    while (LLVMIsAPHINode(phi = LLVMGetFirstInstruction(loop->head))) {
        LLVMPositionBuilderAtEnd(builder, test);
        LLVMValueRef made = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
        LLVMBasicBlockRef blocks[2] = {loop->before, loop->latch};
        LLVMValueRef values[2] = {jit_incoming(phi, blocks[0]),
                                  jit_incoming(phi, blocks[1])};
        LLVMAddIncoming(made, values, blocks, 2);
        /* a value from before the loop is the same after it */
        if (is_inside(loop, values[1])) {
            replace_outside(loop, values[1], made);
        }
        loop->variable = loop->variable == phi ? made : loop->variable;
        jit_replace(phi, made);
    }
}

/* Makes the loop test first, in a new block. */
static void
restore(struct loop *loop)
{
    LLVMBuilderRef builder = loop->jit->builder;
    LLVMBasicBlockRef test =
        LLVMInsertBasicBlockInContext(loop->jit->context, loop->head, "");
    LLVMValueRef end = terminator(loop->latch);
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(end);
    if (loop->guard) {
        LLVMValueRef around = terminator(loop->guard);
        bool first = LLVMGetSuccessor(around, 0) == loop->after;
        LLVMBasicBlockRef into = LLVMGetSuccessor(around, first);
        LLVMPositionBuilderBefore(builder, around);
        LLVMBuildBr(builder, into);
        LLVMInstructionEraseFromParent(around);
        replace_incoming(loop, loop->guard, NULL);
    }
    replace_incoming(loop, loop->latch, test);
    redirect(loop->before, loop->head, test);
    move_phis(loop, test);
    LLVMPositionBuilderAtEnd(builder, test);
    LLVMSetCurrentDebugLocation2(builder, location);
    struct ptx_order order = test_of(loop, loop->variable);
    LLVMValueRef compare =
        LLVMBuildICmp(builder, order.is_signed ? LLVMIntSLT : LLVMIntULT,
                      order.left, order.right, "");
    LLVMBuildCondBr(builder, compare, loop->head, loop->after);
    LLVMPositionBuilderBefore(builder, end);
    LLVMBuildBr(builder, test);
    LLVMInstructionEraseFromParent(end);
    LLVMSetCurrentDebugLocation2(builder, NULL);
}

/* Tests whether the loop's test holds for the first value of its variable. The
 * test of a loop that counts may be signed or unsigned. */
static bool
enters_with_test(struct loop *loop)
{
    for (unsigned i = 0; i < (loop->counts ? 2 : 1); i++) {
        struct ptx_order first =
            test_of(loop, jit_incoming(loop->variable, loop->before));
        if (find_guard(loop, &first)) {
            return true;
        }
        loop->test.is_signed = !loop->test.is_signed;
    }
    return false;
}

/* Restores the loop with this head and latch if it has the supported form. */
static bool
try_loop(struct loop *loop)
{
    LLVMValueRef end = terminator(loop->latch);
    if (loop->latch == loop->before || !LLVMIsABranchInst(end) ||
        !LLVMIsConditional(end)) {
        return false;
    }
    loop->after =
        LLVMGetSuccessor(end, LLVMGetSuccessor(end, 0) == loop->head);
    if (!find_blocks(loop) || contains(loop, loop->after) ||
        !match_test(loop)) {
        return false;
    }
    if (!enters_with_test(loop) || !leaves_with_phis(loop)) {
        return false;
    }
    restore(loop);
    return true;
}

void
ptx_restore_loops(struct jit *jit, LLVMValueRef function)
{
    struct loop *loop = jit_allocate(sizeof *loop);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function), from[2];
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        if (predecessors(block, from, 2) != 2) {
            continue;
        }
        for (unsigned i = 0; i < 2; i++) {
            *loop = (struct loop){.jit = jit, .head = block};
            loop->before = from[i];
            loop->latch = from[1 - i];
            if (try_loop(loop)) {
                break;
            }
        }
    }
    free(loop);
}
